/**
 * Members that a script calls and does not have itself: `x.a()`, whatever `x` is. Left out is what plainly comes from
 * elsewhere: called on a package, a builtin, a global, a literal, or on what one of those gave. By name and not by scope: a
 * name counts as from elsewhere only where all its declarations are.
 */
import { patternNames } from "./script-exports.ts";
import type { ScriptNames } from "./script-names.ts";
import { bare, keyOf, literalOf, type Node, nameOf, nodeAt, nodesAt, requiredBy } from "./script-node.ts";

export interface CallsFound {
  readonly calls: { readonly name: string; readonly root: string | null }[];
  /** A name is given what another gives: `const x = y.z()`, a parameter of what is called back. */
  readonly flows: { readonly to: string; readonly from: string | null }[];
  /** Names that this file gives to something: keys, members that are set, words in quotes. */
  readonly given: Set<string>;
}

export const noCalls = (): CallsFound => ({ calls: [], flows: [], given: new Set() });

/** What is not of this workspace. No name can be called so. */
const ELSEWHERE = "<elsewhere>";
const THIS = "this";
const MAX_LISTED = 500;
const WORD = /^[A-Za-z_$][\w$]*$/;

export function takeCalls(node: Node, found: CallsFound): void {
  switch (node.type) {
    case "CallExpression":
    case "NewExpression":
      takeCall(node, found);
      return;
    case "VariableDeclarator":
      flow(nodeAt(node, "id"), rootOf(nodeAt(node, "init")), found);
      return;
    case "AssignmentExpression": {
      const left = nodeAt(node, "left");
      const key = left?.type === "MemberExpression" ? keyOf(left, "property") : null;
      if (key !== null) found.given.add(key);
      else flow(left, rootOf(nodeAt(node, "right")), found);
      return;
    }
    case "ForOfStatement":
      for (const one of nodesAt(nodeAt(node, "left") ?? node, "declarations"))
        flow(nodeAt(one, "id"), rootOf(nodeAt(node, "right")), found);
      return;
    case "ImportDeclaration":
      takeImport(node, found);
      return;
    case "ClassDeclaration":
    case "ClassExpression":
      if (nodeAt(node, "superClass")) flowToThis(nodeAt(node, "superClass"), found);
      return;
    case "Literal": {
      const text = literalOf(node);
      if (text !== null && WORD.test(text)) found.given.add(text);
      return;
    }
    default:
      if (KEYED.has(node.type)) found.given.add(keyOf(node, "key") ?? "");
      return;
  }
}

const KEYED: ReadonlySet<string> = new Set([
  "Property",
  "MethodDefinition",
  "PropertyDefinition",
  "AccessorProperty",
  "TSAbstractMethodDefinition",
  "TSAbstractPropertyDefinition",
  "TSPropertySignature",
  "TSMethodSignature",
]);

function takeCall(node: Node, found: CallsFound): void {
  const callee = bare(nodeAt(node, "callee"));
  const root = rootOf(callee);
  const name = callee?.type === "MemberExpression" ? keyOf(callee, "property") : null;
  // What a class inherits it calls on itself; what it keeps in its members may be anything.
  const isOwn = callee && bare(nodeAt(callee, "object"))?.type === "ThisExpression";
  if (name !== null && node.type === "CallExpression" && node.optional !== true)
    found.calls.push({ name, root: isOwn ? THIS : root });
  const [, base] = nodesAt(node, "arguments");
  if ((name ?? nameOf(callee)) === "inherits") flowToThis(base ?? null, found);
  for (const argument of nodesAt(node, "arguments"))
    if (/^(?:Function|Arrow)/.test(argument.type))
      for (const param of nodesAt(argument, "params")) flow(param, root, found);
}

function takeImport(node: Node, found: CallsFound): void {
  const specifier = literalOf(nodeAt(node, "source")) ?? "";
  for (const one of nodesAt(node, "specifiers"))
    flow(nodeAt(one, "local"), specifier.startsWith(".") ? null : ELSEWHERE, found);
}

const flowToThis = (base: Node | null, { flows }: CallsFound): void => {
  flows.push({ to: THIS, from: rootOf(base) });
};

function flow(pattern: Node | null, from: string | null, { flows }: CallsFound): void {
  for (const to of patternNames(pattern)) flows.push({ to, from });
}

/** The name that a chain of members, calls and `new` begins with. Null: not to be told. */
function rootOf(start: Node | null): string | null {
  let node = bare(start);
  while (node) {
    const required = requiredBy(node);
    if (required !== null) return required.startsWith(".") ? null : ELSEWHERE;
    const name = nameOf(node);
    if (name !== null) return name;
    if (MADE_HERE.test(node.type)) return ELSEWHERE;
    const inner = INNER[node.type];
    node = inner === undefined ? null : bare(nodeAt(node, inner));
  }
  return null;
}

const MADE_HERE =
  /^(?:Literal|TemplateLiteral|ArrayExpression|BinaryExpression|UnaryExpression|UpdateExpression)$/;
const INNER: Readonly<Record<string, string>> = {
  MemberExpression: "object",
  CallExpression: "callee",
  NewExpression: "callee",
  AwaitExpression: "argument",
  YieldExpression: "argument",
  ChainExpression: "expression",
  TaggedTemplateExpression: "tag",
  LogicalExpression: "left",
  AssignmentExpression: "right",
};

export function calledNames({ calls, flows, given }: CallsFound, { declared }: ScriptNames): string[] {
  const isElsewhere = elsewhereOf(flows, declared);
  const names = calls.flatMap(({ name, root }) => (root !== null && isElsewhere(root) ? [] : [name]));
  return [...new Set(names)]
    .filter((name) => !given.has(name))
    .sort()
    .slice(0, MAX_LISTED);
}

/** Grown until nothing comes to it: a name is from elsewhere when every one of its declarations is. */
function elsewhereOf(
  flows: CallsFound["flows"],
  declared: ReadonlyMap<string, number>,
): (root: string) => boolean {
  const known = new Set<string>([ELSEWHERE]);
  const isElsewhere = (root: string): boolean => known.has(root) || (root !== THIS && !declared.has(root));
  const byName = new Map<string, (string | null)[]>();
  for (const { to, from } of flows) byName.set(to, [...(byName.get(to) ?? []), from]);
  for (let size = -1; size !== known.size; ) {
    size = known.size;
    for (const [name, from] of byName)
      if (
        from.length >= (name === THIS ? 1 : (declared.get(name) ?? 0)) &&
        from.every((root) => root !== null && isElsewhere(root))
      )
        known.add(name);
  }
  return isElsewhere;
}
