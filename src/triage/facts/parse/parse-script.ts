/** JavaScript and TypeScript: errors as oxc finds them, and by one walk over the tree what the file refers to, gives and leaves undone. */
import { type ParserOptions, parseSync } from "oxc-parser";
import { bySize, type SourceFacts } from "../known/file-facts.ts";
import { lineCounter, lineOf, type ParsedText } from "./parsed.ts";
import { finishArguments } from "./script-argument-facts.ts";
import { noArguments, takeArguments } from "./script-arguments.ts";
import { calledNames, noCalls, takeCalls } from "./script-calls.ts";
import { endOfScript, isExportList } from "./script-end.ts";
import { declaredNames, isExportsObject, noExports, takeExports } from "./script-exports.ts";
import { isGlobalName, isGlobalType } from "./script-given-names.ts";
import { collectNames, type ScriptNames } from "./script-names.ts";
import { type Node, nameOf, nodeAt, nodesAt } from "./script-node.ts";
import { finishReferences, type ReferenceDraft, takeReferences } from "./script-references.ts";
import { type Bodies, takeBody } from "./script-stubs.ts";

/** Tried in order: what a `.js` file is, its package says, which is not asked here. */
const ANY: readonly ParserOptions["sourceType"][] = ["unambiguous", "commonjs"];

export function parseScript(path: string, text: string): ParsedText {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const isTyped = /\.[mc]?tsx?$/.test(name);
  const kinds = isTyped || name.endsWith(".mjs") ? [undefined] : ANY;
  const lang = name.endsWith(".ts") || isTyped ? undefined : "jsx";
  let first: ParsedText | null = null;
  for (const sourceType of kinds) {
    const options: ParserOptions = {};
    if (sourceType) options.sourceType = sourceType;
    if (lang) options.lang = lang;
    const result = parseSync(name, text, options);
    const error = result.errors.find(({ severity }) => severity === "Error");
    if (!error) {
      const isDeclaration = /\.d\.[mc]?ts$/.test(name);
      return {
        kind: "sound",
        source: scriptFacts(result.program as unknown as Node, text, { isDeclaration, isTyped }),
      };
    }
    const line = lineOf(text, error.labels[0]?.start ?? text.length);
    first ??= { kind: "broken", line, message: error.message };
  }
  return first ?? { kind: "unparsed", why: "no parser took it" };
}

/** Shown and kept of each list: a file with more has something else wrong with it. */
const MAX_LISTED = 50;
/** Words kept of a file whose exports cannot be read off; a bundle has more, and is not asked. */
const MAX_WORDS = 5000;

