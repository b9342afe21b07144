/**
 * The names of a script: declared anywhere, used anywhere, declared at the top. By name and not by scope: a name that
 * is declared somewhere in the file is never called undefined, one that is used somewhere never unused. So it errs
 * towards saying nothing.
 */
import {
  isNode,
  type MemberRead,
  memberRead,
  type Node,
  nameOf,
  nodeAt,
  nodesAt,
  takenOut,
} from "./script-node.ts";
import { FUNCTION, NAMED, type Shape, shapeOf, TYPE_FIELDS } from "./script-shape.ts";

export interface ScriptNames {
  readonly declared: Map<string, number>;
  readonly used: Map<string, number>;
  /** Where in the text a name is used first. */
  readonly firstUses: Map<string, number>;
  /** Used where a value is needed, and not only asked whether it is there (`typeof x`). */
  readonly needed: Set<string>;
  /** Members read of a plain name, by name alone: script-scopes.ts tells apart names that are declared twice. */
  readonly members: Map<string, Set<string>>;
  hasJsx: boolean;
}

export interface VisitedNode {
  readonly node: Node;
  readonly parent: Node | null;
  readonly isOptional: boolean;
}

type NameUse = "value" | "type" | "asked";

interface NameVisit extends VisitedNode {
  readonly place: NameUse;
}

export function collectNames(program: Node, visit: (visited: VisitedNode) => void): ScriptNames {
  const names: ScriptNames = {
    declared: new Map(),
    used: new Map(),
    firstUses: new Map(),
    needed: new Set(),
    members: new Map(),
    hasJsx: false,
  };
  // A stack of our own: generated code nests deeper than the engine's.
  const stack: NameVisit[] = [{ node: program, parent: null, isOptional: false, place: "value" }];
  for (let todo = stack.pop(); todo; todo = stack.pop()) {
    visit(todo);
    takeNode(todo, names, stack);
  }
  return names;
}

function takeNode(todo: NameVisit, names: ScriptNames, stack: NameVisit[]): void {
  const { node, parent, isOptional } = todo;
  const shape = shapeOf(node.type);
  if (shape.isName) {
    use(todo, names);
    return;
  }
  if (shape.isJsx) names.hasJsx = true;
  if (shape.declares)
    declareIn(node, names, (value) => stack.push({ node: value, parent: node, isOptional, place: "value" }));
  const skipped = skippedFields(node, shape);
  const inner = placeIn(node, shape, todo.place);
  for (const field in node) {
    const value = node[field];
    if (typeof value !== "object" || value === null || skipped.includes(field)) continue;
    const isTried = isOptional || (shape.isTry && field === "block");
    const place = TYPE_FIELDS.has(field) ? "type" : inner;
    if (!Array.isArray(value)) {
      if (isNode(value)) stack.push({ node: value, parent: node, isOptional: isTried, place });
      continue;
    }
    for (const item of value)
      if (isNode(item)) stack.push({ node: item, parent: node, isOptional: isTried, place });
  }
  if (shape.isMember) note(memberRead(node, parent), names);
  if (shape.isBinding) for (const taken of takenOut(node)) note(taken, names);
}

function note(read: MemberRead | null, { members }: ScriptNames): void {
  if (read) members.set(read.object, (members.get(read.object) ?? new Set()).add(read.member));
}

function placeIn(node: Node, { isTypeNode }: Shape, place: NameUse): NameUse {
  if (node.type === "UnaryExpression" && node.operator === "typeof") return "asked";
  return isTypeNode ? "type" : place;
}

function skippedFields(node: Node, shape: Shape): readonly string[] {
  if (shape.isKeyed && node.computed !== true) return shape.skippedWithKey;
  if (shape.isMember && node.computed !== true) return shape.skippedWithProperty;
  if (node.type === "ExportNamedDeclaration" && nodeAt(node, "source")) return REEXPORT_SKIPPED;
  return shape.skipped;
}

const REEXPORT_SKIPPED = ["specifiers", "source"];

function declareIn(node: Node, names: ScriptNames, later: (value: Node) => void): void {
  if (node.type === "VariableDeclarator" || NAMED.test(node.type)) declare(nodeAt(node, "id"), names, later);
  if (FUNCTION.test(node.type)) for (const param of nodesAt(node, "params")) declare(param, names, later);
  if (node.type === "CatchClause") declare(nodeAt(node, "param"), names, later);
  if (node.type === "TSTypeParameter") declare(nodeAt(node, "name"), names, later);
  if (node.type === "TSMappedType") declare(nodeAt(node, "key"), names, later);
  if (node.type === "TSEnumMember") declare(nodeAt(node, "id"), names, later);
  if (node.type === "ImportDeclaration")
    for (const specifier of nodesAt(node, "specifiers")) declare(nodeAt(specifier, "local"), names, later);
  if (node.type === "ExportSpecifier") {
    // Handed on from another file it is not reached (REEXPORT_SKIPPED): what is given here must be declared here, a type or a value.
    const local = nameOf(nodeAt(node, "local"));
    if (local === null) return;
    names.needed.add(local);
    useName(local, names);
  }
}

/** Every name a pattern declares; default values and computed keys are left for later. */
function declare(pattern: Node | null, names: ScriptNames, later: (value: Node) => void): void {
  if (!pattern) return;
  const annotation = nodeAt(pattern, "typeAnnotation");
  if (annotation) later(annotation);
  const name = nameOf(pattern);
  if (name !== null) names.declared.set(name, (names.declared.get(name) ?? 0) + 1);
  else if (pattern.type === "AssignmentPattern") {
    declare(nodeAt(pattern, "left"), names, later);
    const value = nodeAt(pattern, "right");
    if (value) later(value);
  } else if (pattern.type === "RestElement") declare(nodeAt(pattern, "argument"), names, later);
  else if (pattern.type === "TSParameterProperty") declare(nodeAt(pattern, "parameter"), names, later);
  else if (pattern.type === "ArrayPattern")
    for (const item of nodesAt(pattern, "elements")) declare(item, names, later);
  else if (pattern.type === "ObjectPattern") {
    for (const property of nodesAt(pattern, "properties")) {
      const key = nodeAt(property, "key");
      if (property.computed === true && key) later(key);
      declare(property.type === "RestElement" ? property : nodeAt(property, "value"), names, later);
    }
  }
}

function use({ node, parent, place }: NameVisit, names: ScriptNames): void {
  const name = nameOf(node);
  if (name === null) return;
  // <div> is no name of the file; <Panel> is.
  if (node.type === "JSXIdentifier" && parent?.type !== "JSXMemberExpression" && /^[a-z]/.test(name)) return;
  if (place === "value") names.needed.add(name);
  useName(name, names);
  names.firstUses.set(name, Math.min(names.firstUses.get(name) ?? node.start, node.start));
}

function useName(name: string, names: ScriptNames): void {
  names.used.set(name, (names.used.get(name) ?? 0) + 1);
}
