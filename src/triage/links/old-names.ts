/**
 * Files of HEAD that the group leaves alone and that still name a moved source by its old path, in a way that is no import:
 * a list of files, a script, a build's settings, a text. Imports are followed (references/); these are only seen.
 */

import type { GroupMember } from "../facts/member.ts";
import { CHECKED_LANGUAGES, languageOf } from "../facts/paths/languages.ts";
import type { PathClasses } from "../facts/paths/path-classes.ts";
import { isReplacement } from "./group-links.ts";
import type { HeadSources } from "./references/tree.ts";

export interface OldNames {
  readonly members: readonly GroupMember[];
  /** Files that name one of them. Null: they could not be looked for. */
  readonly by: readonly string[] | null;
}

export async function oldNamesIn(
  members: readonly GroupMember[],
  head: HeadSources,
  classes: PathClasses,
): Promise<OldNames | null> {
  const came = members.filter(({ change }) => change.kind === "added");
  const moved = members.filter(({ path, change }) => {
    if (!CHECKED_LANGUAGES.has(languageOf(change.fromPath ?? path))) return false;
    if (change.fromPath !== undefined) return true;
    return change.kind === "deleted" && came.some((fresh) => isReplacement(path, fresh.path));
  });
  if (moved.length === 0) return null;
  const old = moved.map(({ path, change }) => change.fromPath ?? path);
  const found = await head.mentioning(old);
  const own = new Set<string>(members.flatMap(({ path, change }) => [path, change.fromPath ?? path]));
  // A history names what was: that is no promise that it is.
  const by = found?.filter((path) => !own.has(path) && !classes.isJournal(path)) ?? null;
  return by?.length === 0 ? null : { members: moved, by };
}
