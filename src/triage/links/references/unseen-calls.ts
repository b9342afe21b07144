/**
 * Members that a changed script came to call and that nothing here has: no unchanged source so much as names them, and no
 * changed one but to call them. Methods are reached through instances, which nobody follows; their names are all there is.
 * Macros of Rust are among them, with their `!`: nothing says where one comes from that no `use` brings.
 */
import type { PathName } from "../../../model/path-name.ts";
import { textOf } from "../../facts/analyse-file.ts";
import type { TriageFacts } from "../../facts/known/triage-facts.ts";
import type { GroupMember } from "../../facts/member.ts";
import { CHECKED_ENDINGS, CHECKED_LANGUAGES, languageOf } from "../../facts/paths/languages.ts";
import { leadsTo } from "./follow.ts";
import { isStandardMember } from "./standard-members.ts";
import type { GroupTree, HeadSources } from "./tree.ts";

export interface UnseenCalls {
  readonly member: GroupMember;
  readonly names: readonly UnseenCall[];
}

export interface UnseenCall {
  /** As it is written: `.name()`, `.name` where it is only read, `name!`. */
  readonly name: string;
  /** Null: the text does not tell. */
  readonly line: number | null;
}

interface FreshCalls {
  readonly member: GroupMember;
  readonly names: readonly string[];
}

/** Unchanged files looked into for a name; one that still more of them may have is no rare one. */
const MAX_LOOKED_INTO = 1000;
/** What is asked of HEAD in one turn is read by one command, and is in memory together. */
const READ_AT_ONCE = 50;

export async function unseenCallsIn(
  members: readonly GroupMember[],
  { bytesOf, head: raw }: TriageFacts,
  head: HeadSources,
  tree: GroupTree,
): Promise<UnseenCalls[]> {
  const fresh: FreshCalls[] = [];
  for (const member of members) {
    const all = await ofHere(member, freshCalls(member), tree);
    // A macro may stand in a file that takes nothing: those of the crate are everybody's below where they are written.
    const names = all.length > 0 && (await takesOwn(member, tree)) ? all : all.filter(isMacro);
    if (names.length > 0) fresh.push({ member, names });
  }
  if (fresh.length === 0) return [];
  const wanted = new Set(fresh.flatMap(({ names }) => names));
  if ([...wanted].some(isMacro) && (await takesMacrosOfCrates(head, raw)))
    for (const name of wanted) if (isMacro(name)) wanted.delete(name);
  for (const { change, path } of members) {
    const bytes = change.to?.kind === "file" && isSource(path) ? await bytesOf(change, "after") : null;
    if (!bytes) continue;
    const named = languageOf(path) === "python" ? namedInPython : namedBesideCalls;
    for (const name of named(textOf(bytes) ?? "", wanted)) wanted.delete(name);
  }
  const own = new Set<string>(members.flatMap(({ path, change }) => [path, change.fromPath ?? path]));
  const mentioning = wanted.size > 0 ? await head.mentioning([...wanted].map(wordOf), CHECKED_ENDINGS) : [];
  const others = (mentioning ?? []).filter((path) => isSource(path) && !own.has(path));
  for (let at = 0; at < Math.min(others.length, MAX_LOOKED_INTO) && wanted.size > 0; at += READ_AT_ONCE) {
    const some = others.slice(at, Math.min(at + READ_AT_ONCE, MAX_LOOKED_INTO));
    for (const bytes of await Promise.all(some.map((path) => raw.read(path as PathName))))
      for (const word of bytes ? wordsOf(bytes) : [])
        for (const name of [word, `${word}!`]) wanted.delete(name);
  }
  const unseen: UnseenCalls[] = [];
  for (const { member, names } of fresh) {
    const text = textOf((await bytesOf(member.change, "after")) ?? new Uint8Array()) ?? "";
    const found = names.filter((name) => wanted.has(name)).map((name) => asWritten(name, text));
    if (found.length > 0) unseen.push({ member, names: found });
  }
  return unseen;
}

