/** The tree of a script, as loosely as a walk over it needs; and what it reads of a name. */
export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

export const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string";

export const nodeAt = (node: Node, field: string): Node | null => {
  const value = node[field];
  return isNode(value) ? value : null;
};

export const nodesAt = (node: Node, field: string): Node[] => {
  const value = node[field];
  return Array.isArray(value) ? value.filter(isNode) : [];
};

export const nameOf = (node: Node | null): string | null =>
  node && (node.type === "Identifier" || node.type === "JSXIdentifier") && typeof node.name === "string"
    ? node.name
    : null;

/** The text of a string literal, or of a template without holes. */
export function literalOf(node: Node | null): string | null {
  if (node?.type === "Literal" && typeof node.value === "string") return node.value;
  if (node?.type === "TemplateLiteral" && nodesAt(node, "expressions").length === 0) {
    const value = nodesAt(node, "quasis")[0]?.value;
    const cooked = (value as { cooked?: unknown } | undefined)?.cooked;
    return typeof cooked === "string" ? cooked : null;
  }
  return null;
}

/** `a` of `x.a` and of `x["a"]`; of a key `a:` and `"a":`. */
export function keyOf(node: Node, field: string): string | null {
  const key = nodeAt(node, field);
  if (node.computed !== true && nameOf(key) !== null) return nameOf(key);
  return literalOf(key);
}

/** `require("x")` with a fixed text. */
export function requiredBy(node: Node | null): string | null {
  if (node?.type !== "CallExpression" || nameOf(nodeAt(node, "callee")) !== "require") return null;
  const [argument, more] = nodesAt(node, "arguments");
  return argument && !more ? literalOf(argument) : null;
}

const AROUND: ReadonlySet<string> = new Set([
  "ParenthesizedExpression",
  "TSAsExpression",
  "TSNonNullExpression",
  "TSSatisfiesExpression",
]);

/** Parentheses, `as`, `!` and `satisfies` around an expression mean nothing here. */
export function bare(node: Node | null): Node | null {
  let at = node;
  while (at && AROUND.has(at.type)) at = nodeAt(at, "expression");
  return at;
}

/** What a script reads of a name: `x.a`, `x["a"]`, `const { a } = x`. */
export interface MemberRead {
  readonly object: string;
  readonly member: string;
}

/** Null: not a member of a plain name, only written, or only asked whether it is there. */
export function memberRead(node: Node, parent: Node | null): MemberRead | null {
  const isQualified = node.type === "TSQualifiedName";
  if (!isQualified && !/MemberExpression$/.test(node.type)) return null;
  const object = nameOf(bare(nodeAt(node, isQualified ? "left" : "object")));
  const member = isQualified ? nameOf(nodeAt(node, "right")) : keyOf(node, "property");
  const isWritten = parent?.type === "AssignmentExpression" && parent.left === node;
  if (object === null || member === null || isWritten || isAsked(node, parent)) return null;
  return { object, member };
}

/** `x.a || b` asks; `b || x.a` needs it. */
function isAsked(node: Node, parent: Node | null): boolean {
  if (node.optional === true) return true;
  if (parent?.type === "LogicalExpression") return parent.left === node;
  return parent?.type === "UnaryExpression";
}

/** `const { a, b: c } = x`; with a default it may be missing on purpose. */
export function takenOut(node: Node): MemberRead[] {
  const [pattern, value] =
    node.type === "VariableDeclarator"
      ? [nodeAt(node, "id"), nodeAt(node, "init")]
      : node.type === "AssignmentExpression"
        ? [nodeAt(node, "left"), nodeAt(node, "right")]
        : [null, null];
  const object = nameOf(bare(value));
  return object === null ? [] : patternKeys(pattern).map((member) => ({ object, member }));
}

/** The keys a pattern takes out of an object and cannot do without. */
export function patternKeys(pattern: Node | null): string[] {
  if (pattern?.type !== "ObjectPattern") return [];
  return nodesAt(pattern, "properties").flatMap((property) => {
    if (property.type === "RestElement" || nodeAt(property, "value")?.type === "AssignmentPattern") return [];
    return keyOf(property, "key") ?? [];
  });
}
