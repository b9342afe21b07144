/** What a script reads of a name: `x.a`, `x["a"]`, `const { a } = x`. */
import { bare, keyOf, type Node, nameOf, nodeAt, nodesAt } from "./script-node.ts";

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
