/**
 * One table of ours in another program's TOML: put at its end, found again by its header, everything else left byte for byte. What
 * comes out is read again and must say what it said before, but for the table; else it is not done. Pure.
 */
import { isDeepStrictEqual } from "node:util";
import { parse, TomlError } from "smol-toml";
import { lineOf } from "./json-tree.ts";

export type TomlEdit =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "broken"; readonly line: number; readonly why: string };

type TomlTable = Readonly<Record<string, unknown>>;
export type TomlValues = Readonly<Record<string, string | readonly string[]>>;

/** `name`: from the top, of bare words. The same values again give back the same text. */
export function putTable(text: string, name: readonly string[], values: TomlValues): TomlEdit {
  const before = tableOf(text);
  if (before.kind === "broken") return before;
  if (isDeepStrictEqual(inside(before.table, name), plain(values))) return { kind: "text", text };
  const without = cut(text, name);
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const lines = [
    `[${name.join(".")}]`,
    ...Object.entries(values).map(([key, value]) => `${key} = ${JSON.stringify(value)}`),
  ];
  const gap = without === "" || without === "\uFEFF" ? "" : /\n$/.test(without) ? newline : newline + newline;
  const after = `${without}${gap}${lines.join(newline)}${newline}`;
  return checked(text, after, name, plain(values), before.table);
}

export function takeTable(text: string, name: readonly string[]): TomlEdit {
  const before = tableOf(text);
  if (before.kind === "broken") return before;
  if (inside(before.table, name) === undefined) return { kind: "text", text };
  return checked(text, cut(text, name), name, undefined, before.table);
}

/** What the table holds; undefined: there is none, or the text is no TOML. */
export function tomlTable(text: string, name: readonly string[]): unknown {
  const read = tableOf(text);
  return read.kind === "broken" ? undefined : inside(read.table, name);
}

/** From the header to the next one, with the one empty line in front of it; what stands before the next one is the next one's. */
function cut(text: string, name: readonly string[]): string {
  const lines = text.split(/(?<=\n)/);
  const header = `[${name.join(".")}]`;
  const from = lines.findIndex((line) => line.trim().startsWith(header));
  if (from === -1) return text;
  const next = lines.findIndex((line, at) => at > from && line.trimStart().startsWith("["));
  let end = next === -1 ? lines.length : next;
  while (end > from + 1 && /^\s*(?:#.*)?\s*$/.test(lines[end - 1] ?? "")) end -= 1;
  const start = /^\r?\n$/.test(lines[from - 1] ?? "") ? from - 1 : from;
  return [...lines.slice(0, start), ...lines.slice(end)].join("");
}

function checked(
  text: string,
  after: string,
  name: readonly string[],
  ours: unknown,
  before: TomlTable,
): TomlEdit {
  const read = tableOf(after);
  const isSo =
    read.kind === "table" &&
    isDeepStrictEqual(inside(read.table, name), ours) &&
    isDeepStrictEqual(without(read.table, name), without(before, name));
  if (isSo) return { kind: "text", text: after };
  const at = Math.max(text.search(new RegExp(`^\\s*\\[?${name[0]}\\b`, "m")), 0);
  const why = `${name.join(".")} stands in it in a way that cannot be changed alone`;
  return { kind: "broken", line: lineOf(text, at).line, why };
}

function tableOf(
  text: string,
): { readonly kind: "table"; readonly table: TomlTable } | Extract<TomlEdit, { kind: "broken" }> {
  try {
    return { kind: "table", table: parse(text.replace(/^\uFEFF/, "")) };
  } catch (thrown) {
    if (!(thrown instanceof TomlError)) throw thrown;
    const [why = "it is no TOML"] = thrown.message.split("\n");
    return { kind: "broken", line: thrown.line, why: why.replace(/^Invalid TOML document: /, "") };
  }
}

/** As a parser hands it out: no prototype of ours. */
const plain = (values: TomlValues): unknown => inside(parse(toToml(values)), []);
const toToml = (values: TomlValues): string =>
  Object.entries(values)
    .map(([key, value]) => `${key} = ${JSON.stringify(value)}`)
    .join("\n");

function inside(table: TomlTable, name: readonly string[]): unknown {
  let found: unknown = table;
  for (const key of name) {
    if (found === null || typeof found !== "object") return undefined;
    found = (found as TomlTable)[key];
  }
  return found;
}

/** The same without the table, and without what held nothing but it. */
function without(table: TomlTable, [key = "", ...rest]: readonly string[]): TomlTable {
  const { [key]: held, ...others } = table;
  if (held === null || typeof held !== "object" || rest.length === 0) return others;
  const left = without(held as TomlTable, rest);
  return Object.keys(left).length === 0 ? others : { ...others, [key]: left };
}
