/**
 * Puts one thing into another program's JSON (comments and trailing commas allowed) or takes one out, and leaves every other byte as
 * it was: order, comments, indentation, line ends, byte order mark. Taking out what was put in gives the very same bytes. Pure.
 */
import type { Json } from "../model/json.ts";
import { type JsonNode, readJsonTree } from "./json-tree.ts";

type Container = Extract<JsonNode, { kind: "object" | "array" }>;

/** An indentation that is longer is no style: nothing is lined up with it, or each of our lines would be as long (T5). */
const MAX_INDENT = 200;
const NEWLINE = /\r?\n/;

/** Behind everything that is in the container. `key`: null in a list. */
export function insertJson(text: string, into: Container, key: string | null, value: Json): string {
  const style = styleOf(text);
  const close = into.end - 1;
  const last = endsOf(into).at(-1) ?? null;
  // Behind the comments of the last one, before the blanks in front of the bracket.
  const at = into.start + 1 + text.slice(into.start + 1, close).trimEnd().length;
  const comma = last === null ? null : commaBetween(text, last.end, close);
  const isOnLines = NEWLINE.test(text.slice(into.start, into.end)) || (last === null && style.isOnLines);
  const indent = isOnLines ? indentIn(text, into, style.unit) : null;
  const blank = indent !== null || /[:,] /.test(text) ? " " : "";
  const name = key === null ? "" : `${JSON.stringify(key)}:${blank}`;
  const fragment = `${name}${written(value, indent, style)}`;
  const lead = indent !== null ? style.newline + indent : last === null ? "" : blank;
  const trail = comma === null ? "" : ",";
  const isClosed = indent === null || NEWLINE.test(text.slice(at, close));
  const closing = isClosed ? "" : style.newline + lineIndent(text, into.start);
  const inserted = `${text.slice(0, at)}${lead}${fragment}${trail}${closing}${text.slice(at)}`;
  if (last === null || comma !== null) return inserted;
  return `${inserted.slice(0, last.end)},${inserted.slice(last.end)}`;
}

/** Takes the member or item of this number out, with the comma and the blanks that came with it. */
export function removeJson(text: string, from: Container, at: number): string {
  const parts = endsOf(from);
  const [part, before] = [parts[at], parts[at - 1]];
  if (part === undefined) return text;
  const close = from.end - 1;
  const next = parts[at + 1];
  const comma = commaBetween(text, part.end, next?.start ?? close);
  const start = from.start + 1 + text.slice(from.start + 1, part.start).trimEnd().length;
  const behind = comma === null ? part.end : comma + 1;
  const kept = comma === null ? "" : text.slice(part.end, comma).trim();
  const rest = text.slice(behind);
  const head = text.slice(0, start);
  if (before === undefined && next === undefined) return emptied(head, kept, rest, text[close] as string);
  if (comma !== null || before === undefined) return `${head}${kept}${rest}`;
  const own = commaBetween(text, before.end, part.start) ?? before.end;
  return `${text.slice(0, own)}${text.slice(own + 1, start)}${rest}`;
}

/** Brackets with nothing but blanks between them are written together. */
function emptied(head: string, kept: string, rest: string, close: string): string {
  const blanks = rest.slice(0, rest.indexOf(close));
  const isBare = kept === "" && blanks.trim() === "" && /[[{]$/.test(head);
  return isBare ? `${head}${rest.slice(blanks.length)}` : `${head}${kept}${rest}`;
}

/** From the name on, where there is one. */
const endsOf = (node: Container): readonly { readonly start: number; readonly end: number }[] =>
  node.kind === "object"
    ? node.members.map(({ keyStart, value }) => ({ start: keyStart, end: value.end }))
    : node.items.map(({ start, end }) => ({ start, end }));

const FILLING = /(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y;

/** Where the comma between two places is; null: there is none. Comments may have some. */
function commaBetween(text: string, from: number, to: number): number | null {
  FILLING.lastIndex = from;
  const at = from + (FILLING.exec(text)?.[0].length ?? 0);
  return at < to && text[at] === "," ? at : null;
}

interface JsonTextStyle {
  readonly unit: string;
  readonly newline: string;
  /** Not all on one line. */
  readonly isOnLines: boolean;
}

function styleOf(text: string): JsonTextStyle {
  const found = /[{[][^\S\n]*(?:\/\/[^\n]*)?\r?\n([ \t]+)\S/.exec(text)?.[1] ?? "";
  const unit = bounded(found) || "  ";
  const isOnLines = NEWLINE.test(text.trim()) || isBareText(text);
  return { unit, newline: text.includes("\r\n") ? "\r\n" : "\n", isOnLines };
}

/** As the first of its members stands, where that has a line of its own. */
function indentIn(text: string, into: Container, unit: string): string {
  const first = endsOf(into)[0];
  const own = first === undefined ? null : /\n([ \t]*)$/.exec(text.slice(into.start, first.start));
  return own === null ? lineIndent(text, into.start) + unit : bounded(own[1] ?? "");
}

const lineIndent = (text: string, at: number): string =>
  bounded(/^[ \t]*/.exec(text.slice(text.lastIndexOf("\n", at - 1) + 1, at))?.[0] ?? "");

const bounded = (indent: string): string => (indent.length > MAX_INDENT ? "" : indent);

/** Nothing is in it: blanks, or an empty object between them. */
export function isBareText(text: string): boolean {
  const inside = text.trim();
  return (
    inside === "" || (inside.startsWith("{") && inside.endsWith("}") && inside.slice(1, -1).trim() === "")
  );
}

function written(value: Json, indent: string | null, { unit, newline }: JsonTextStyle): string {
  if (indent === null) return JSON.stringify(value);
  return JSON.stringify(value, null, unit).replaceAll("\n", newline + indent);
}

/** The tree of a text that is a whole object; else where it is broken and how. A text of blanks only is an empty object. */
export type ReadObject =
  | {
      readonly kind: "object";
      readonly text: string;
      readonly root: Extract<JsonNode, { kind: "object" }>;
    }
  | { readonly kind: "broken"; readonly at: number; readonly why: string };

export function readObject(text: string): ReadObject {
  const shown = text.trim() === "" ? `${text.startsWith("\uFEFF") ? "\uFEFF" : ""}{}\n` : text;
  const tree = readJsonTree(shown, { comments: true });
  if (tree.kind === "broken") return { kind: "broken", at: tree.at, why: tree.why };
  if (tree.root.kind === "object") return { kind: "object", text: shown, root: tree.root };
  return { kind: "broken", at: tree.root.start, why: "it is not an object" };
}
