/**
 * One path from what is expected to what is to be there (W3). What is in the tree after each step:
 *
 *  1. new file written and synced in slot n       path as before
 *  2. checked against `expect`                    path as before
 *  3. path renamed to slot o                      nothing at the path; whatever was there is in o
 *  4. slot n linked to the path                   the new file at the path
 *  5. o compared with `expect`                    equal: done; o stays until its whole group is swapped
 *
 * Steps 2 to 5 run without a pause. Node has no exchange of two names (renameat2), so between 3 and 4 nothing has
 * the path's name. Renaming over the path instead would be one step, and would destroy a file that an editor put
 * there by rename between 2 and 3. What can still happen, and why no byte is lost:
 *
 *  - Somebody replaces the file between 2 and 3: his file is what goes to o. Step 5 sees it; it goes back.
 *  - Somebody writes into the old file between 2 and 5: it is in o, step 5 sees it; it goes back. Written later,
 *    while o is still there: the comparison before o is dropped sees it. Later than that only a process that had
 *    the file open before and writes on without looking is not seen, as with every editor that saves by rename.
 *  - Somebody creates the path between 3 and 4: the link fails, his file stays, what o holds is in the store.
 *  - Somebody moves the path's folder away after it was opened: the swap happens in that folder, wherever it is now;
 *    no name in it but the path's own and our slots is touched. Nothing that lay elsewhere before is.
 *  - A kill: see tidy-slots.ts.
 */
import { type BigIntStats, lstatSync } from "node:fs";
import type { ContentHash } from "../../../model/ids.ts";
import { isSameState, type PathState, type PresentState } from "../../../model/path-state.ts";
import { crashPoint } from "../../../platform/crash-point.ts";
import {
  createSymlink,
  createWhole,
  dropName,
  type FileOwner,
  linkName,
  makeFolder,
  moveAside,
  moveFolderBack,
  tryMoveAside,
  type UnsyncedFile,
} from "../../../platform/tree-names.ts";
import { type SeenState, stateAt } from "./state-at.ts";
import { isEmptyFolder, isThere, type LocatedPath, type TreePlace } from "./tree.ts";

/** A path of a plan with its slots' key. */
export interface SwapStep extends LocatedPath {
  readonly expect: PathState;
  readonly put: PathState;
}

export type SwapOutcome =
  | { readonly kind: "swapped" }
  | { readonly kind: "conflict"; readonly found: PathState; readonly why: string | null };

export type ReadContent = (hash: ContentHash) => AsyncIterable<Uint8Array>;

const conflictOf = (seen: SeenState): Extract<SwapOutcome, { kind: "conflict" }> =>
  seen.kind === "unreadable"
    ? { kind: "conflict", found: null, why: seen.why }
    : { kind: "conflict", found: seen.state, why: null };

export const isState = (seen: SeenState, state: PathState): boolean =>
  seen.kind === "state" && isSameState(seen.state, state);

/** With slot n filled beforehand (prepareNew), or here. */
export async function swapPath(place: TreePlace, step: SwapStep, read: ReadContent): Promise<SwapOutcome> {
  const { expect } = step;
  const first = stateAt(place.at);
  if (!isState(first, expect)) return givenUp(place, conflictOf(first));
  if (!isThere(place.slot("n"))) {
    const file = await prepareNew(place, step, read);
    file?.sync();
    file?.close();
  }
  const again = stateAt(place.at);
  return isState(again, expect) ? exchange(place, step) : givenUp(place, conflictOf(again));
}

const BARRED = "it may not be moved: it is protected, or something is mounted there";
const NOTHING: SeenState = { kind: "state", state: null, stat: null };

/** The new file in slot n, to be synced by the caller. Null: the path needs none, or is not as expected. */
export async function prepareNew(
  place: TreePlace,
  { expect, put }: SwapStep,
  read: ReadContent,
): Promise<UnsyncedFile | null> {
  if (put === null || put.kind === "directory") return null;
  const seen = stateAt(place.at);
  if (!isState(seen, expect)) return null;
  const [at, owner] = [place.slot("n"), ownerOf(seen, place)];
  const pieces = read(put.hash as ContentHash);
  // A folder that was away when the slots were tidied brings its own back with it: our new file, whole or not.
  dropName(at);
  try {
    if (put.kind !== "symlink") return await createWhole(at, { mode: put.mode, owner, pieces });
    createSymlink(at, await whole(pieces), owner);
    return null;
  } catch (thrown) {
    dropName(at); // half a file of ours: nobody's bytes
    throw thrown;
  } finally {
    crashPoint("act.new-written");
  }
}

async function whole(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}

/** Steps 3 to 5. A folder is made, anything else is in slot n. */
function exchange(place: TreePlace, step: SwapStep): SwapOutcome {
  const { expect, put } = step;
  if (expect !== null) {
    const moved = tryMoveAside(place.at, place.slot("o"));
    if (moved === "missing") return givenUp(place, conflictOf(NOTHING));
    if (moved === "barred") return givenUp(place, { kind: "conflict", found: expect, why: BARRED });
    crashPoint("act.aside");
    if (expect.kind === "directory" && !isEmptyFolder(place.slot("o"))) {
      moveFolderBack(place.slot("o"), place.at);
      return givenUp(place, { kind: "conflict", found: expect, why: "it is not empty" });
    }
  }
  if (put !== null && come(place, put) === "taken") return givenUp(place, conflictOf(stateAt(place.at)));
  crashPoint("act.swapped");
  return isAsideAs(place, expect) ? { kind: "swapped" } : takeBack(place, step);
}

function come(place: TreePlace, put: PresentState): "there" | "taken" {
  if (put.kind === "directory")
    return makeFolder(place.at, put.mode, place.owner) === "made" ? "there" : "taken";
  if (linkName(place.slot("n"), place.at) === "taken") return "taken";
  dropName(place.slot("n"));
  return "there";
}

function givenUp(place: TreePlace, conflict: SwapOutcome): SwapOutcome {
  dropName(place.slot("n"));
  return conflict;
}

/** Whether what was replaced is what the plan says: only then its bytes are held. */
function isAsideAs(place: TreePlace, expect: PathState): boolean {
  return expect === null || isState(stateAt(place.slot("o")), expect);
}

/**
 * What is aside goes back to its name, by way of slot r; what has the name now goes to o, where it is compared like
 * everything that is replaced. Used for what somebody wrote at the last moment, and for a group in conflict.
 */
export function takeBack(place: TreePlace, { put }: SwapStep): SwapOutcome {
  const aside = stateAt(place.slot("o"));
  moveAside(place.slot("o"), place.slot("r"));
  if (put !== null) moveAside(place.at, place.slot("o"));
  bringBack(place, "r");
  return conflictOf(aside);
}

/** Never over anything: if the name is taken, the slot stays for whoever tidies up. */
export function bringBack(place: TreePlace, slot: "o" | "r"): void {
  const from = place.slot(slot);
  const seen = lstatSync(from, { throwIfNoEntry: false });
  if (!seen) return;
  if (seen.isDirectory()) moveFolderBack(from, place.at);
  else if (linkName(from, place.at) === "linked") dropName(from);
}

/** A new file belongs to whoever the old one belonged to. */
function ownerOf(seen: SeenState, place: TreePlace): FileOwner | null {
  const stat: BigIntStats | null = seen.kind === "state" ? seen.stat : null;
  if (stat === null) return place.owner;
  return { uid: Number(stat.uid), gid: Number(stat.gid) };
}
