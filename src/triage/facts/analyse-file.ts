/** One file's bytes, looked at once. Bounded (T5): what is too large is not parsed, and then no evidence for safe. */
import type { FileFacts } from "./known/file-facts.ts";
import { packageName } from "./known/python-modules.ts";
import { declaresPackages, manifestKindOf, nameOfPath } from "./manifests/manifest-kinds.ts";
import { isLight, mostBytes } from "./parse/parse-room.ts";
import type { Parsers } from "./parse/parsers.ts";
import { type Language, languageOf, type Nature, natureOf } from "./paths/languages.ts";
import { endsAsHistory, endsAsLicence, endsInside, endsWithMap, TELLING } from "./text/ends.ts";
import { bodyOf, definedIn } from "./text/markdown-ends.ts";
import { sketchOf } from "./text/sketch.ts";
import { tablesIn } from "./text/tables.ts";
import { workflowRecordIn } from "./text/workflow-record.ts";

/** Text has no NUL; where git looks for one, too. */
const BINARY_LOOK_BYTES = 8000;
const CONFLICT = /^(?:<{7}|>{7}) /m;

export async function analyseFile(path: string, bytes: Uint8Array, parsers: Parsers): Promise<FileFacts> {
  const base = bareFacts(path, bytes);
  const unparsed = (why: string): FileFacts => ({ ...base, parse: { kind: "unparsed", why } });
  const unlooked = (why: string): FileFacts => unlookedFacts(path, bytes, { why, isPassing: false });
  if (base.isBinary) return unparsed("not text");
  const most = mostBytes(path);
  if (bytes.length > most) return unparsed(`larger than ${most} bytes`);
  if (!parsers.isAlone && !isLight(base.language, bytes)) return unlookedFacts(path, bytes, HEAVY);
  const text = textOf(bytes);
  if (text === null) return unparsed("not UTF-8");
  try {
    return await factsOfText(base, path, text, parsers);
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown;
    return unlooked("nested too deep to be looked into");
  }
}

const HEAVY = { why: "too much to be parsed in this process", isPassing: true };

/** Of a file that was not looked into: what its bytes show by themselves. */
export function unlookedFacts(
  path: string,
  bytes: Uint8Array,
  { why, isPassing }: { readonly why: string; readonly isPassing: boolean },
): FileFacts {
  const parse = { kind: "unparsed", why, isUnlooked: true, ...(isPassing ? { isPassing } : {}) } as const;
  return { ...bareFacts(path, bytes), parse };
}

function bareFacts(path: string, bytes: Uint8Array): Omit<FileFacts, "parse"> {
  const padding = nulPadding(bytes);
  const isBinary = bytes.subarray(0, Math.min(BINARY_LOOK_BYTES, bytes.length - padding)).includes(0);
  return {
    language: languageOfFile(path, bytes),
    size: bytes.length,
    isBinary,
    hasNulPadding: padding > 0 && !isBinary && padding < bytes.length,
    isLastLineWhole: bytes.length === 0 || bytes.at(-1) === 0x0a,
    lines: 0,
    hasBlankEnd: false,
    conflictAt: null,
    source: null,
    versions: null,
    hooks: null,
    running: null,
    entries: [],
    named: [],
    aliases: [],
    declares: [],
    sketch: [],
    tail: "",
    hasKnownEnd: false,
    isEndInside: false,
    tables: null,
    workflow: null,
  };
}

async function factsOfText(
  base: Omit<FileFacts, "parse">,
  path: string,
  text: string,
  parsers: Parsers,
): Promise<FileFacts> {
  const { language } = base;
  const parsed = await parsers.parse(language, path, text);
  const isSource = natureOf(language) === "source";
  const isManifest = natureOf(language) === "data" || manifestKindOf(path) !== null;
  return {
    ...base,
    ...(isManifest ? (await import("./manifest-facts.ts")).manifestFacts(path, text, parsed) : {}),
    lines: countLines(text),
    hasBlankEnd: /\n[ \t\r]*\n$/.test(text),
    sketch: isSource ? sketchOf(text) : [],
    tail: parsed.kind === "sound" && parsed.source && isSource ? "" : tailOf(path, text, natureOf(language)),
    hasKnownEnd: hasKnownEnd(nameOfPath(path), text),
    isEndInside: endsInside(path, language, text),
    conflictAt: conflictIn(text),
    parse: parsed.kind === "sound" ? { kind: "sound" } : parsed,
    source: parsed.kind === "sound" ? parsed.source : null,
    declares: declaresPackages(path) ? namesIn(text) : [],
    tables: isSource ? tablesIn(language, text) : null,
    workflow: workflowRecordIn(path, text),
  };
}

/** Names kept of one; what has more is a lockfile. */
const MAX_NAMES = 3000;

/** By words, so that no way of writing one down is missed. */
const namesIn = (text: string): string[] =>
  [...new Set((text.match(/[A-Za-z0-9][\w.-]*/g) ?? []).map(packageName))].sort().slice(0, MAX_NAMES);

/** A program without an ending says itself what runs it. */
const RUN_BY_NODE = /^#![^\n]*[/ ]node(?:js)?\b/;
const RUNNER_LOOK_BYTES = 128;

export function languageOfFile(path: string, bytes: Uint8Array): Language {
  const language = languageOf(path);
  if (language !== "other" || nameOfPath(path).includes(".")) return language;
  const first = Buffer.from(bytes.subarray(0, RUNNER_LOOK_BYTES)).toString("latin1");
  return RUN_BY_NODE.test(first) ? "javascript" : language;
}

const decoder = new TextDecoder("utf-8", { fatal: true });

export function textOf(bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes);
  } catch (thrown) {
    if (thrown instanceof TypeError) return null;
    throw thrown;
  }
}

function nulPadding(bytes: Uint8Array): number {
  let count = 0;
  while (count < bytes.length && bytes[bytes.length - 1 - count] === 0) count++;
  return count;
}

const LICENCE = /licen[cs]e|^copying/i;
const HISTORY = /^(?:changelog|changes|history|releases?)\b/i;

function hasKnownEnd(name: string, text: string): boolean {
  if (LICENCE.test(name) && endsAsLicence(text)) return true;
  if (!HISTORY.test(name)) return endsWithMap(name, text);
  return endsAsHistory(
    bodyOf(trimmedLines(text)).filter((line) => line !== ""),
    definedIn(text),
  );
}

const trimmedLines = (text: string): string[] => text.split("\n").map((line) => line.trim());

const MAX_TAIL_CHARS = 400;

/** The last lines, back to one that says something and stands there once; of code to the second, as code repeats itself. */
function tailOf(path: string, text: string, nature: Nature): string {
  const all = trimmedLines(text);
  const lines = /\.(?:md|markdown)$/i.test(path) ? bodyOf(all) : all;
  const wanted = nature === "source" ? 2 : 1;
  let told = 0;
  let at = lines.length;
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  const isOnce = (line: string): boolean => counts.get(line) === 1;
  while (at > 0 && told < wanted) {
    const line = lines[--at] ?? "";
    if (TELLING.test(line) && isOnce(line)) told++;
  }
  const tail = lines.slice(at).filter((line) => line !== "");
  return tail.join("\n").slice(-MAX_TAIL_CHARS);
}

function countLines(text: string): number {
  let count = text === "" || text.endsWith("\n") ? 0 : 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

/** One marker is enough: a merge that was killed wrote no more. A row of `=` alone is a heading. */
function conflictIn(text: string): number | null {
  const first = CONFLICT.exec(text);
  return first && countLines(text.slice(0, first.index)) + 1;
}
