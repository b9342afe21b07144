/** How a script ends: what its last statement is, and what of it says that nothing is missing below. */
import type { SourceFacts } from "../known/file-facts.ts";
import { declaredNames, isExportsObject } from "./script-exports.ts";
import type { ScriptNames } from "./script-names.ts";
import { bare, type Node, nameOf, nodeAt, nodesAt } from "./script-node.ts";

const MAX_SHOWN_CHARS = 80;
/** A last statement that is this share of the file cannot lose its end and still parse. */
const MOST_OF_FILE = 0.8;
/** Statements of the top level that are told from one another; of more, the last. */
const MAX_STATEMENTS = 300;

/** What compilers of types write last. */
const EMPTY_LIST = /(?:^|\n)\s*export ?\{\s*\};?\s*$/;

type End = Pick<
  SourceFacts,
  | "lastStatement"
  | "endLines"
  | "statements"
  | "isEndClosed"
  | "isEndMost"
  | "isEndBare"
  | "isEndUsed"
  | "isEndLoose"
  | "isEndStopped"
  | "isEndMarked"
  | "hasEndComment"
>;

export function endOfScript(
  statements: readonly Node[],
  text: string,
  { declared, used }: ScriptNames,
  { isTypes }: { readonly isTypes: boolean },
): End {
  const last = statements.at(-1);
  if (!last)
    return {
      lastStatement: "",
      endLines: 0,
      statements: [],
      isEndClosed: true,
      isEndMost: false,
      isEndBare: false,
      isEndUsed: false,
      isEndLoose: false,
      isEndStopped: false,
      isEndMarked: EMPTY_LIST.test(text),
      hasEndComment: false,
    };
  // Of several lists any may be the last that was written.
  const isOnly =
    isExportList(last, isTypes) &&
    statements.filter(isNamedList).length <= 1 &&
    !(isTypes && statements.some(isGivenInPlace)) &&
    givenNames(last).every((name) => declared.has(name));
  const areStopped = statements.some((one) => one !== last && canStop(one) && isStopped(one, text));
  return {
    lastStatement: signatureOf(last, text),
    endLines: text.slice(last.start, last.end).split("\n").length,
    statements: statements.slice(-MAX_STATEMENTS).map((one) => signatureOf(one, text)),
    isEndClosed: isOnly,
    isEndMost: last.end - last.start >= MOST_OF_FILE * text.trimEnd().length,
    isEndBare: /^(?:Function|Class|Variable|TS\w*)Declar/.test(last.type),
    isEndUsed: declaredNames(last).some((name) => isUsedAbove(name, last, text, used)),
    isEndStopped: isStopped(last, text) || (text[last.end - 1] === "}" && !(canStop(last) && areStopped)),
    isEndMarked: EMPTY_LIST.test(text.slice(last.end)),
    isEndLoose: areStopped && isBrokenChain(last, text),
    hasEndComment: /^\s*(?:\/\/|\/\*)/m.test(text.slice(last.end).replace(/^[^\n]*/, "")),
  };
}

/** Somebody above needs it, and not only the thing itself. */
function isUsedAbove(name: string, last: Node, text: string, used: ReadonlyMap<string, number>): boolean {
  if (!used.has(name)) return false;
  return new RegExp(`(?<![\\w$.])${name.replaceAll("$", "\\$")}(?![\\w$])`).test(text.slice(0, last.start));
}

/** Statements that a semicolon ends where somebody writes them. */
const canStop = ({ type }: Node): boolean =>
  /^(?:ExpressionStatement|VariableDeclaration|ImportDeclaration|TSTypeAliasDeclaration|TSExportAssignment)$/.test(
    type,
  );
/** Calls one below the other, and no semicolon after the last of them. */
const isBrokenChain = (last: Node, text: string): boolean =>
  canStop(last) && !isStopped(last, text) && /\n\s*\.[^\n]*$/.test(text.slice(last.start, last.end));
