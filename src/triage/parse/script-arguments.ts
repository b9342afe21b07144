/**
 * What the functions of a script take and what it gives to those it calls (arguments.ts): seen in the one walk over its tree, and
 * put together at its end (script-callees.ts says what a name means).
 */
import { fits, type Gives } from "../arguments.ts";
import type { SourceFacts } from "../file-facts.ts";
import { type ArgumentsSeen, createCallees } from "./script-callees.ts";
import { type Handed, handedBy, topValues } from "./script-handing.ts";
import type { ScriptNames } from "./script-names.ts";
import { bare, keyOf, literalOf, type Node, nameOf, nodeAt, nodesAt, requiredBy } from "./script-node.ts";
import { takenBy } from "./script-references.ts";
import { isFunction, type Parts, partsOf, takeAsked, takesOf, variableParts } from "./script-takes.ts";

/** Calls kept of one file; bundles have more, and nobody calls into those. */
const MAX_CALLS = 500;
/** Calls looked at in one file, for the same reason. */
const MAX_SEEN = 5000;

export const noArguments = (isTyped: boolean): ArgumentsSeen => ({
  calls: [],
  bound: new Map(),
  values: new Map(),
  added: new Map(),
  instances: new Map(),
  classes: [],
  plain: [],
  assigned: new Set(),
  asked: isTyped ? null : { tested: new Map(), rest: [] },
});

export function takeArguments(node: Node, parent: Node | null, seen: ArgumentsSeen): void {
  if (seen.asked) takeAsked(node, seen.asked);
  switch (node.type) {
    case "CallExpression":
    case "NewExpression":
      takeCall(node, seen);
      return;
    case "ImportDeclaration":
      takeImport(node, seen);
      return;
    case "VariableDeclarator":
      takeVariable(node, seen);
      return;
    case "AssignmentExpression":
      takeAssignment(node, seen);
      return;
    case "ClassDeclaration":
    case "ClassExpression":
      seen.classes.push(node);
      if (node.type === "ClassDeclaration") declare(nameOf(nodeAt(node, "id")), partsOf(node), 1, seen);
      return;
    case "TSInterfaceDeclaration":
    case "TSDeclareFunction":
      declare(nameOf(nodeAt(node, "id")), partsOf(node), 1, seen);
      return;
    default:
      if (!isFunction(node)) return;
      if (node.type === "FunctionDeclaration") declare(nameOf(nodeAt(node, "id")), [["", node]], 1, seen);
      if (node.type !== "ArrowFunctionExpression" && parent?.type !== "MethodDefinition")
        seen.plain.push(node);
      for (const param of nodesAt(node, "params")) takeTyped(param, seen);
      return;
  }
}

function declare(name: string | null, parts: Parts, count: number, { values }: ArgumentsSeen): void {
  if (name !== null) pushTo(values, name, { parts, count });
}

/** Not by copying: minified code declares one name a thousand times. */
function pushTo<T>(lists: Map<string, T[]>, name: string, one: T): void {
  const known = lists.get(name);
  if (known) known.push(one);
  else lists.set(name, [one]);
}

function takeCall(node: Node, seen: ArgumentsSeen): void {
  if (seen.calls.length >= MAX_SEEN) return;
  const args = nodesAt(node, "arguments");
  // `f<void>()` leaves out what would be nothing.
  const types = nodeAt(node, "typeArguments");
  if (types && nodesAt(types, "params").some(({ type }) => type === "TSVoidKeyword")) return;
  const spreads = args.some(({ type }) => type === "SpreadElement");
  const plain = args.filter(({ type }) => type !== "SpreadElement").length;
  let callee = calleeOf(nodeAt(node, "callee"));
  let count = plain;
  const isMember = callee?.type === "MemberExpression" && node.type === "CallExpression";
  // `f.call(this, a)` gives `a`.
  if (callee && isMember && keyOf(callee, "property") === "call" && plain > 0) {
    callee = calleeOf(nodeAt(callee, "object"));
    count--;
  }
  const gives = `${count}${spreads ? "+" : ""}`;
  const about = { gives, at: node.start, specifier: null, member: null };
  if (callee?.type === "Super") seen.calls.push({ ...about, root: "super" });
  const root = nameOf(callee);
  if (root !== null) seen.calls.push({ ...about, root });
  const required = requiredBy(callee);
  if (required !== null) seen.calls.push({ ...about, root: null, specifier: required });
  if (callee?.type === "MemberExpression") takeMemberCall(callee, gives, node.start, seen);
}

