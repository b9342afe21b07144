/** What references lead to and could not be looked into: whether it gives what they ask for is not known (S3). */

import { unlookedWhy } from "../../facts/known/unlooked-facts.ts";
import type { GroupMember } from "../../facts/member.ts";
import { CHECKED_LANGUAGES, languageOf } from "../../facts/paths/languages.ts";
import { follow } from "./follow.ts";
import type { GroupTree, HeadSources } from "./tree.ts";

/** Why references of these files could not be followed. */
export async function unlookedTargets(members: readonly GroupMember[], tree: GroupTree): Promise<string[]> {
  const found = new Set<string>();
  for (const { path, after } of members)
    for (const reference of after?.source?.references ?? []) {
      if (!after || reference.names.length === 0) continue;
      const followed = await follow(path, after, reference, tree);
      for (const target of followed.kind === "found" ? followed.paths : []) {
        const why = CHECKED_LANGUAGES.has(languageOf(target))
          ? unlookedWhy(await tree.factsOf(target))
          : null;
        if (why !== null) found.add(`what ${target} gives is not known: ${why}`);
      }
    }
  return [...found];
}

/** Of a file that names one of the group; null: it was looked into. */
export async function unlookedReferrer(path: string, head: HeadSources): Promise<string | null> {
  const why = unlookedWhy(await head.factsOf(path));
  return why === null ? null : `what ${path} refers to is not known: ${why}`;
}
