/** What is known of a script once it is parsed: one walk over its tree. */
import type { SourceFacts } from "../file-facts.ts";
import { lineCounter } from "./line-of.ts";
import { calledNames, noCalls, takeCalls } from "./script-calls.ts";
import { declaredNames, isExportsObject, noExports, takeExports } from "./script-exports.ts";
import { isGlobalName } from "./script-globals.ts";
import { collectNames, type ScriptNames } from "./script-names.ts";
import { bare, type Node, nameOf, nodeAt, nodesAt } from "./script-node.ts";
import { type Draft, finishReferences, takeReferences } from "./script-references.ts";
import { type Bodies, takeBody } from "./script-stubs.ts";

/** Shown and kept of each list: a file with more has something else wrong with it. */
const MAX_LISTED = 50;
/** Words kept of a file whose exports cannot be read off; a bundle has more, and is not asked. */
const MAX_WORDS = 5000;
const MAX_SHOWN_CHARS = 80;
/** A last statement that is this share of the file cannot lose its end and still parse. */
const MOST_OF_FILE = 0.8;

export function scriptFacts(
  program: Node,
  text: string,
  { isDeclaration }: { readonly isDeclaration: boolean },
): SourceFacts {
  const lineAt = lineCounter(text);
  const exports = noExports();
  const drafts: Draft[] = [];
  const required = new Set<Node>();
  const bodies: Bodies = { stubs: [], sizes: {}, count: 0, functions: 0, hollow: 0, hollowTaking: 0 };
  const parents = new Map<Node, string>();
  const calls = noCalls();
  const names = collectNames(program, (visited) => {
    const { node, parent } = visited;
    takeExports(node, parent, exports);
    takeReferences(visited, drafts, required);
    takeCalls(node, calls);
    if (node.type === "MethodDefinition" && parent) parents.set(node, parent.type);
    const isSet = parent?.type === "VariableDeclarator" || parent?.type === "AssignmentExpression";
    takeBody(node, parent, isSet ? "set" : parent ? (parents.get(parent) ?? "") : "", bodies);
  });
  const statements = nodesAt(program, "body").filter(
    (node) => node.type !== "EmptyStatement" && !isHollow(node),
  );
  const isShared = exports.names.size + exports.stars.size + drafts.length > 0 || !exports.isKnown;
  const neverSet = [...exports.announced].filter((name) => !exports.names.has(name));
  const stubs = bodies.stubs
    .sort((a, b) => a.at - b.at)
    .map(({ at, what }) => `line ${lineAt(at)}: ${what}`)
    .concat(neverSet.map((name) => `${name} is announced as an export and never set`));
  return {
    references: finishReferences(drafts, program, names, lineAt),
    exports: [...exports.names].sort(),
    stars: [...exports.stars].sort(),
    isModule: statements.some(({ type }) => /^(?:Import|Export|TSExport)/.test(type)),
    areExportsKnown: exports.isKnown,
    words: exports.isKnown ? [] : wordsIn(text),
    called: isDeclaration ? [] : calledNames(calls, names),
    undefinedNames: isDeclaration ? [] : undefinedIn(names),
    // Types that are declared beside no list are given by that alone.
    unusedNames:
      isShared && (!isDeclaration || statements.some(isExportList))
        ? unusedIn(statements, names, exports.names)
        : [],
    stubs: stubs.slice(0, MAX_LISTED),
    functions: bodies.functions,
    hollow: bodies.hollow,
    hollowTaking: bodies.hollowTaking,
    bodies: bodies.sizes,
    ...endOf(statements, text, names),
  };
}

/** Directives, `export {}` and `module.exports = {}`: there is nothing in them. */
function isHollow(node: Node): boolean {
  if (typeof node.directive === "string") return true;
  if (node.type === "ExportNamedDeclaration")
    return (
      !nodeAt(node, "declaration") && !nodeAt(node, "source") && nodesAt(node, "specifiers").length === 0
    );
  const expression = node.type === "ExpressionStatement" ? nodeAt(node, "expression") : null;
  if (expression?.type !== "AssignmentExpression" || !isExportsObject(nodeAt(expression, "left")))
    return false;
  const right = nodeAt(expression, "right");
  return right?.type === "ObjectExpression" && nodesAt(right, "properties").length === 0;
}