function takeMemberCall(callee: Node, gives: Gives, at: number, { calls }: ArgumentsSeen): void {
  const member = keyOf(callee, "property");
  const object = calleeOf(nodeAt(callee, "object"));
  if (member === null || !object) return;
  const specifier = requiredBy(object);
  const root = object.type === "ThisExpression" ? "this" : nameOf(object);
  if (specifier !== null || root !== null) calls.push({ root, member, specifier, gives, at });
}

/** Not through `as`: who says it is something else means it. */
function calleeOf(start: Node | null): Node | null {
  let node = start;
  while (node) {
    if (node.type === "ParenthesizedExpression" || node.type === "TSNonNullExpression")
      node = nodeAt(node, "expression");
    // `(0, a.b)()`, as compilers write it.
    else if (node.type === "SequenceExpression") node = nodesAt(node, "expressions").at(-1) ?? null;
    else return node;
  }
  return null;
}

function takeImport(node: Node, { bound }: ArgumentsSeen): void {
  const specifier = literalOf(nodeAt(node, "source")) ?? "";
  for (const one of nodesAt(node, "specifiers")) {
    const local = nameOf(nodeAt(one, "local"));
    const imported = nodeAt(one, "imported");
    const name =
      one.type === "ImportDefaultSpecifier"
        ? "default"
        : one.type === "ImportNamespaceSpecifier"
          ? "*"
          : (nameOf(imported) ?? literalOf(imported));
    if (local !== null && name !== null) bound.set(local, { specifier, name });
  }
}

function takeVariable(node: Node, seen: ArgumentsSeen): void {
  const id = nodeAt(node, "id");
  const taken = takenBy(nodeAt(node, "init"));
  if (taken) bindTaken(id, taken.specifier, seen);
  const name = nameOf(id);
  if (name === null || !id) return;
  const value = bare(nodeAt(node, "init"));
  // `const f = function f() {}` declares it twice.
  const isTwice = value !== null && nameOf(nodeAt(value, "id")) === name;
  declare(name, variableParts(node), isTwice ? 2 : 1, seen);
  const made = value?.type === "NewExpression" ? nameOf(nodeAt(value, "callee")) : null;
  if (nodeAt(id, "typeAnnotation")) takeTyped(id, seen);
  else if (made !== null) addInstance(name, made, seen);
}

function bindTaken(pattern: Node | null, specifier: string, { bound }: ArgumentsSeen): void {
  const whole = nameOf(pattern);
  if (whole !== null) bound.set(whole, { specifier, name: "*" });
  if (pattern?.type !== "ObjectPattern") return;
  for (const property of nodesAt(pattern, "properties")) {
    const [key, local] = [keyOf(property, "key"), nameOf(nodeAt(property, "value"))];
    if (key !== null && local !== null) bound.set(local, { specifier, name: key });
  }
}

/** What is said to be of a class or an interface. */
function takeTyped(pattern: Node, seen: ArgumentsSeen): void {
  const inner = pattern.type === "TSParameterProperty" ? (nodeAt(pattern, "parameter") ?? pattern) : pattern;
  const annotation = nodeAt(inner, "typeAnnotation");
  const type = annotation && nodeAt(annotation, "typeAnnotation");
  const [name, of] = [
    nameOf(inner),
    type?.type === "TSTypeReference" ? nameOf(nodeAt(type, "typeName")) : null,
  ];
  if (name !== null && of !== null) addInstance(name, of, seen);
}

const addInstance = (name: string, of: string, { instances }: ArgumentsSeen): void => {
  pushTo(instances, name, of);
};

