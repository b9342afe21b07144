/**
 * Changed paths that no group tells of: what could not be read in the tree, and what cannot be compared, because the other side is
 * not there. A manifest that left them out would say that nothing differs (W4, T1).
 */
import type { PathName } from "../../model/path-name.ts";
import type { Salvage } from "../judging/salvage.ts";

export interface UntoldGap {
  readonly path: PathName;
  readonly why: string;
}

export function untoldGaps({ owned, groups }: Pick<Salvage, "owned" | "groups">): UntoldGap[] {
  const told = new Set(groups.flatMap(({ changes }) => changes.map(({ change }) => change.path)));
  const gaps = new Map(owned.unknown.map(({ path, why }) => [path, why]));
  for (const { path, detail } of owned.now.reading.gaps) gaps.set(path, detail);
  return [...gaps].flatMap(([path, why]) => (told.has(path) ? [] : [{ path, why }]));
}
