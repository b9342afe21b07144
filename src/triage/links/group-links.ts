/** Ties between changes: each kind is one function that gives pairs. */

import type { FileFacts } from "../facts/known/file-facts.ts";
import { folderOfPath, LOCKFILES, lockfilePlaces, nameOfPath } from "../facts/manifests/manifest-kinds.ts";
import type { GroupMember } from "../facts/member.ts";
import { areAlike } from "../facts/text/sketch.ts";
import { leadsTo } from "./references/follow.ts";
import { isStandardMember } from "./references/standard-members.ts";
import { type GroupTree, groupTree, type HeadSources, headTree } from "./references/tree.ts";

export type Link = readonly [GroupMember, GroupMember];

/** Files that went, and files that came, compared by content: every one with every other. */
const MAX_COMPARED = 100;

/** A file that went and one of the same name, of the same stem beside it, or much the same, that came. */
export function moveLinks(members: readonly GroupMember[]): Link[] {
  const gone = members.filter(({ change }) => change.kind === "deleted");
  const came = members.filter(({ change }) => change.kind === "added");
  const byName = new Map<string, GroupMember[]>();
  for (const member of came)
    for (const key of moveKeys(member.path)) byName.set(key, [...(byName.get(key) ?? []), member]);
  const named = gone.flatMap((old) =>
    moveKeys(old.path).flatMap((key) => (byName.get(key) ?? []).map((fresh): Link => [old, fresh])),
  );
  const alike = gone
    .slice(0, MAX_COMPARED)
    .flatMap((old) =>
      came
        .slice(0, MAX_COMPARED)
        .flatMap((fresh): Link[] =>
          areAlike(old.before?.sketch ?? [], fresh.after?.sketch ?? []) ? [[old, fresh]] : [],
        ),
    );
  return [...named, ...alike];
}

function moveKeys(path: string): string[] {
  const name = nameOfPath(path);
  const stem = name.replace(/\.[^.]+$/, "");
  const folder = folderOfPath(path);
  // a/b.js and a/b.ts; a/b.js and a/b/index.js; x/b.js and y/b.js.
  const isEntry = stem === "index" || stem === "__init__";
  return [isEntry ? `${folder}/` : `${folder}/${stem}/`, ...(isEntry ? [] : [name])];
}

export const isReplacement = (gone: string, came: string): boolean =>
  moveKeys(gone).some((key) => moveKeys(came).includes(key));

export function manifestLinks(members: readonly GroupMember[]): Link[] {
  const byPath = new Map<string, GroupMember>(members.map((member) => [member.path, member]));
  return members.flatMap((member) => {
    if (!(nameOfPath(member.path) in LOCKFILES)) return [];
    return lockfilePlaces(member.path).flatMap((place): Link[] => {
      const lock = byPath.get(place);
      return lock ? [[member, lock]] : [];
    });
  });
}

const TEST_FOLDER = /(?:^|\/)(?:__tests__|tests?|specs?)(?=\/)/;

/** The stem of what a test tests; null: it is no test. */
function testedStem(path: string): string | null {
  const name = nameOfPath(path).replace(/\.[^.]+$/, "");
  const stem = name.replace(/[._-](?:test|spec|tests|specs)$|^test_|_test$/i, "");
  if (stem !== name) return stem;
  return TEST_FOLDER.test(path) ? name : null;
}

export function testLinks(members: readonly GroupMember[]): Link[] {
  const byStem = new Map<string, GroupMember[]>();
  for (const member of members) {
    if (testedStem(member.path) !== null) continue;
    const stem = nameOfPath(member.path).replace(/\.[^.]+$/, "");
    byStem.set(stem, [...(byStem.get(stem) ?? []), member]);
  }
  return members.flatMap((test) => {
    const stem = testedStem(test.path);
    if (stem === null) return [];
    return nearest(byStem.get(stem) ?? [], test).map((source): Link => [source, test]);
  });
}

/** Packages have files of the same name: a test beside a source of its stem tests that one, and no other. */
function nearest(sources: readonly GroupMember[], test: GroupMember): readonly GroupMember[] {
  const folder = folderOfPath(test.path);
  const beside = sources.filter(({ path }) => folderOfPath(path) === folder);
  return beside.length > 0 ? beside : sources;
}

/**
 * A method of Python that came, and a file that came to call one of that name on a value: no import ties them, and the caller without it fails.
 * So with a member, and a file that came to read it of a value whose class is plain. Not where several files bring one of the name: then
 * nothing tells which is meant.
 */
export function methodLinks(members: readonly GroupMember[]): Link[] {
  const bringing = new Map<string, GroupMember[]>();
  for (const member of members)
    for (const name of freshMethods(member)) bringing.set(name, [...(bringing.get(name) ?? []), member]);
  if (bringing.size === 0) return [];
  return members.flatMap((member) =>
    freshCalled(member).flatMap((name): Link[] => {
      const [source, ...more] = bringing.get(name) ?? [];
      return source && more.length === 0 && source !== member ? [[source, member]] : [];
    }),
  );
}

/** `Class#name takes` (arguments.ts). */
const methodsOf = (facts: FileFacts | null): string[] =>
  facts?.language === "python"
    ? (facts.source?.takes ?? []).flatMap((one) => /#(\w+) /.exec(one)?.[1] ?? [])
    : [];

function freshMethods({ before, after }: GroupMember): string[] {
  const was = new Set(methodsOf(before));
  const methods = [...new Set(methodsOf(after))].filter(
    (name) => !was.has(name) && !/^__\w+__$/.test(name) && !isStandardMember("python", name),
  );
  const had = new Set(before?.source?.members ?? []);
  return [...methods, ...(after?.source?.members ?? []).filter((name) => !had.has(name))];
}

function freshCalled({ before, after }: GroupMember): string[] {
  if (after?.language !== "python") return [];
  const namesOf = (facts: FileFacts | null): string[] => [
    ...(facts?.source?.called ?? []).map((one) => one.replace(/ .*$/, "")),
    ...(facts?.source?.references ?? []).flatMap((one) => (one.isOfType ? one.names : [])),
  ];
  const was = new Set(namesOf(before));
  return [...new Set(namesOf(after))].filter((name) => !was.has(name));
}

/** Imports between changed files, as they are now and as they were. */
export async function importLinks(members: readonly GroupMember[], head: HeadSources): Promise<Link[]> {
  const byPath = new Map<string, GroupMember>();
  for (const member of members) {
    byPath.set(member.path, member);
    if (member.change.fromPath !== undefined) byPath.set(member.change.fromPath, member);
  }
  const [now, then] = [groupTree(head, members), headTree(head)];
  const links: Link[] = [];
  for (const member of members) {
    const oldPath = member.change.fromPath ?? member.path;
    for (const path of [
      ...(await targets(member, member.path, "after", now)),
      // What it names and another change took away.
      ...(await targets(member, member.path, "after", then)),
      ...(await targets(member, oldPath, "before", then)),
    ]) {
      const other = byPath.get(path);
      if (other && other !== member) links.push([member, other]);
    }
  }
  return links;
}

async function targets(
  member: GroupMember,
  path: string,
  side: "before" | "after",
  tree: GroupTree,
): Promise<string[]> {
  const facts = member[side];
  const found: string[] = [];
  for (const reference of facts?.source?.references ?? [])
    if (facts) found.push(...(await leadsTo(path, facts, reference, tree)));
  return found;
}