function scriptFacts(
  program: Node,
  text: string,
  { isDeclaration, isTyped }: { readonly isDeclaration: boolean; readonly isTyped: boolean },
): SourceFacts {
  const lineAt = lineCounter(text);
  const exports = noExports();
  const drafts: ReferenceDraft[] = [];
  const required = new Set<Node>();
  const bodies: Bodies = { stubs: [], sizes: new Map(), count: 0, functions: 0, hollow: 0, hollowTaking: 0 };
  const parents = new Map<Node, string>();
  const calls = noCalls();
  const plainCalls = new Set<string | null>();
  const args = noArguments({ isTyped });
  const names = collectNames(program, (visited) => {
    const { node, parent } = visited;
    takeExports(node, parent, exports);
    takeReferences(visited, drafts, required);
    takeCalls(node, calls);
    takeArguments(node, parent, args);
    if (node.type === "CallExpression") plainCalls.add(nameOf(nodeAt(node, "callee")));
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
  const undefinedNames = isDeclaration
    ? undefinedTypesIn(statements, names)
    : undefinedIn(names, { isTyped });
  return {
    references: finishReferences(drafts, program, names, lineAt),
    exports: [...exports.names].sort(),
    stars: [...exports.stars].sort(),
    isModule: statements.some(({ type }) => /^(?:Import|Export|TSExport)/.test(type)),
    areExportsKnown: exports.isKnown,
    words: exports.isKnown ? [] : wordsIn(text),
    ...finishArguments(args, program, statements, names, text, lineAt),
    called: isDeclaration ? [] : calledNames(calls, names),
    calledInside: calledInside(plainCalls, statements),
    undefinedNames,
    undefinedLines: undefinedNames.map((name) => {
      const at = names.firstUses.get(name.split(".")[0] ?? name);
      return at === undefined ? null : lineAt(at);
    }),
    // Types that are declared beside no list are given by that alone.
    unusedNames:
      isShared && (!isDeclaration || statements.some((one) => isExportList(one)))
        ? unusedIn(statements, names, exports.names)
        : [],
    stubs: stubs.slice(0, MAX_LISTED),
    functions: bodies.functions,
    hollow: bodies.hollow,
    hollowTaking: bodies.hollowTaking,
    bodies: bySize(bodies.sizes),
    ...endOfScript(statements, text, names, { isTypes: isDeclaration }),
  };
}

function calledInside(calls: ReadonlySet<string | null>, statements: readonly Node[]): string[] {
  const own = new Set(statements.flatMap((one) => [...topNames(one), ...exportedNames(one)]));
  return [...calls]
    .flatMap((name) => (name === null || own.has(name) || isGlobalName(name) ? [] : [name]))
    .sort()
    .slice(0, MAX_LISTED);
}

/** Names of the top level, with what it imports. */
const topNames = (statement: Node): string[] =>
  statement.type === "ImportDeclaration"
    ? nodesAt(statement, "specifiers").flatMap((one) => nameOf(nodeAt(one, "local")) ?? [])
    : declaredNames(statement);

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

/** Of what is compiled types, too: one that nothing in the file brings may only come from where all types are everybody's. */
function undefinedIn(
  { needed, used, declared }: ScriptNames,
  { isTyped }: { readonly isTyped: boolean },
): string[] {
  const types = isTyped ? [...used.keys()].filter((name) => !needed.has(name) && !isGlobalType(name)) : [];
  return [...needed, ...types]
    .filter((name) => !declared.has(name) && !isGlobalName(name))
    .sort()
    .slice(0, MAX_LISTED);
}

/** Types, by any use of a name; and members of something of the file that is no namespace (yet). */
function undefinedTypesIn(statements: readonly Node[], { used, declared, members }: ScriptNames): string[] {
  const own = new Set(statements.flatMap((one) => [...declaredNames(one), ...exportedNames(one)]));
  const spaces = new Set(
    statements.filter(isSpace).flatMap((one) => [...declaredNames(one), ...exportedNames(one)]),
  );
  const bare = [...used.keys()].filter(
    (name) => !declared.has(name) && !isGlobalName(name) && !isGlobalType(name),
  );
  const inner = [...members].flatMap(([space, names]) =>
    own.has(space) && !spaces.has(space) ? [...names].map((name) => `${space}.${name}`) : [],
  );
  return [...bare, ...inner].sort().slice(0, MAX_LISTED);
}

const exportedNames = (node: Node): string[] => {
  const declaration = nodeAt(node, "declaration");
  return declaration ? declaredNames(declaration) : [];
};
const isSpace = (node: Node): boolean =>
  /^(?:TSModule|TSEnum|Class|TSImportEquals)Declaration$/.test((nodeAt(node, "declaration") ?? node).type);

/** Names of the top level that nothing uses and nobody is given. */
function unusedIn(
  statements: readonly Node[],
  { used, hasJsx }: ScriptNames,
  exported: ReadonlySet<string>,
): string[] {
  return statements
    .flatMap(topNames)
    .filter((name) => !used.has(name) && !exported.has(name) && !name.startsWith("_"))
    .filter((name) => !(hasJsx && name === "React"))
    .sort()
    .slice(0, MAX_LISTED);
}
