/**
 * What a session's commits had that this repository does not have: told by the captures, which hold both sides of whatever
 * changed with HEAD. Never pushed, such a commit is gone with its clone; what was in it is not (W8).
 */
import type { ContentHash } from "../../model/ids.ts";
import { type PathName, pathForDisplay, pathFromBytes, pathFromJson } from "../../model/path-name.ts";
import type { PathState } from "../../model/path-state.ts";
import { readWholeContent } from "../../store/content-store.ts";
import type { Store } from "../../store/store.ts";
import type { GitObject } from "../git/status.ts";
import { isSubmodule, isSymlink } from "../git/status.ts";
import type { ReadEntry, ReadGap } from "../tree/reading.ts";
import type { MovedPaths } from "./moved-sides.ts";
import type { TakenCapture } from "./take-capture.ts";

type MovedState = MovedPaths["paths"][number]["to"];

export interface LostCommits {
  /** The last commit of the session that is here. */
  readonly base: string | null;
  /** Those after it, the oldest first. */
  readonly missing: readonly string[];
  /** What the last of them has otherwise than `base`; null: nothing there. */
  readonly last: ReadonlyMap<PathName, MovedState>;
  /** The same of each capture on one of them, as states; only what is held. */
  readonly byCapture: ReadonlyMap<string, ReadonlyMap<PathName, PathState>>;
}

export async function lostCommits(
  captures: AsyncIterable<TakenCapture>,
  isHere: (commit: string) => Promise<boolean>,
): Promise<LostCommits> {
  const known = new Map<string, boolean>();
  let base: string | null = null;
  let missing: string[] = [];
  let last = new Map<PathName, MovedState>();
  let byCapture = new Map<string, ReadonlyMap<PathName, PathState>>();
  for await (const { id, capture } of captures) {
    const at = capture.head?.id ?? null;
    if (at === null) continue;
    if (!known.has(at)) known.set(at, await isHere(at));
    if (known.get(at)) {
      [base, missing, last, byCapture] = [at, [], new Map(), new Map()];
      continue;
    }
    if (!missing.includes(at)) missing = [...missing, at];
    if (base === null) continue;
    for (const one of capture.moved?.paths ?? []) last.set(pathFromJson(one), one.to);
    byCapture.set(id, new Map([...last].map(([path, side]) => [path, stateOfSide(side, 0)])));
  }
  return { base, missing, last, byCapture };
}

/** Sizes are not on record; a key does not have them either. */
function stateOfSide(side: MovedState, size: number): PathState {
  if (side === null) return null;
  const hash = side.hash as ContentHash | null;
  if (isSubmodule(side)) return { kind: "submodule", mode: 0, size: 0, hash: null, target: side.id };
  if (isSymlink(side)) return { kind: "symlink", mode: 0o777, size, hash };
  return { kind: "file", mode: side.mode & 0o777, size, hash };
}

export interface CommittedOver {
  readonly entries: readonly ReadEntry[];
  readonly gaps: readonly ReadGap[];
}

/** `inBase`: what the base has there; "none": nothing; null: the path is told of by the last reading itself. */
export async function committedOver(
  store: Store,
  { last, missing }: LostCommits,
  inBase: (path: PathName) => GitObject | "none" | null,
): Promise<CommittedOver> {
  const entries: ReadEntry[] = [];
  const gaps: ReadGap[] = [];
  for (const [path, side] of last) {
    const base = inBase(path);
    if (base === null || isSame(base, side)) continue;
    const state = await heldState(store, side);
    if (state !== undefined) entries.push({ path, state, flags: [] });
    else {
      const commit = missing.at(-1)?.slice(0, 12) ?? "?";
      const detail = `it was committed in ${commit}, which is not here, and its bytes are not held`;
      gaps.push({ path, reason: "not-held", detail });
    }
  }
  return { entries, gaps };
}

function isSame(base: GitObject | "none", side: MovedState): boolean {
  if (base === "none" || side === null) return base === "none" && side === null;
  return base.id === side.id && base.mode === side.mode;
}

/** Undefined: the store does not have it. */
async function heldState(store: Store, side: MovedState): Promise<PathState | undefined> {
  if (side === null || isSubmodule(side)) return stateOfSide(side, 0);
  const content = side.hash === null ? null : await store.driver.readContent(side.hash as ContentHash);
  if (!content) return undefined;
  const state = stateOfSide(side, content.bytes);
  if (!isSymlink(side) || state === null) return state;
  const bytes = await readWholeContent(store.driver, content.hash);
  return { ...state, target: pathForDisplay(pathFromBytes(bytes)) };
}