function takeAssignment(node: Node, seen: ArgumentsSeen): void {
  const left = nodeAt(node, "left");
  const name = nameOf(left);
  const taken = takenBy(nodeAt(node, "right"));
  if (taken && left?.type === "ObjectPattern") bindTaken(left, taken.specifier, seen);
  else if (name !== null) seen.assigned.add(name);
  const value = bare(nodeAt(node, "right"));
  const key = left?.type === "MemberExpression" ? keyOf(left, "property") : null;
  const object = left && bare(nodeAt(left, "object"));
  if (key === null || !object || !value || !isFunction(value)) return;
  const isMethod = object.type === "MemberExpression" && keyOf(object, "property") === "prototype";
  const root = nameOf(isMethod ? bare(nodeAt(object, "object")) : object);
  if (root === null) return;
  pushTo(seen.added, `${root}${isMethod ? "#" : "."}${key}`, value);
}

export type ArgumentFacts = Pick<SourceFacts, "takes" | "calls" | "callLines" | "handsOn" | "misfits">;

export function finishArguments(
  seen: ArgumentsSeen,
  statements: readonly Node[],
  names: ScriptNames,
  text: string,
  lineAt: (offset: number) => number,
): ArgumentFacts {
  const callees = createCallees(seen, names);
  const calls = new Map<string, number>();
  const misfits = new Set<string>();
  const taken = new Map<string, string>();
  for (const call of seen.calls) {
    const callee = callees.of(call);
    if (!callee || /\s/.test(callee.name) || isSilenced(text, call.at)) continue;
    if (callee.kind === "imported") {
      const key = `${callee.specifier} ${callee.name} ${call.gives}`;
      if (calls.size < MAX_CALLS && !/\s/.test(callee.specifier))
        calls.set(key, Math.min(calls.get(key) ?? call.at, call.at));
      continue;
    }
    const takes = taken.get(callee.id) ?? takesOf(callee.functions, seen.asked);
    taken.set(callee.id, takes);
    if (!fits(takes, call.gives) && misfits.size < MAX_CALLS)
      misfits.add(`${callee.name} ${call.gives} ${takes}`);
  }
  const inOrder = [...calls].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    ...given(statements, seen),
    calls: inOrder.map(([call]) => call),
    callLines: inOrder.map(([, at]) => lineAt(at)),
    misfits: [...misfits].sort(),
  };
}

/** `// @ts-expect-error` above a call: somebody means it. */
function isSilenced(text: string, at: number): boolean {
  const line = text.lastIndexOf("\n", at - 1);
  if (line === -1) return false;
  return /@ts-(?:ignore|expect-error)/.test(text.slice(text.lastIndexOf("\n", line - 1) + 1, line));
}

function given(statements: readonly Node[], seen: ArgumentsSeen): Pick<SourceFacts, "takes" | "handsOn"> {
  const own = topValues(statements);
  const takes = new Map<string, Node[]>();
  const handsOn = new Set<string>();
  const add = (name: string, parts: Parts): void => {
    for (const [suffix, fn] of parts)
      takes.set(`${name}${suffix}`, [...(takes.get(`${name}${suffix}`) ?? []), fn]);
  };
  const take = (handed: Handed): void => {
    const { name } = handed;
    if ("parts" in handed) add(name, handed.parts);
    else if ("specifier" in handed) handsOn.add(`${name} ${handed.specifier} ${handed.imported}`);
    else {
      const bound = seen.bound.get(handed.local);
      if (bound) handsOn.add(`${name} ${bound.specifier} ${bound.name}`);
      else if (!seen.assigned.has(handed.local)) {
        add(name, own.get(handed.local) ?? []);
        for (const [reached, functions] of seen.added)
          if (/^[^.#]*/.exec(reached)?.[0] === handed.local)
            add(
              name,
              functions.map((fn) => [reached.slice(handed.local.length), fn] as const),
            );
      }
    }
  };
  for (const handed of handedBy(statements)) take(handed);
  const isPlain = (one: string): boolean => one.split(" ").length === 3;
  return {
    takes: [...takes]
      .filter(([name]) => !/\s/.test(name))
      .map(([name, functions]) => `${name} ${takesOf(functions, seen.asked)}`)
      .sort(),
    handsOn: [...handsOn].filter(isPlain).sort(),
  };
}
