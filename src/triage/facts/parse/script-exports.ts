/** What a script gives: `export`, and the ways of CommonJS that can be read off. */
import { bare, keyOf, literalOf, type Node, nameOf, nodeAt, nodesAt, requiredBy } from "./script-node.ts";

export interface ScriptExports {
  readonly names: Set<string>;
  readonly stars: Set<string>;
  isKnown: boolean;
  /** Names only ever set to nothing: compiled code announces its exports so before it sets them. */
  readonly announced: Set<string>;
}

export const noExports = (): ScriptExports => ({
  names: new Set(),
  stars: new Set(),
  isKnown: true,
  announced: new Set(),
});

export function takeExports(node: Node, parent: Node | null, found: ScriptExports): void {
  switch (node.type) {
    case "ExportNamedDeclaration":
      takeNamed(node, found);
      return;
    case "ExportDefaultDeclaration":
      found.names.add("default");
      return;
    case "ExportAllDeclaration": {
      const name = exportedName(nodeAt(node, "exported"));
      if (name !== null) found.names.add(name);
      else found.stars.add(literalOf(nodeAt(node, "source")) ?? "");
      return;
    }
    case "TSExportAssignment":
      found.isKnown = false;
      return;
    case "AssignmentExpression":
      takeAssignment(node, found);
      // `var app = exports = module.exports = {}`: what is put on it later goes by another name.
      if (parent?.type === "VariableDeclarator" && isExportsChain(node)) found.isKnown = false;
      return;
    case "CallExpression":
      takeCall(node, found);
      return;
    case "Identifier":
      if (isHandedOut(node, parent)) found.isKnown = false;
      return;
    default:
      return;
  }
}

function takeNamed(node: Node, found: ScriptExports): void {
  for (const specifier of nodesAt(node, "specifiers")) {
    const name = exportedName(nodeAt(specifier, "exported"));
    if (name !== null) found.names.add(name);
  }
  const declaration = nodeAt(node, "declaration");
  if (!declaration) return;
  for (const name of declaredNames(declaration)) found.names.add(name);
}

const exportedName = (node: Node | null): string | null => nameOf(node) ?? literalOf(node);

export function declaredNames(declaration: Node): string[] {
  const id = nameOf(nodeAt(declaration, "id"));
  if (id !== null) return [id];
  return nodesAt(declaration, "declarations").flatMap((one) => patternNames(nodeAt(one, "id")));
}

export function patternNames(pattern: Node | null): string[] {
  if (!pattern) return [];
  const name = nameOf(pattern);
  if (name !== null) return [name];
  const inner = [nodeAt(pattern, "left"), nodeAt(pattern, "argument"), nodeAt(pattern, "value")];
  return [...inner, ...nodesAt(pattern, "elements"), ...nodesAt(pattern, "properties")].flatMap(patternNames);
}

/** `module.exports`, or `exports`. */
export function isExportsObject(node: Node | null): boolean {
  if (nameOf(node) === "exports") return true;
  return (
    node?.type === "MemberExpression" &&
    nameOf(nodeAt(node, "object")) === "module" &&
    keyOf(node, "property") === "exports"
  );
}

function isExportsChain(node: Node): boolean {
  const right = bare(nodeAt(node, "right"));
  if (isExportsObject(nodeAt(node, "left"))) return true;
  return right?.type === "AssignmentExpression" && isExportsChain(right);
}

function takeAssignment(node: Node, found: ScriptExports): void {
  const left = nodeAt(node, "left");
  let right = bare(nodeAt(node, "right"));
  while (right?.type === "AssignmentExpression") right = bare(nodeAt(right, "right"));
  if (left?.type === "MemberExpression" && isExportsObject(nodeAt(left, "object"))) {
    const name = keyOf(left, "property");
    if (name === null) found.isKnown = false;
    else if (isNothing(right)) found.announced.add(name);
    else found.names.add(name);
  } else if (isExportsObject(left)) takeWhole(right, found);
}

const isNothing = (node: Node | null): boolean =>
  (node?.type === "UnaryExpression" && node.operator === "void") || nameOf(node) === "undefined";

function takeWhole(right: Node | null, found: ScriptExports): void {
  found.names.add("default");
  const required = requiredBy(right);
  if (required !== null) found.stars.add(required);
  else if (right?.type !== "ObjectExpression") found.isKnown = found.isKnown && isExportsObject(right);
  else
    for (const property of nodesAt(right, "properties")) {
      const spread = property.type === "SpreadElement" ? requiredBy(nodeAt(property, "argument")) : null;
      const name = property.type === "SpreadElement" ? null : keyOf(property, "key");
      if (name !== null) found.names.add(name);
      else if (spread !== null) found.stars.add(spread);
      else found.isKnown = false;
    }
}

function takeCall(node: Node, found: ScriptExports): void {
  const [first, second] = nodesAt(node, "arguments");
  const callee = nodeAt(node, "callee");
  const method = callee && /MemberExpression$/.test(callee.type) ? keyOf(callee, "property") : null;
  if (method === "defineProperty" && isExportsObject(first ?? null)) {
    const name = literalOf(second ?? null);
    if (name === null) found.isKnown = false;
    else found.names.add(name);
  } else if (isExportsObject(second ?? null) && requiredBy(first ?? null) !== null)
    found.stars.add(requiredBy(first ?? null) ?? "");
  else if (nodesAt(node, "arguments").some(isExportsObject)) found.isKnown = false;
}

/** `exports` given to somebody, who may put anything on it. */
function isHandedOut(node: Node, parent: Node | null): boolean {
  if (nameOf(node) !== "exports" && nameOf(node) !== "module") return false;
  if (
    !parent ||
    /MemberExpression$|^(?:AssignmentExpression|UnaryExpression|CallExpression|Property)$/.test(parent.type)
  )
    return false;
  return true;
}
