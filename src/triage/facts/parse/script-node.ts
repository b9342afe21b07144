/** The tree of a script, as loosely as a walk over it needs. */
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
