/**
 * Which of a session's held work is put into a tree it was not made in (W8). Only onto what is there as the commit has it:
 * what somebody changed here meanwhile stays (W5), and where HEAD has something else than the work was done on, putting it there
 * would take that back. What does not come is named, each with its reason.
 */
import type { PathName } from "../../model/path-name.ts";
import type { Environment } from "../../platform/places.ts";
import type { Store } from "../../store/store.ts";
import {
  type CompareSide,
  compareSides,
  movedBetween,
  nowSide,
  type SidesCompared,
} from "../../workspace/compare/sides.ts";
import { pathsOf } from "../../workspace/compare/states.ts";
import type { Workspace } from "../../workspace/opening/workspace.ts";
import type { Reading } from "../../workspace/tree/reading.ts";
import type { PathPut } from "../plans/draft.ts";
import type { WantedPaths } from "./put-back.ts";
import { type LeftAlone, putsOf } from "./put-back.ts";

/** What is held, on top of which commit. */
export interface HeldReading {
  readonly reading: Reading;
  readonly headId: string | null;
}

export interface BringFacts {
  /** From what is held to what is here now. */
  readonly compared: SidesCompared;
  readonly held: ReadonlySet<PathName>;
  /** What differs from HEAD here. */
  readonly dirty: ReadonlySet<PathName>;
  /** In what HEAD differs here from the commit it was done on. */
  readonly moved: ReadonlySet<PathName>;
}

export async function gatherBring(
  store: Store,
  workspace: Workspace,
  { reading, headId }: HeldReading,
  env: Environment,
): Promise<BringFacts> {
  const repository = workspace.kind === "git" ? await workspace.repository() : null;
  const held = new Set(reading.entries.map(({ path }) => path));
  const now = await nowSide(workspace, [...held], { env, clock: store.clock });
  // Of the tree only what is held is asked after: what else differs is nobody's business here.
  const side: CompareSide = { label: "what is held", reading: { ...reading, how: "paths" }, headId };
  const compared = await compareSides(repository, side, now);
  const head: CompareSide = { label: "HEAD", reading: null, headId: now.headId };
  const since = repository ? await compareSides(repository, head, now) : null;
  const dirty = since ? [...since.changes.flatMap(pathsOf), ...since.unknown.map(({ path }) => path)] : [];
  return {
    compared,
    held,
    dirty: new Set(dirty),
    moved: repository ? await movedBetween(repository, headId, now.headId) : new Set(),
  };
}

export interface BroughtPaths {
  readonly puts: readonly PathPut[];
  readonly leftAlone: readonly LeftAlone[];
}

/** Pure. Whoever names a path wants it as it is held, whatever is there now: undo brings that back. */
export function compileBring(
  { compared, held, dirty, moved }: BringFacts,
  wanted: WantedPaths,
): BroughtPaths {
  const puts: PathPut[] = [];
  const leftAlone: LeftAlone[] = [];
  const isWanted = (path: PathName): boolean => wanted.isEmpty || wanted.naming(path) !== "not";
  const whyNot = (paths: readonly PathName[]): string | null => {
    if (paths.some((path) => wanted.naming(path) === "itself")) return null;
    if (paths.some((path) => dirty.has(path))) return "it was changed here";
    return paths.some((path) => moved.has(path)) ? "HEAD has something else there than it was done on" : null;
  };
  for (const change of compared.changes.filter((one) => pathsOf(one).some(isWanted))) {
    const why = whyNot(pathsOf(change));
    if (why === null) puts.push(...putsOf(change, (path) => !held.has(path)));
    else leftAlone.push({ path: change.path, why, isConflict: true });
  }
  for (const path of compared.committed.filter((one) => held.has(one) && isWanted(one)))
    leftAlone.push({ path, why: "HEAD has something else there than it was done on", isConflict: true });
  for (const { path, why } of compared.unknown.filter((one) => isWanted(one.path)))
    leftAlone.push({ path, why, isConflict: true });
  return { puts, leftAlone };
}