/** Every word of it: a name that is not even among them is given by no trick. */
const wordsIn = (text: string): string[] => withinLimit([...new Set(text.match(/[A-Za-z_$][\w$]*/g))].sort());

const withinLimit = (words: string[]): string[] => (words.length > MAX_WORDS ? [] : words);

function undefinedIn({ needed, declared }: ScriptNames): string[] {
  return [...needed]
    .filter((name) => !declared.has(name) && !isGlobalName(name))
    .sort()
    .slice(0, MAX_LISTED);
}

/** Names of the top level that nothing uses and nobody is given. */
function unusedIn(
  statements: readonly Node[],
  { used, hasJsx }: ScriptNames,
  exported: ReadonlySet<string>,
): string[] {
  const own = statements.flatMap((statement) => {
    if (statement.type === "ImportDeclaration")
      return nodesAt(statement, "specifiers").flatMap((one) => nameOf(nodeAt(one, "local")) ?? []);
    return declaredNames(statement);
  });
  return own
    .filter((name) => !used.has(name) && !exported.has(name) && !name.startsWith("_"))
    .filter((name) => !(hasJsx && name === "React"))
    .sort()
    .slice(0, MAX_LISTED);
}

function endOf(
  statements: readonly Node[],
  text: string,
  { declared }: ScriptNames,
): Pick<SourceFacts, "lastStatement" | "isEndClosed" | "isEndMost" | "isEndBare"> {
  const last = statements.at(-1);
  if (!last) return { lastStatement: "", isEndClosed: true, isEndMost: false, isEndBare: false };
  // Of several lists any may be the last that was written.
  const isOnly =
    isExportList(last) &&
    statements.filter(isNamedList).length <= 1 &&
    givenNames(last).every((name) => declared.has(name));
  const isEndMost = last.end - last.start >= MOST_OF_FILE * text.trimEnd().length;
  const isEndBare = /^(?:Function|Class|Variable|TS\w*)Declar/.test(last.type);
  return { lastStatement: signatureOf(last, text), isEndClosed: isOnly, isEndMost, isEndBare };
}

/** Names of the file itself that a list gives; compiled types have their list first, and what it gives below. */
function givenNames(node: Node): string[] {
  const whole = nameOf(bare(nodeAt(node, "declaration") ?? nodeAt(node, "expression")));
  const listed = nodesAt(node, "specifiers").flatMap((one) => nameOf(nodeAt(one, "local")) ?? []);
  return whole === null ? listed : [whole, ...listed];
}

const isNamedList = (node: Node): boolean =>
  node.type === "ExportNamedDeclaration" && nodeAt(node, "declaration") === null;

function isExportList(node: Node): boolean {
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

/** The kind and the name, not the content: `f` with another body is still `function f`. */
function signatureOf(node: Node, text: string): string {
  const shown = (part: Node | null): string =>
    part ? text.slice(part.start, part.end).slice(0, MAX_SHOWN_CHARS) : "";
  if (node.type === "ExportNamedDeclaration") {
    const declaration = nodeAt(node, "declaration");
    return `export ${declaration ? signatureOf(declaration, text) : `list ${listed(node)}`}`.slice(
      0,
      MAX_SHOWN_CHARS,
    );
  }
  if (node.type === "ExpressionStatement") {
    const expression = bare(nodeAt(node, "expression"));
    if (expression?.type === "AssignmentExpression") return `set ${shown(nodeAt(expression, "left"))}`;
    if (expression?.type === "CallExpression") {
      const [first] = nodesAt(expression, "arguments");
      return `call ${shown(nodeAt(expression, "callee"))} ${first?.type === "Literal" ? shown(first) : ""}`;
    }
    return `expression ${shown(expression)}`;
  }
  const names = declaredNames(node).join(",");
  // A statement without a name is told by its text.
  return `${node.type} ${names === "" ? shown(node) : names}`.slice(0, MAX_SHOWN_CHARS);
}
