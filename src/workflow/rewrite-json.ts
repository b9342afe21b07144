/**
 * Writes a changed value back into its text so that nothing else moves: what is equal keeps its very bytes,
 * names keep their order (JSON.stringify would put "3.5" behind "7"), and what is new takes the indentation and
 * line ends it finds. The same value gives back the same bytes.
 */
import { encodeJson, isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import { type JsonNode, jsonOf, readJsonTree } from "../text/json-tree.ts";

/** Gives names their place: a lower number stands earlier; null: at the end. */
export type Rank = (key: string) => number | null;

interface JsonStyle {
  readonly unit: string;
  readonly newline: string;
  readonly rank: Rank;
}

/** `text` must be whole JSON. */
export function rewriteJson(text: string, next: Json, rank: Rank): string {
  const tree = readJsonTree(text);
  if (tree.kind === "broken") return freshJson(next, rank);
  const { root } = tree;
  const style = styleOf(text, root, rank);
  return text.slice(0, root.start) + changed(text, root, next, "", style) + text.slice(root.end);
}

/** The whole text of a new document. */
export function freshJson(value: Json, rank: Rank): string {
  return `${fresh(value, "", { unit: "  ", newline: "\n", rank })}\n`;
}

function styleOf(text: string, root: JsonNode, rank: Rank): JsonStyle {
  const first = root.kind === "object" ? root.members[0] : undefined;
  const before = first ? text.slice(root.start + 1, first.keyStart) : "";
  const unit = /\n([ \t]+)$/.exec(before)?.[1] ?? "  ";
  return { unit, newline: text.includes("\r\n") ? "\r\n" : "\n", rank };
}

function changed(text: string, node: JsonNode, next: Json, indent: string, style: JsonStyle): string {
  if (isEqual(jsonOf(node), next)) return text.slice(node.start, node.end);
  if (node.kind === "object" && isJsonObject(next)) return changedObject(text, node, next, indent, style);
  if (node.kind === "array" && Array.isArray(next)) return changedArray(text, node, next, indent, style);
  return fresh(next, indent, style);
}

function changedObject(
  text: string,
  node: Extract<JsonNode, { kind: "object" }>,
  next: JsonObject,
  indent: string,
  style: JsonStyle,
): string {
  const isLast = (key: string, i: number): boolean =>
    node.members.findLastIndex((member) => member.key === key) === i;
  const kept = node.members.filter(({ key }, i) => ownOf(next, key) !== undefined && isLast(key, i));
  const inner = indent + style.unit;
  const parts = kept.map(({ key, keyStart, value }) => ({
    key,
    text: text.slice(keyStart, value.start) + changed(text, value, next[key] as Json, inner, style),
  }));
  const added = Object.keys(next).filter(
    (key) => ownOf(next, key) !== undefined && !kept.some((member) => member.key === key),
  );
  if (added.length === 0 && kept.length === node.members.length) {
    // Only values changed: whatever stands between the members stays.
    let from = node.start;
    let whole = "";
    for (const [i, member] of node.members.entries()) {
      whole += text.slice(from, member.keyStart) + (parts[i]?.text ?? "");
      from = member.value.end;
    }
    return whole + text.slice(from, node.end);
  }
  for (const key of ordered(added, style.rank)) {
    const one = `${JSON.stringify(key)}: ${fresh(next[key] as Json, inner, style)}`;
    parts.splice(placeFor(key, parts, style.rank), 0, { key, text: one });
  }
  return wrap(
    "{",
    parts.map((part) => part.text),
    "}",
    indent,
    style,
  );
}

function placeFor(key: string, parts: readonly { readonly key: string }[], rank: Rank): number {
  const own = rank(key);
  if (own === null) return parts.length;
  const at = parts.findIndex((part) => {
    const other = rank(part.key);
    return other !== null && other > own;
  });
  return at === -1 ? parts.length : at;
}

function changedArray(
  text: string,
  node: Extract<JsonNode, { kind: "array" }>,
  next: readonly Json[],
  indent: string,
  style: JsonStyle,
): string {
  const inner = indent + style.unit;
  const items = next.map((item, i) => {
    const old = node.items[i];
    return old ? changed(text, old, item, inner, style) : fresh(item, inner, style);
  });
  const first = node.items[0];
  const isInline = first !== undefined && !text.slice(node.start, first.start).includes("\n");
  return isInline && items.length > 0 ? `[${items.join(", ")}]` : wrap("[", items, "]", indent, style);
}

function fresh(value: Json, indent: string, style: JsonStyle): string {
  const inner = indent + style.unit;
  if (Array.isArray(value)) {
    const items = (value as readonly Json[]).map((item) => fresh(item, inner, style));
    return wrap("[", items, "]", indent, style);
  }
  if (!isJsonObject(value)) return encodeJson(value);
  const keys = ordered(
    Object.keys(value).filter((key) => value[key] !== undefined),
    style.rank,
  );
  const members = keys.map((key) => `${JSON.stringify(key)}: ${fresh(value[key] as Json, inner, style)}`);
  return wrap("{", members, "}", indent, style);
}

function wrap(
  open: string,
  parts: readonly string[],
  close: string,
  indent: string,
  style: JsonStyle,
): string {
  if (parts.length === 0) return open + close;
  const line = style.newline + indent;
  return `${open}${line}${style.unit}${parts.join(`,${line}${style.unit}`)}${line}${close}`;
}

/** Ranked names by rank, the others behind them as they come. */
function ordered(keys: readonly string[], rank: Rank): string[] {
  const at = (key: string): number => rank(key) ?? Number.POSITIVE_INFINITY;
  return keys.toSorted((a, b) => (at(a) === at(b) ? 0 : at(a) - at(b)));
}

export function isEqual(a: Json | undefined, b: Json | undefined): boolean {
  if (Object.is(a, b)) return true;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, i) => isEqual(item, b[i] as Json));
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].every((key) => isEqual(ownOf(a, key), ownOf(b, key)));
}

const ownOf = (object: JsonObject, key: string): Json | undefined =>
  Object.hasOwn(object, key) ? object[key] : undefined;
