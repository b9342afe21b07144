/**
 * Methods that a Python file of the group gave and gives no more, and that an unchanged file still calls of a value: `parser.suggest()` in a
 * test that nobody touched. Values are followed by nobody: a doubt, and only where no source in HEAD with the group upon it has the name in
 * another way than to ask for it (unseen-calls.ts), and where all that the value may come from is of the workspace. Where the value's class
 * is plain, whatever it read of it and its class has no more, whoever else has one of that name.
 */
import type { PathName } from "../../../model/path-name.ts";
import { textOf } from "../../facts/analyse-file.ts";
import { OF_VALUES } from "../../facts/known/file-facts.ts";
import type { TriageFacts } from "../../facts/known/triage-facts.ts";
import type { GroupMember } from "../../facts/member.ts";
import { memberIn } from "../../facts/parse/type-members.ts";
import { languageOf } from "../../facts/paths/languages.ts";
import type { BrokenReference } from "./check-entries.ts";
import { follow, leadsTo } from "./follow.ts";
import { type GroupTree, type HeadSources, headTree } from "./tree.ts";
import { namedInPython } from "./unseen-calls.ts";

/** Names sought at once, and unchanged files looked into for them: a name that more of them have is no rare one. */
const MAX_NAMES = 50;
const MAX_LOOKED_INTO = 200;

export async function lostMethodsIn(
  members: readonly GroupMember[],
  { bytesOf, head: raw }: TriageFacts,
  head: HeadSources,
  tree: GroupTree,
): Promise<BrokenReference[]> {
  const lost = new Set<string>();
  const still = new Set<string>();
  for (const { change, path } of members) {
    if (languageOf(path) !== "python") continue;
    const [was, is] = [await bytesOf(change, "before"), await bytesOf(change, "after")];
    for (const name of methodsIn(textOf(was ?? new Uint8Array()) ?? "")) lost.add(name);
    for (const name of namedInPython(textOf(is ?? new Uint8Array()) ?? "", lost)) still.add(name);
  }
  const wanted = new Set([...lost].filter((name) => !still.has(name)).slice(0, MAX_NAMES));
  const gone = new Set(members.flatMap(lostMembersOf).slice(0, MAX_NAMES));
  const sought = new Set([...wanted, ...[...gone].flatMap((name) => memberIn(name)?.member || [])]);
  if (sought.size === 0) return [];
  const own = new Set<string>(members.flatMap(({ path, change }) => [path, change.fromPath ?? path]));
  const mentioning = ((await head.mentioning([...sought], ["py", "pyi"])) ?? []).filter(
    (path) => languageOf(path) === "python" && !own.has(path),
  );
  const texts = new Map<PathName, string>();
  for (const path of mentioning.slice(0, MAX_LOOKED_INTO)) {
    const text = textOf((await raw.read(path as PathName)) ?? new Uint8Array()) ?? "";
    texts.set(path as PathName, text);
    for (const name of namedInPython(text, wanted)) wanted.delete(name);
  }
  const found: BrokenReference[] = [];
  for (const [path, text] of texts) {
    found.push(...(await readOfClasses(path, gone, head, tree)));
    const names = await calledOfOurs(path, wanted, head, tree);
    if (names.length === 0) continue;
    const line = lineOfCall(text, names[0] ?? "");
    found.push({ kind: "unseen-name", from: path, line, specifier: OF_VALUES, names, isOwn: false });
  }
  return found;
}

/** Of its classes. */
export function lostMembersOf({ before, after }: GroupMember): string[] {
  const given = new Set(after?.source?.members ?? []);
  return (before?.source?.members ?? []).filter((name) => !given.has(name));
}

/** By what the class was before, too: what it never had nobody took away. */
async function readOfClasses(
  path: string,
  gone: ReadonlySet<string>,
  head: HeadSources,
  tree: GroupTree,
): Promise<BrokenReference[]> {
  const facts = await head.factsOf(path);
  const found: BrokenReference[] = [];
  for (const reference of facts?.source?.references ?? []) {
    const names = reference.isOfType ? reference.names.filter((name) => isOneOf(name, gone)) : [];
    if (!facts || names.length === 0) continue;
    const wanted = { ...reference, names };
    const is = await follow(path, facts, wanted, tree);
    const was = await follow(path, facts, wanted, headTree(head));
    if (is.kind !== "found" || was.kind !== "found") continue;
    const lacking = is.unseen
      .filter((name) => !was.unseen.includes(name))
      .map((name) => name.replace("#", "."));
    const { line, specifier } = reference;
    if (lacking.length > 0)
      found.push({ kind: "unseen-name", from: path, line, specifier, names: lacking, isOwn: false });
  }
  return found;
}

/** A class may be known by another name where it is read, and have it from another. */
const isOneOf = (name: string, gone: ReadonlySet<string>): boolean => {
  const member = memberIn(name)?.member;
  return [...gone].some((one) => memberIn(one)?.member === member);
};

/** Where it stands by itself is a function of a module: whoever takes that by its name is followed. */
const methodsIn = (text: string): string[] =>
  [...text.matchAll(/^[ \t]+(?:async[ \t]+)?def[ \t]+([A-Za-z]\w{2,}|_[A-Za-z]\w+)[ \t]*\(/gm)].map(
    ([, name = ""]) => name,
  );

async function calledOfOurs(
  path: string,
  wanted: ReadonlySet<string>,
  head: HeadSources,
  tree: GroupTree,
): Promise<string[]> {
  const facts = await head.factsOf(path);
  const found: string[] = [];
  for (const [name = "", ...specifiers] of (facts?.source?.called ?? []).map((one) => one.split(" "))) {
    if (!facts || !wanted.has(name) || specifiers.length === 0) continue;
    const places = await Promise.all(
      specifiers.map((specifier) =>
        leadsTo(path, facts, { specifier, names: [], isType: false, isOptional: false, line: 1 }, tree),
      ),
    );
    if (places.every((at) => at.length > 0)) found.push(name);
  }
  return [...new Set(found)];
}

function lineOfCall(text: string, name: string): number {
  const at = text.split("\n").findIndex((line) => new RegExp(`\\.\\s*${name}\\s*\\(`).test(line));
  return at + 1 || 1;
}