/** Where it is called first, else where it is read first. */
function asWritten(name: string, text: string): UnseenCall {
  const lineAt = (pattern: RegExp): number | null => {
    const at = text.search(pattern);
    return at < 0 ? null : text.slice(0, at).split("\n").length;
  };
  if (isMacro(name)) return { name, line: lineAt(new RegExp(`(?<![\\w$])${wordOf(name)}\\s*!`)) };
  const word = name.replaceAll("$", "\\$");
  const called = lineAt(new RegExp(`\\.\\s*${word}\\s*(?:::<[^>()]*>\\s*|<[^>()]*>\\s*|\\?\\.\\s*)?\\(`));
  if (called !== null) return { name: `.${name}()`, line: called };
  const read = lineAt(new RegExp(`\\.\\s*${word}(?![\\w$])`));
  return read === null ? { name: `.${name}()`, line: null } : { name: `.${name}`, line: read };
}

const isSource = (path: string): boolean => CHECKED_LANGUAGES.has(languageOf(path));

function freshCalls({ before, after }: GroupMember): string[] {
  const was = new Set(before?.source?.called ?? []);
  const language = after?.language ?? "other";
  return (after?.source?.called ?? []).filter((called) => {
    const name = called.replace(/ .*$/, "");
    const isKnown = language === "python" ? false : isBuiltInMember(name);
    return !was.has(called) && !isKnown && !isStandardMember(language, name);
  });
}

/** `name specifier`: a member of what a module gives, which nobody here knows unless the module is of the workspace. */
async function ofHere(
  { path, after }: GroupMember,
  called: readonly string[],
  tree: GroupTree,
): Promise<string[]> {
  const isHere = new Map<string, boolean>();
  const found = new Set<string>();
  for (const [name = "", ...specifiers] of called.map((one) => one.split(" "))) {
    for (const specifier of specifiers)
      if (after && !isHere.has(specifier)) {
        const reference = { specifier, names: [], isType: false, isOptional: false, line: 1 };
        isHere.set(specifier, (await leadsTo(path, after, reference, tree)).length > 0);
      }
    if (specifiers.every((specifier) => isHere.get(specifier))) found.add(name);
  }
  return [...found];
}

/** Whether it takes anything of the workspace: else all that it calls is from elsewhere. */
async function takesOwn({ path, after }: GroupMember, tree: GroupTree): Promise<boolean> {
  for (const reference of after?.source?.references ?? [])
    if (after && (await leadsTo(path, after, reference, tree)).length > 0) return true;
  return false;
}

const wordsOf = (bytes: Uint8Array): readonly string[] =>
  (textOf(bytes) ?? "").match(/[A-Za-z_$][\w$]*/g) ?? [];

const isMacro = (name: string): boolean => name.endsWith("!");
const wordOf = (name: string): string => (isMacro(name) ? name.slice(0, -1) : name);

