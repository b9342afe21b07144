/** New files that are much the same as one that is still there. Bounded: only files that could be meant are looked at. */
import type { FileFacts } from "../facts/known/file-facts.ts";
import { folderOfPath, joinPath, nameOfPath } from "../facts/manifests/manifest-kinds.ts";
import type { GroupMember } from "../facts/member.ts";
import { CHECKED_LANGUAGES, languageOf } from "../facts/paths/languages.ts";
import { areAlike } from "../facts/text/sketch.ts";
import { isMigrationPath } from "./migrations.ts";
import type { GroupTree, HeadSources } from "./references/tree.ts";

/** Files looked at for one new file. */
const MAX_CANDIDATES = 60;
/** Other files two folders share before they count as two builds of one source. */
const TWIN_FILES = 2;

export async function copiesIn(
  members: readonly GroupMember[],
  everyone: ReadonlyMap<string, GroupMember>,
  head: HeadSources,
  tree: GroupTree,
): Promise<{ member: GroupMember; of: string }[]> {
  const came = members.filter(({ change, after }) => change.kind === "added" && after?.source);
  if (came.length === 0) return [];
  const byName = namesOf(head);
  const byHash = addedByHash(everyone);
  const found: { member: GroupMember; of: string }[] = [];
  for (const member of came) {
    const second = secondOf(member, byHash, head);
    if (second !== undefined) found.push({ member, of: second });
    const keys = [nameOfPath(member.path), `${folderOfPath(member.path)}/`, ...entryKeys(member.path)];
    const all = [...new Set(keys.flatMap((key) => byName.get(key) ?? []))].filter((path) => tree.has(path));
    const near = new Set(likeliest(all, nameOfPath(member.path)).slice(0, MAX_CANDIDATES));
    near.delete(member.path);
    for (const path of near) {
      if (areTwins(folderOfPath(path), folderOfPath(member.path), head)) continue;
      if (!isCopy(member, everyone.get(path), await head.factsOf(path))) continue;
      found.push({ member, of: path });
      break;
    }
  }
  return found;
}

/** `a/b.js` may have become `a/b/index.js`. */
function entryKeys(path: string): string[] {
  const ending = /^(?:index|__init__|mod)(\.\w+)$/.exec(nameOfPath(path))?.[1];
  return ending === undefined ? [] : [`${nameOfPath(folderOfPath(path))}${ending}`];
}

const indexes = new WeakMap<HeadSources, ReadonlyMap<string, readonly string[]>>();

/** HEAD's sources by name and by folder: made once, however many groups ask. */
function namesOf(head: HeadSources): ReadonlyMap<string, readonly string[]> {
  const made = indexes.get(head);
  if (made) return made;
  const byName = new Map<string, string[]>();
  for (const path of head.paths) {
    if (!CHECKED_LANGUAGES.has(languageOf(path))) continue;
    for (const key of [nameOfPath(path), `${folderOfPath(path)}/`]) {
      const known = byName.get(key);
      if (known) known.push(path);
      else byName.set(key, [path]);
    }
  }
  indexes.set(head, byName);
  return byName;
}

const added = new WeakMap<ReadonlyMap<string, GroupMember>, ReadonlyMap<string, readonly string[]>>();

/** New files by their bytes: made once, however many groups ask. */
function addedByHash(everyone: ReadonlyMap<string, GroupMember>): ReadonlyMap<string, readonly string[]> {
  const made = added.get(everyone);
  if (made) return made;
  const byHash = new Map<string, string[]>();
  for (const { change } of everyone.values()) {
    const hash = change.kind === "added" ? change.to?.hash : null;
    if (hash != null) byHash.set(hash, [...(byHash.get(hash) ?? []), change.path]);
  }
  added.set(everyone, byHash);
  return byHash;
}

/** Two new files alike are a pattern; the same bytes under another name in one folder are one of them too many. */
function secondOf(
  { path, change }: GroupMember,
  byHash: ReadonlyMap<string, readonly string[]>,
  head: HeadSources,
): string | undefined {
  const stem = (at: string): string => nameOfPath(at).replace(/(?:\.d)?\.\w+$/, "");
  return (byHash.get(change.to?.hash ?? "") ?? []).find((other) => {
    const [here, there] = [folderOfPath(path), folderOfPath(other)];
    if (here === there) return stem(path) !== stem(other);
    return nameOfPath(path) === nameOfPath(other) && !areTwins(there, here, head);
  });
}

/** Names that begin alike first: a file that moves keeps most of its name. */
function likeliest(paths: readonly string[], name: string): string[] {
  const sharedWith = (other: string): number => {
    let at = 0;
    while (at < name.length && name[at] === other[at]) at++;
    return at;
  };
  return paths
    .map((path) => ({ path, shared: sharedWith(nameOfPath(path)) }))
    .sort((a, b) => b.shared - a.shared)
    .map(({ path }) => path);
}

/** As the other is at HEAD, or as somebody's uncommitted change left it. */
function isCopy(member: GroupMember, changed: GroupMember | undefined, atHead: FileFacts | null): boolean {
  const hash = member.change.to?.hash ?? null;
  if (hash !== null && (changed?.change.to?.hash === hash || changed?.change.from?.hash === hash))
    return true;
  // A program writes them, each much like the one before it.
  if (isMigrationPath(member.path)) return false;
  const sketch = member.after?.sketch ?? [];
  return [changed?.after, atHead].some(
    (other) => areAlike(sketch, other?.sketch ?? []) || isSame(member.after, other),
  );
}

/** A file too short for a sketch is a copy when everything about it is the same. */
const isSame = (a: FileFacts | null, b: FileFacts | null | undefined): boolean =>
  a !== null && b != null && a.size === b.size && JSON.stringify(a.source) === JSON.stringify(b.source);

/** `lib/` and `es/` hold the same names on purpose. */
function areTwins(a: string, b: string, head: HeadSources): boolean {
  if (a === b) return false;
  let shared = 0;
  for (const path of head.paths) {
    if (folderOfPath(path) !== a) continue;
    if (head.paths.has(joinPath(b, nameOfPath(path))) && ++shared >= TWIN_FILES) return true;
  }
  return false;
}
