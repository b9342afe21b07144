/**
 * What the functions of a script take and what it gives to those it calls (arguments.ts), as the one walk over its tree sees it;
 * script-argument-facts.ts puts it together.
 */
import type { CallGives } from "../known/arguments.ts";
import type { ArgumentsSeen } from "./script-callees.ts";
import { bare, keyOf, literalOf, type Node, nameOf, nodeAt, nodesAt, requiredBy } from "./script-node.ts";
import { takenBy } from "./script-references.ts";
import { isFunction, type Parts, partsOf, takeAsked, variableParts } from "./script-takes.ts";

/** Calls looked at in one file; bundles have more, and nobody calls into those. */
const MAX_SEEN = 5000;

export const noArguments = ({ isTyped }: { readonly isTyped: boolean }): ArgumentsSeen => ({
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
    case "PropertyDefinition":
      if (node.static !== true) takeField(`this.${keyOf(node, "key")}`, node, nodeAt(node, "value"), seen);
      return;
    case "FunctionDeclaration":
    case "FunctionExpression":
    case "ArrowFunctionExpression":
      takeFunction(node, parent, seen);
      return;
    default:
      return;
  }
}

function takeFunction(node: Node, parent: Node | null, seen: ArgumentsSeen): void {
  if (node.type === "FunctionDeclaration") declare(nameOf(nodeAt(node, "id")), [["", node]], 1, seen);
  const hasThis = node.type !== "ArrowFunctionExpression" && parent?.type !== "MethodDefinition";
  if (hasThis) seen.plain.push(node);
  // Only types say what a parameter is.
  if (seen.asked === null) for (const param of nodesAt(node, "params")) takeTyped(param, seen);
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

function takeMemberCall(callee: Node, gives: CallGives, at: number, { calls }: ArgumentsSeen): void {
  const member = keyOf(callee, "property");
  const object = calleeOf(nodeAt(callee, "object"));
  if (member === null || !object) return;
  const specifier = requiredBy(object);
  const root = object.type === "ThisExpression" ? "this" : (fieldOf(object) ?? nameOf(object));
  if (specifier !== null || root !== null) calls.push({ root, member, specifier, gives, at });
}

/** `this.a`, as fields are called here. */
function fieldOf(node: Node | null): string | null {
  const isField = node?.type === "MemberExpression" && nodeAt(node, "object")?.type === "ThisExpression";
  const key = isField ? keyOf(node, "property") : null;
  return key === null ? null : `this.${key}`;
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

export function takeImport(node: Node, { bound }: ArgumentsSeen): void {
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

export function takeVariable(node: Node, seen: ArgumentsSeen): void {
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
  const own = nameOf(inner);
  const [name, of] = [
    own !== null && pattern !== inner ? `this.${own}` : own,
    type?.type === "TSTypeReference" ? nameOf(nodeAt(type, "typeName")) : null,
  ];
  if (name !== null && of !== null) addInstance(name, of, seen);
}

/** A field is of what it is said to be, else of what is made for it; empty: of something else. */
function takeField(name: string, holder: Node, value: Node | null, seen: ArgumentsSeen): void {
  const annotation = nodeAt(holder, "typeAnnotation");
  const type = annotation && nodeAt(annotation, "typeAnnotation");
  const said = type?.type === "TSTypeReference" ? nameOf(nodeAt(type, "typeName")) : null;
  const made = bare(value)?.type === "NewExpression" ? nameOf(nodeAt(bare(value) as Node, "callee")) : null;
  if (annotation || value) addInstance(name, said ?? (annotation ? "" : (made ?? "")), seen);
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
  const field = fieldOf(left);
  // What a typed field is given does not say what it is.
  if (field !== null && seen.asked) takeField(field, node, value, seen);
  const key = left?.type === "MemberExpression" ? keyOf(left, "property") : null;
  const object = left && bare(nodeAt(left, "object"));
  if (key === null || !object || !value || !isFunction(value)) return;
  const isMethod = object.type === "MemberExpression" && keyOf(object, "property") === "prototype";
  const root = nameOf(isMethod ? bare(nodeAt(object, "object")) : object);
  if (root === null) return;
  pushTo(seen.added, `${root}${isMethod ? "#" : "."}${key}`, value);
}