/** `#[macro_use] extern crate a;` brings all macros of a crate, by no name. */
async function takesMacrosOfCrates(head: HeadSources, raw: TriageFacts["head"]): Promise<boolean> {
  const paths = (await head.mentioning(["macro_use"], [".rs"])) ?? [];
  for (const path of paths.slice(0, READ_AT_ONCE)) {
    const bytes = await raw.read(path);
    if (bytes && /#\[macro_use[^\]]*\]\s*(?:pub\s+)?extern\s+crate\b/.test(textOf(bytes) ?? "")) return true;
  }
  return false;
}

/** `x.name(` and `name!` call it; any other place may be where it comes from. */
function namedBesideCalls(text: string, wanted: ReadonlySet<string>): string[] {
  const plain = [...text.matchAll(/(?<![\w$])([A-Za-z_]\w*)(?![\w$]|!(?!=))/g)].map(
    ([, name = ""]) => `${name}!`,
  );
  return [...plain.filter((name) => wanted.has(name)), ...namedBesideMembers(text, wanted)];
}

/** Of a Python file also `x.name` only asks for it, unless it is set there. */
export const namedInPython = (text: string, wanted: ReadonlySet<string>): string[] =>
  [...text.matchAll(/(?<!\.\s*)(?<!\w)([A-Za-z_]\w*)|\.\s*([A-Za-z_]\w*)\s*(?::[^=\n]*)?=(?!=)/g)]
    .map(([, plain, set]) => plain ?? set ?? "")
    .filter((name) => wanted.has(name));

function namedBesideMembers(text: string, wanted: ReadonlySet<string>): string[] {
  return [...text.matchAll(/(?<!\.\s*)(?<![\w$])([A-Za-z_$][\w$]*)|\.\s*([A-Za-z_$][\w$]*)(?!\s*\(|[\w$])/g)]
    .map(([, plain, member]) => plain ?? member ?? "")
    .filter((name) => wanted.has(name));
}

/** Members that values have without anybody here giving them: those of the language, of Node and of browsers. */
const MODULES = [
  "assert",
  "buffer",
  "child_process",
  "crypto",
  "events",
  "fs",
  "fs/promises",
  "http",
  "http2",
  "https",
  "net",
  "os",
  "path",
  "perf_hooks",
  "process",
  "querystring",
  "readline",
  "stream",
  "string_decoder",
  "timers",
  "tls",
  "url",
  "util",
  "vm",
  "worker_threads",
  "zlib",
] as const;

/** Of the trees that browsers show; the rest of theirs Node has, too. */
const BROWSERS =
  "addClass appendChild attachShadow blur click cloneNode closest contains createDocumentFragment createElement createElementNS createTextNode dispatchEvent focus getAttribute getAttributeNames getBoundingClientRect getComputedStyle getContext getElementById getElementsByClassName getElementsByTagName hasAttribute hasAttributes hasChildNodes insertAdjacentElement insertAdjacentHTML insertAdjacentText insertBefore insertRule item namedItem preventDefault querySelector querySelectorAll removeAttribute removeChild removeClass replaceChild replaceWith requestAnimationFrame scrollIntoView scrollTo setAttribute setAttributeNS stopImmediatePropagation stopPropagation toggleAttribute getPropertyValue setProperty removeProperty drawImage fillRect getImageData open send abort setRequestHeader getResponseHeader getAllResponseHeaders play pause";

/** Of what test runners hand to a test. */
const TESTS =
  "plan end pass fail ok notOk equal notEqual deepEqual notDeepEqual same notSame strictSame throws doesNotThrow rejects doesNotReject comment skip teardown timeout retries slow snapshot is not truthy falsy like regex notRegex";

/** How deep values are looked into. */
const MAX_DEPTH = 5;

let known: ReadonlySet<string> | null = null;

function isBuiltInMember(name: string): boolean {
  known ??= collect();
  return known.has(name);
}

function collect(): ReadonlySet<string> {
  const names = new Set<string>(`${BROWSERS} ${TESTS}`.split(" "));
  const seen = new Set<unknown>();
  const modules = MODULES.map((name) => process.getBuiltinModule(`node:${name}`));
  for (const one of [globalThis, ...modules]) take(one, 0, names, seen);
  return names;
}

/** Names alone: no getter is run. */
function take(value: unknown, depth: number, names: Set<string>, seen: Set<unknown>): void {
  const isObject = (typeof value === "object" && value !== null) || typeof value === "function";
  if (!isObject || seen.has(value) || depth > MAX_DEPTH) return;
  seen.add(value);
  for (const [name, described] of Object.entries(Object.getOwnPropertyDescriptors(value))) {
    names.add(name);
    take(described.value, depth + 1, names, seen);
  }
  take(Object.getPrototypeOf(value), depth + 1, names, seen);
}
