/**
 * Whether what is staged at a path was staged while the session worked, as far as its captures tell: its last one that looked
 * at the index shows the very same entry, and its first one did not have it. Then a commit of the session's work takes its
 * place; everything else staged is the user's and is carried along (W7).
 */
import type { CommitOrder } from "../../acts/compilers/commit.ts";
import { isSameStaged } from "../../acts/plans/draft.ts";
import { pathFromJson } from "../../model/path-name.ts";
import { wasDirtyBefore } from "../changes/owned-changes.ts";
import type { Salvage } from "../judging/salvage.ts";

export function isStagedBySession({ wholeCaptures, owned }: Salvage): CommitOrder["isStagedBySession"] {
  const last = wholeCaptures.find(({ capture }) => capture.how === "status")?.capture;
  const entries = new Map(last?.entries.map((entry) => [pathFromJson(entry), entry]) ?? []);
  return (path, staged) => {
    if (wasDirtyBefore(path, owned.track)) return false;
    const then = entries.get(path)?.staged;
    return then !== undefined && isSameStaged(then, staged);
  };
}
