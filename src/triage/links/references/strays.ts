/**
 * New files that lie where another change, or an unchanged file, looks for one that is nowhere, or are named after it: the two ends of a move
 * whose middle is missing, even where they fall into different groups. Callers that know the new name do not help: one
 * was left behind.
 * And files that are referred to: no strays.
 */
import { folderOfPath, joinPath, nameOfPath } from "../../facts/manifests/manifest-kinds.ts";
import type { GroupMember } from "../../facts/member.ts";
import { referrersOf } from "./check-references.ts";
import { follow, leadsTo } from "./follow.ts";
import { pythonTargets, scriptCandidates } from "./resolve.ts";
import { type GroupTree, groupTree, type HeadSources, headTree } from "./tree.ts";

/** A file that is named, and is not there once all changes are. */
export interface SoughtFile {
  /** Where it would be. */
  readonly place: string;
  /** What names it, and how. */
  readonly from: string;
  readonly specifier: string;
}

export interface Stray extends SoughtFile {
  readonly member: GroupMember;
}

/** A shorter name is in too many others. */
const MIN_NAME_CHARS = 4;

export async function soughtFiles(
  everyone: readonly GroupMember[],
  head: HeadSources,
): Promise<SoughtFile[]> {
  const tree = groupTree(head, everyone);
  const found: SoughtFile[] = [];
  for (const { path, after } of everyone)
    for (const reference of after?.source?.references ?? []) {
      if (!after || reference.isOptional) continue;
      const followed = await follow(path, after, reference, tree);
      if (followed.kind !== "missing-file") continue;
      const { specifier } = reference;
      const [place] =
        after.language === "python"
          ? pythonTargets(path, specifier).flatMap(({ candidates }) => candidates)
          : [followed.place ?? scriptCandidates(path, specifier)[0]];
      if (place !== undefined) found.push({ place, from: path, specifier });
    }
  const came = everyone.some(({ change, after }) => change.kind === "added" && after?.source);
  return came ? [...found, ...(await goneFiles(everyone, head))] : found;
}

/** Files that went and that an unchanged one still names: what came may be one of them. */
async function goneFiles(everyone: readonly GroupMember[], head: HeadSources): Promise<SoughtFile[]> {
  const changed = new Set<string>(everyone.map(({ path }) => path));
  const plain = headTree(head);
  const found: SoughtFile[] = [];
  for (const { path, change, before } of everyone) {
    if (change.kind !== "deleted" || !before?.source) continue;
    for (const from of (await referrersOf(path, head)) ?? []) {
      const facts = changed.has(from) ? null : await head.factsOf(from);
      for (const reference of facts?.source?.references ?? [])
        if (facts && (await leadsTo(from, facts, reference, plain)).includes(path))
          found.push({ place: path, from, specifier: reference.specifier });
    }
  }
  return found;
}

export function straysIn(members: readonly GroupMember[], sought: readonly SoughtFile[]): Stray[] {
  if (sought.length === 0) return [];
  return members.flatMap((member) => {
    if (member.change.kind !== "added" || !member.after?.source) return [];
    const wanted = sought.find(({ place }) => couldBe(member.path, place));
    return wanted ? [{ member, ...wanted }] : [];
  });
}

/** In the same folder, or of a name that holds the other: what moves keeps one of the two. */
function couldBe(path: string, place: string): boolean {
  if (folderOfPath(path) === folderOfPath(place)) return true;
  const [is, was] = [stemOf(path), stemOf(place)];
  return was.length >= MIN_NAME_CHARS && !ENTRY.test(was) && is.includes(was);
}

const ENTRY = /^(?:index|__init__)$/;
const stemOf = (path: string): string => nameOfPath(path).replace(/(?:\.d)?\.\w+$/, "");

/** Files that somebody of the group refers to, or that a package.json names as a way in. */
export async function takenIn(members: readonly GroupMember[], tree: GroupTree): Promise<string[]> {
  if (!members.some(({ change }) => change.kind === "added")) return [];
  const taken: string[] = [];
  for (const { path, after } of members) {
    for (const reference of after?.source?.references ?? [])
      if (after) taken.push(...(await leadsTo(path, after, reference, tree)));
    const manifest = joinPath(folderOfPath(path), "package.json");
    const entries = tree.has(manifest) ? ((await tree.factsOf(manifest))?.entries ?? []) : [];
    for (const entry of entries)
      taken.push(...scriptCandidates(manifest, entry.startsWith("./") ? entry : `./${entry}`));
  }
  const root = tree.has("package.json") ? ((await tree.factsOf("package.json"))?.entries ?? []) : [];
  return [
    ...taken,
    ...root.flatMap((entry) =>
      scriptCandidates("package.json", entry.startsWith("./") ? entry : `./${entry}`),
    ),
  ];
}
