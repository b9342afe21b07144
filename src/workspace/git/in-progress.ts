/** What git is in the middle of: a merge, a rebase and so on. Named in every capture, because HEAD alone then says little. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Location } from "./locate.ts";

export type InProgress = "merge" | "rebase" | "cherry-pick" | "revert" | "bisect" | "am" | "sequence";

const SIGNS: readonly (readonly [file: string, what: InProgress])[] = [
  ["MERGE_HEAD", "merge"],
  ["rebase-merge", "rebase"],
  ["rebase-apply/applying", "am"],
  ["rebase-apply", "rebase"],
  ["CHERRY_PICK_HEAD", "cherry-pick"],
  ["REVERT_HEAD", "revert"],
  ["BISECT_LOG", "bisect"],
  ["sequencer", "sequence"],
];

export function inProgress({ gitDir }: Location): InProgress[] {
  const found = SIGNS.filter(([file]) => existsSync(join(gitDir, file))).map(([, what]) => what);
  // `am` keeps its state in rebase-apply too.
  return [...new Set(found.includes("am") ? found.filter((what) => what !== "rebase") : found)];
}