const isStopped = ({ end }: Node, text: string): boolean => text[end - 1] === ";";

/** Names of the file itself that a list gives; compiled types have their list first, and what it gives below. */
function givenNames(node: Node): string[] {
  const whole = nameOf(bare(nodeAt(node, "declaration") ?? nodeAt(node, "expression")));
  const listed = nodesAt(node, "specifiers").flatMap((one) => nameOf(nodeAt(one, "local")) ?? []);
  return whole === null ? listed : [whole, ...listed];
}

const isGivenInPlace = (node: Node): boolean =>
  node.type === "ExportNamedDeclaration" && nodeAt(node, "declaration") !== null;

const isNamedList = (node: Node): boolean =>
  node.type === "ExportNamedDeclaration" && nodeAt(node, "declaration") === null;

/** `isTypes`: types follow a function as well as they stand above it. */
export function isExportList(node: Node, isTypes = false): boolean {
  if (isTypes && node.type === "ExportDefaultDeclaration")
    return nameOf(bare(nodeAt(node, "declaration"))) !== null;
  if (node.type === "ExportDefaultDeclaration" || node.type === "TSExportAssignment") return true;
  if (node.type === "ExportNamedDeclaration")
    return nodeAt(node, "declaration") === null && nodeAt(node, "source") === null;
  const expression = node.type === "ExpressionStatement" ? bare(nodeAt(node, "expression")) : null;
  return expression?.type === "AssignmentExpression" && isExportsObject(nodeAt(expression, "left"));
}

const listed = (node: Node): string =>
  nodesAt(node, "specifiers")
    .flatMap((one) => nameOf(nodeAt(one, "exported")) ?? [])
    .join(", ");

/** What a call is about: its first argument where that is a text, all of a short line, else the first text in it. */
function toldBy(args: readonly Node[], text: string): string {
  const [first, last] = [args[0], args.at(-1)];
  if (!first || !last) return "";
  const all = text.slice(first.start, last.end);
  if (first.type === "Literal") return text.slice(first.start, first.end).slice(0, MAX_SHOWN_CHARS);
  const isLine = all.length <= MAX_SHOWN_CHARS && !all.includes("\n");
  return isLine ? all : (/(["'`])[^"'`\n]+\1/.exec(all)?.[0] ?? "");
}

/** The kind and the name, not the content: `f` with another body is still `function f`. */
function signatureOf(node: Node, text: string): string {
  const shown = (part: Node | null): string =>
    part ? text.slice(part.start, part.end).slice(0, MAX_SHOWN_CHARS).replaceAll(/\s+/g, " ") : "";
  if (node.type === "ExportNamedDeclaration") {
    const declaration = nodeAt(node, "declaration");
    return `export ${declaration ? signatureOf(declaration, text) : `list ${listed(node)}`}`.slice(
      0,
      MAX_SHOWN_CHARS,
    );
  }
  if (node.type === "ExportDefaultDeclaration") {
    const name = nameOf(nodeAt(nodeAt(node, "declaration") ?? node, "id"));
    if (name !== null) return `${node.type} ${name}`;
  }
  if (node.type === "ExpressionStatement") {
    const expression = bare(nodeAt(node, "expression"));
    if (expression?.type === "AssignmentExpression") return `set ${shown(nodeAt(expression, "left"))}`;
    if (expression?.type === "CallExpression") {
      return `call ${shown(nodeAt(expression, "callee"))} ${toldBy(nodesAt(expression, "arguments"), text)}`;
    }
    return `expression ${shown(expression)}`;
  }
  const names = declaredNames(node).join(",");
  // A statement without a name is told by its text, one with a condition by that.
  const told = node.type === "IfStatement" ? shown(nodeAt(node, "test")) : shown(node);
  return `${node.type} ${names === "" ? told : names}`.slice(0, MAX_SHOWN_CHARS);
}
