/**
 * New files that nothing names, in a folder where another change looks for a file that is nowhere: the two ends of a move
 * whose middle is missing, even where they fall into different groups.
 */
import { folderOfPath } from "./manifests.ts";
import type { Member } from "./member.ts";
import { follow } from "./references/follow.ts";
import { scriptCandidates } from "./references/resolve-script.ts";
import { groupTree, type HeadFiles } from "./references/tree.ts";

export interface Stray {
  readonly member: Member;
  /** What names the missing file, and how. */
  readonly from: string;
  readonly specifier: string;
}

/** Folders in which a change looks for a script that is neither at HEAD nor among the changes. */
export async function soughtFolders(
  everyone: readonly Member[],
  head: HeadFiles,
): Promise<ReadonlyMap<string, { readonly from: string; readonly specifier: string }>> {
  const tree = groupTree(head, everyone);
  const found = new Map<string, { from: string; specifier: string }>();
  for (const { path, after } of everyone)
    for (const reference of after?.source?.references ?? []) {
      if (!after || after.language === "python" || reference.isOptional) continue;
      if ((await follow(path, after, reference, tree)).kind !== "missing-file") continue;
      const [place] = scriptCandidates(path, reference.specifier);
      if (place !== undefined) found.set(folderOfPath(place), { from: path, specifier: reference.specifier });
    }
  return found;
}

export function straysIn(
  members: readonly Member[],
  taken: readonly string[],
  sought: Awaited<ReturnType<typeof soughtFolders>>,
): Stray[] {
  if (sought.size === 0) return [];
  const isTaken = new Set(taken);
  return members.flatMap((member) => {
    const isIdle = member.change.kind === "added" && member.after?.source && !isTaken.has(member.path);
    const wanted = isIdle ? sought.get(folderOfPath(member.path)) : undefined;
    return wanted ? [{ member, ...wanted }] : [];
  });
}
