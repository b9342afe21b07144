/** Bodies that only pretend, and how large the others are. */
import { takeSize } from "../known/file-facts.ts";
import { keyOf, literalOf, type Node, nameOf, nodeAt, nodesAt } from "./script-node.ts";

/** What people and models write where the work is still to be done. */
export const NOT_DONE =
  /not[\s_-]*(?:yet[\s_-]*)?implemented|unimplemented|to[\s_-]*be[\s_-]*implemented|\btodo\b|\bstub\b|placeholder/i;
const FUNCTIONS: ReadonlySet<string> = new Set([
  "FunctionDeclaration",
  "FunctionExpression",
  "ArrowFunctionExpression",
]);
/** Names that say: does nothing, on purpose. */
const EMPTY_ON_PURPOSE = /noop|no_op|nop|empty|ignore|dummy|void|default|stub|^_|^on[A-Z]|constructor/i;
/** Bodies shorter than this are not followed. */
const MIN_BODY_CHARS = 120;
/** A file has this many functions at most that are followed; bundles have more. */
const MAX_BODIES = 2000;

export interface Bodies {
  readonly stubs: { readonly at: number; readonly what: string }[];
  readonly sizes: Map<string, number>;
  count: number;
  functions: number;
  hollow: number;
  hollowTaking: number;
}

export function takeBody(node: Node, parent: Node | null, grandparentType: string, found: Bodies): void {
  if (!FUNCTIONS.has(node.type)) return;
  const body = nodeAt(node, "body");
  if (body?.type !== "BlockStatement") return;
  found.functions++;
  const name = functionName(node, parent);
  const statements = nodesAt(body, "body");
  if (name !== null && found.count < MAX_BODIES) {
    const size = body.end - body.start;
    if (size >= MIN_BODY_CHARS || statements.length <= 1) {
      takeSize(found.sizes, name, size);
      found.count++;
    }
  }
  const [only, more] = statements;
  const isEmpty = !more && (!only || (only.type === "ReturnStatement" && isHollow(nodeAt(only, "argument"))));
  if (isEmpty) addHollow(node, found);
  const what =
    isEmpty && isCalledHere(node, parent) ? CALLED_EMPTY : stubOf(node, statements, name, grandparentType);
  if (what !== null) found.stubs.push({ at: node.start, what });
}

const CALLED_EMPTY = "a function that is called where it stands does nothing";
const isCalledHere = (node: Node, parent: Node | null): boolean =>
  parent?.type === "CallExpression" &&
  nodeAt(parent, "callee") === node &&
  nodesAt(parent, "arguments").length === 0;

function addHollow(node: Node, found: Bodies): void {
  found.hollow++;
  if (nodesAt(node, "params").length > 0) found.hollowTaking++;
}

function stubOf(node: Node, statements: readonly Node[], name: string | null, holder: string): string | null {
  const [only, more] = statements;
  const shown = name ?? "a function";
  if (only?.type === "ThrowStatement" && !more) {
    const thrown = nodeAt(only, "argument");
    const [message] = thrown ? nodesAt(thrown, "arguments") : [];
    const text = literalOf(message ?? null);
    if (text !== null && NOT_DONE.test(text)) return `${shown} only throws "${text.slice(0, 60)}"`;
  }
  const isNamed = node.type === "FunctionDeclaration" || holder === "ClassBody" || holder === "set";
  const takes = nodesAt(node, "params").length;
  if (isNamed && name !== null && takes > 0 && !EMPTY_ON_PURPOSE.test(name)) {
    if (!only) return `${shown} takes ${takes} and does nothing`;
    if (!more && only.type === "ReturnStatement" && isHollow(nodeAt(only, "argument")))
      return `${shown} takes ${takes} and only returns nothing`;
  }
  return null;
}

/** Nothing, null, {}, []: what a stub returns. `true`, `false` and numbers are answers. */
function isHollow(node: Node | null): boolean {
  if (!node || nameOf(node) === "undefined") return true;
  if (node.type === "Literal") return node.value === null && node.raw === "null";
  if (node.type === "ObjectExpression") return nodesAt(node, "properties").length === 0;
  return node.type === "ArrayExpression" && nodesAt(node, "elements").length === 0;
}

function functionName(node: Node, parent: Node | null): string | null {
  const own = nameOf(nodeAt(node, "id"));
  if (own !== null || !parent) return own;
  if (parent.type === "VariableDeclarator") return nameOf(nodeAt(parent, "id"));
  if (parent.type === "AssignmentExpression") {
    const left = nodeAt(parent, "left");
    return left && /MemberExpression$/.test(left.type) ? keyOf(left, "property") : nameOf(left);
  }
  return nodeAt(parent, "key") ? keyOf(parent, "key") : null;
}
