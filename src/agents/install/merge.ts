/**
 * Our entries in the text of a file that is another program's: put in, and taken out again, with every other byte left as it was. What is
 * ours is told by what it calls, wherever it stands and whichever refloat wrote it. Pure.
 */
import { isDeepStrictEqual } from "node:util";
import { isJsonObject, type Json } from "../../model/json.ts";
import { insertJson, readObject, removeJson } from "../../text/edit-json.ts";
import { putTable, takeTable, tomlTable } from "../../text/edit-toml.ts";
import { type JsonDialect, type JsonNode, jsonOf, lineOf, readJsonTree } from "../../text/json-tree.ts";
import type { HookEntry, InstallForm, MemberEntry, SettingsSyntax } from "../words/install.ts";
import { hasOwnMark, putBlock, takeBlock } from "./own-marks.ts";

/** `text`: as it is to be; the same text: nothing to do. */
export type MergedText =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "refused"; readonly line: number | null; readonly why: string };

type FormKind = InstallForm["kind"];
type Container = Extract<JsonNode, { kind: "object" | "array" }>;

/** Where servers of ours stand, in the words of the agents. */
const SERVER_PLACES = [["mcpServers"], ["mcp"]] as const;
const SERVER_TABLE = ["mcp_servers", "refloat"] as const;
const OWN_KEY = "refloat";
/** Our recorder as a shell starts it, by whatever path. */
const RECORDER = /refloat-hook["']?\s+[a-z]/;

/** `text`: null: there is no file yet. */
export function putEntries(form: InstallForm, text: string | null): MergedText {
  switch (form.kind) {
    case "json":
      return refusedSyntax(form.syntax, text) ?? putJson(text ?? "", form.hooks, form.members);
    case "toml":
      return toml(putTable(text ?? "", form.table, form.values));
    case "own":
      if (text === null || hasOwnMark(text)) return { kind: "text", text: form.text };
      return { kind: "refused", line: null, why: "another file has that name" };
    case "block":
      return { kind: "text", text: putBlock(text ?? "", form.lines) };
  }
}

/**
 * Everything of ours out of it. `original`: the text before ours came, where it is known: what was empty in it stays. A file of ours alone
 * comes back as null: it goes.
 */
export function takeEntries(
  kind: FormKind,
  text: string,
  original: string | null,
): MergedText | { readonly kind: "gone" } {
  switch (kind) {
    case "json":
      return takeJson(text, original);
    case "toml":
      return isOurServer(tomlTable(text, SERVER_TABLE))
        ? toml(takeTable(text, SERVER_TABLE))
        : { kind: "text", text };
    case "own":
      return hasOwnMark(text) ? { kind: "gone" } : { kind: "text", text };
    case "block":
      return { kind: "text", text: takeBlock(text) };
  }
}

const toml = (edit: ReturnType<typeof putTable>): MergedText =>
  edit.kind === "text" ? edit : { kind: "refused", line: edit.line, why: edit.why };

/** A file that its agent would not read takes no hook of ours: saying that it is done would be a lie. */
function refusedSyntax(syntax: SettingsSyntax, text: string | null): MergedText | null {
  if (text === null || readObject(text).kind === "broken") return null;
  if (text.replace("\uFEFF", "").trim() === "") return null;
  const { dialect, why } = READ_BY[syntax];
  const read = readJsonTree(text, dialect);
  return read.kind === "whole" ? null : { kind: "refused", ...lineAt(text, read.at), why };
}

const READ_BY: Readonly<Record<SettingsSyntax, { readonly dialect: JsonDialect; readonly why: string }>> = {
  strict: { dialect: {}, why: "a comment or a comma too many: with it the agent ignores the whole file" },
  comments: {
    dialect: { comments: true, commas: false },
    why: "a comma before the end of a list: with it the agent does not start",
  },
  "comments-and-commas": { dialect: { comments: true }, why: "it is no JSON" },
};

function putJson(text: string, hooks: readonly HookEntry[], members: readonly MemberEntry[]): MergedText {
  let now = text;
  for (const { event, group } of hooks) {
    const put = putAt(now, ["hooks", event], "array", (list, at) => {
      const ours = at.kind === "array" ? at.items.map(jsonOf).filter(isOurGroup) : [];
      if (ours.length === 1 && isDeepStrictEqual(ours[0], group)) return list;
      const without = withoutGroups(list, event);
      return insertInto(without, ["hooks", event], null, group);
    });
    if (put.kind === "refused") return put;
    now = put.text;
  }
  for (const { at, key, value } of members) {
    const put = putAt(now, at, "object", (list, object) => {
      const index = object.kind === "object" ? object.members.findLastIndex((one) => one.key === key) : -1;
      const there = object.kind === "object" ? object.members[index] : undefined;
      if (there === undefined) return insertInto(list, at, key, value);
      if (isDeepStrictEqual(jsonOf(there.value), value)) return list;
      if (!isOurServer(jsonOf(there.value))) return list;
      return insertInto(removeJson(list, object as Container, index), at, key, value);
    });
    if (put.kind === "refused") return put;
    now = put.text;
  }
  return { kind: "text", text: now };
}

type TextChange = (text: string, at: JsonNode) => string;

/** Makes the containers on the way where they are missing; refused where something else has their name. */
function putAt(
  text: string,
  path: readonly string[],
  last: Container["kind"],
  change: TextChange,
): MergedText {
  let now = text;
  for (const [depth, key] of path.entries()) {
    const found = containerAt(now, path.slice(0, depth), "object");
    if (found.kind === "refused") return found;
    const { node } = found;
    if (node.kind !== "object" || node.members.some((one) => one.key === key)) continue;
    const isLast = depth === path.length - 1;
    now = insertJson(found.text, node, key, isLast && last === "array" ? [] : {});
  }
  const found = containerAt(now, path, last);
  return found.kind === "refused" ? found : { kind: "text", text: change(found.text, found.node) };
}

type FoundContainer =
  | { readonly kind: "found"; readonly text: string; readonly node: Container }
  | Extract<MergedText, { kind: "refused" }>;

function containerAt(text: string, path: readonly string[], kind: Container["kind"]): FoundContainer {
  const read = readObject(text);
  if (read.kind === "broken") return { kind: "refused", ...lineAt(text, read.at), why: read.why };
  let node: JsonNode = read.root;
  for (const [depth, key] of path.entries()) {
    const inner: JsonNode | undefined =
      node.kind === "object" ? node.members.findLast((one) => one.key === key)?.value : undefined;
    const wanted = depth === path.length - 1 ? kind : "object";
    if (inner?.kind !== wanted) {
      const what = wanted === "array" ? "a list" : "an object";
      const why = `${path.slice(0, depth + 1).join(".")} is not ${what}`;
      return { kind: "refused", ...lineAt(read.text, (inner ?? node).start), why };
    }
    node = inner;
  }
  return { kind: "found", text: read.text, node: node as Container };
}

const lineAt = (text: string, at: number): { readonly line: number } => ({ line: lineOf(text, at).line });

function insertInto(text: string, path: readonly string[], key: string | null, value: Json): string {
  const found = containerAt(text, path, key === null ? "array" : "object");
  return found.kind === "refused" ? text : insertJson(found.text, found.node, key, value);
}

function takeJson(text: string, original: string | null): MergedText {
  const read = readObject(text);
  if (read.kind === "broken") return { kind: "refused", ...lineAt(text, read.at), why: read.why };
  if (read.text !== text) return { kind: "text", text };
  let now = text;
  const hooks = read.root.members.findLast(({ key }) => key === "hooks")?.value;
  const events = hooks?.kind === "object" ? hooks.members.map(({ key }) => key) : [];
  for (const event of new Set(events)) {
    const without = withoutGroups(now, event);
    if (without !== now) now = withoutEmpty(without, ["hooks", event], original);
  }
  for (const at of SERVER_PLACES) {
    const found = containerAt(now, at, "object");
    if (found.kind === "refused" || found.node.kind !== "object") continue;
    const index = found.node.members.findLastIndex(
      ({ key, value }) => key === OWN_KEY && isOurServer(jsonOf(value)),
    );
    if (index !== -1) now = withoutEmpty(removeJson(now, found.node, index), at, original);
  }
  return { kind: "text", text: now };
}

/** Containers that are empty now go, too, from the inside out, unless they stood there before us. */
function withoutEmpty(text: string, path: readonly string[], original: string | null): string {
  let now = text;
  for (let depth = path.length; depth > 0; depth--) {
    const here = path.slice(0, depth);
    const [node, outer] = [nodeOf(now, here), nodeOf(now, here.slice(0, -1))];
    if (node === null || outer?.kind !== "object" || !isEmpty(now, node)) return now;
    if (original !== null && nodeOf(original, here) !== null) return now;
    const index = outer.members.findLastIndex(({ key }) => key === here.at(-1));
    now = removeJson(now, outer, index);
  }
  return now;
}

/** With nothing in it, not even a comment. */
const isEmpty = (text: string, node: JsonNode): boolean =>
  node.kind !== "scalar" && text.slice(node.start + 1, node.end - 1).trim() === "";

function nodeOf(text: string, path: readonly string[]): JsonNode | null {
  const read = readObject(text);
  let node: JsonNode | undefined = read.kind === "object" && read.text === text ? read.root : undefined;
  for (const part of path)
    node = node?.kind === "object" ? node.members.findLast(({ key }) => key === part)?.value : undefined;
  return node ?? null;
}

/** Groups that are all ours go; of one that somebody put another hook into only ours goes. */
function withoutGroups(text: string, event: string): string {
  let now = text;
  for (;;) {
    const list = nodeOf(now, ["hooks", event]);
    if (list?.kind !== "array") return now;
    const before = now;
    for (const [at, item] of list.items.entries()) {
      const group = jsonOf(item);
      if (isOurGroup(group)) now = removeJson(now, list, at);
      else now = withoutOurHook(now, item);
      if (now !== before) break;
    }
    if (now === before) return now;
  }
}

function withoutOurHook(text: string, group: JsonNode): string {
  const hooks =
    group.kind === "object" ? group.members.findLast(({ key }) => key === "hooks")?.value : undefined;
  if (hooks?.kind !== "array") return text;
  const at = hooks.items.findIndex((item) => isOurHook(jsonOf(item)));
  return at === -1 ? text : removeJson(text, hooks, at);
}

const isOurHook = (hook: Json | undefined): boolean =>
  hook !== undefined && isJsonObject(hook) && typeof hook.command === "string" && RECORDER.test(hook.command);

function isOurGroup(group: Json): boolean {
  const hooks = isJsonObject(group) ? group.hooks : undefined;
  return Array.isArray(hooks) && hooks.length > 0 && hooks.every((hook) => isOurHook(hook as Json));
}

/** Our program's `mcp`, however it is started. */
function isOurServer(value: unknown): boolean {
  if (value === null || typeof value !== "object") return false;
  const { command, args } = value as { readonly command?: unknown; readonly args?: unknown };
  const words = [command, args].flat().filter((word) => word !== undefined);
  return (
    words.at(-1) === "mcp" && words.some((word) => typeof word === "string" && /refloat|bin\.js$/.test(word))
  );
}
