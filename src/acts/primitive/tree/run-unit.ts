/**
 * One unit of a plan in the tree: all of its paths are swapped, or all are as they were and the conflicts say why
 * (DESIGN 15). May be cut off anywhere and run again: each path is found either as it is expected or as it shall be.
 */
import { RefloatError } from "../../../model/errors.ts";
import type { PathName } from "../../../model/path-name.ts";
import type { PathState } from "../../../model/path-state.ts";
import { crashPoint } from "../../../platform/crash-point.ts";
import { dropName, makeFolder, removeEmptyFolder, type UnsyncedFile } from "../../../platform/tree-names.ts";
import { shownPath } from "../../../text/shown-path.ts";
import type { Conflict } from "../../plans/outcome.ts";
import { stateAt } from "./state-at.ts";
import { isState, prepareNew, type ReadContent, swapPath, takeBack } from "./swap-path.ts";
import { type Keep, tidySlots } from "./tidy-slots.ts";
import { isEmptyFolder, isThere, slotsOf, type Tree, type TreePlace } from "./tree.ts";
import { type GroupedStep, parentsOf, type Unit } from "./units.ts";

export interface TreeWork {
  readonly tree: Tree;
  readonly read: ReadContent;
  readonly keep: Keep;
  /** Throws when the claim is somebody else's by now (K4). */
  recheck(): Promise<void>;
  onPath(): void;
  /** True: an earlier executor may have left slots. */
  readonly isLate: boolean;
  /** Permission bits of a folder that has to be made. */
  modeOf(folder: PathName): number;
  /** Whether the plan makes this folder: then it goes again when the unit is put back. */
  isMade(folder: PathName): boolean;
  /** Whether the folder may be removed when it is empty. */
  mayPrune(folder: PathName): boolean;
}

/** Empty: it is done, and on disk. */
export async function runUnit(work: TreeWork, unit: Unit): Promise<Conflict[]> {
  if (work.isLate) for (const step of unit.steps) await tidy(work, step);
  const done: GroupedStep[] = [];
  const todo: GroupedStep[] = [];
  const conflicts: Conflict[] = [];
  for (const step of unit.steps) {
    const found = look(work, step);
    if (found.kind === "conflict") conflicts.push(found.conflict);
    else (found.kind === "done" ? done : todo).push(step);
  }
  // Those an earlier executor did have no slots any more, and their folders may be gone with them.
  const doneBefore = done.length;
  for (const batch of conflicts.length > 0 ? [] : batchesOf(todo)) {
    conflicts.push(...(await swapBatch(work, batch, done)));
    if (conflicts.length > 0) break;
  }
  if (conflicts.length === 0) {
    syncFolders(work, unit.steps);
    crashPoint("act.group-swapped");
    conflicts.push(...(await dropAsides(work, done.slice(doneBefore))));
  }
  if (conflicts.length > 0) return [...conflicts, ...(await putBack(work, unit, done))];
  prune(work, unit.steps);
  syncFolders(work, unit.steps);
  return [];
}

/** A unit that was done, because the index or a ref could not follow. */
export async function putUnitBack(work: TreeWork, unit: Unit): Promise<Conflict[]> {
  const done = unit.steps.filter((step) => look(work, step).kind === "done");
  return putBack(work, unit, done);
}

type StepLook =
  | { readonly kind: "todo" }
  | { readonly kind: "done" }
  | { readonly kind: "conflict"; readonly conflict: Conflict };

function look(work: TreeWork, step: GroupedStep): StepLook {
  const entered = work.tree.enter(step);
  if (entered.kind === "barred") return { kind: "conflict", conflict: conflict(step, null, entered.why) };
  const seen = entered.kind === "place" ? stateAt(entered.place.at) : NOTHING;
  if (isState(seen, step.expect)) return { kind: "todo" };
  if (isState(seen, step.put)) return { kind: "done" };
  const [found, why] = seen.kind === "state" ? [seen.state, null] : [null, seen.why];
  return { kind: "conflict", conflict: conflict(step, found, why) };
}

const NOTHING = { kind: "state", state: null, stat: null } as const;

const conflict = (step: GroupedStep, found: PathState, why: string | null): Conflict => ({
  path: step.path,
  group: step.group,
  expected: step.expect,
  found,
  why,
});

/** New files written and synced together: as many as may lie beside their paths at once. */
const BATCH_PATHS = 64;
const BATCH_BYTES = 32 * 1024 * 1024;

function batchesOf(steps: readonly GroupedStep[]): GroupedStep[][] {
  const batches: GroupedStep[][] = [];
  let bytes = 0;
  for (const step of steps) {
    const size = step.put?.size ?? 0;
    const last = batches.at(-1);
    if (last && last.length < BATCH_PATHS && bytes + size <= BATCH_BYTES) {
      last.push(step);
      bytes += size;
    } else {
      batches.push([step]);
      bytes = size;
    }
  }
  return batches;
}

/** Adds what was swapped to `done`; stops at the first conflict. */
async function swapBatch(
  work: TreeWork,
  batch: readonly GroupedStep[],
  done: GroupedStep[],
): Promise<Conflict[]> {
  let next = 0;
  try {
    await prepareBatch(work, batch);
    for (; next < batch.length; next++) {
      const step = batch[next] as GroupedStep;
      await work.recheck();
      const conflict = await swapOne(work, step);
      if (conflict) return [conflict];
      done.push(step);
      work.onPath();
    }
    return [];
  } finally {
    // After a conflict or a failure the new files of the rest are of no use.
    for (const step of batch.slice(next)) {
      const slots = slotsOf(work.tree.enter(step));
      if (slots) dropName(slots.slot("n"));
    }
  }
}

/** A path whose folder comes only with another path of the batch is written when it is swapped. */
async function prepareBatch(work: TreeWork, batch: readonly GroupedStep[]): Promise<void> {
  const files: UnsyncedFile[] = [];
  const coming = new Set(batch.flatMap(({ path, put }) => (put?.kind === "directory" ? [path] : [])));
  try {
    for (const step of batch) {
      const isLater = parentsOf(step.path).some((folder) => coming.has(folder));
      const place = step.put === null || isLater ? "" : makePlace(work, step);
      const file = typeof place === "string" ? null : await prepareNew(place, step, work.read);
      if (file) files.push(file);
    }
    for (const file of files) file.sync();
  } finally {
    for (const file of files) file.close();
  }
}

async function swapOne(work: TreeWork, step: GroupedStep): Promise<Conflict | null> {
  const place = step.put === null ? placeOf(work, step) : makePlace(work, step);
  if (typeof place === "string") return conflict(step, null, place);
  const outcome = await swapPath(place, step, work.read);
  if (outcome.kind === "swapped") return null;
  // Through the same descriptors: the folder may have been moved away, and its slots with it.
  await tidySlots({ kind: "place", place }, step, work.keep);
  return conflict(step, outcome.found, outcome.why);
}

/** A text says why there is none. */
function placeOf(work: TreeWork, step: GroupedStep): TreePlace | string {
  const entered = work.tree.enter(step);
  if (entered.kind === "place") return entered.place;
  return entered.kind === "barred" ? entered.why : "its folder is not there";
}

function makePlace(work: TreeWork, step: GroupedStep): TreePlace | string {
  const there = placeOf(work, step);
  if (typeof there !== "string") return there;
  for (const folder of parentsOf(step.path).reverse()) {
    const entered = work.tree.enterFolder(folder);
    if (entered.kind !== "place" || isThere(entered.place.at)) continue;
    // Missing without the plan's doing: somebody moved it away, and it is not for us to make another.
    if (!work.isMade(folder) && !work.mayPrune(folder)) break;
    makeFolder(entered.place.at, work.modeOf(folder), entered.place.owner);
    entered.place.sync();
    crashPoint("act.folder-made");
  }
  return placeOf(work, step);
}

async function tidy(work: TreeWork, step: GroupedStep): Promise<void> {
  await tidySlots(work.tree.enter(step), step, work.keep);
}

/** The last look at what was replaced, then it goes: the store holds it. */
async function dropAsides(work: TreeWork, steps: readonly GroupedStep[]): Promise<Conflict[]> {
  for (const step of steps) {
    const aside = slotsOf(work.tree.enter(step))?.slot("o");
    // What is aside is in a folder that is not here any more: the plan stays open for a start that finds it.
    if (!aside && step.expect !== null)
      throw new RefloatError("E_ACT_MOVED_AWAY", { path: shownPath(step.path) });
    if (!aside || !isThere(aside)) continue;
    const isFolder = step.expect?.kind === "directory";
    const isGone = isFolder ? removeEmptyFolder(aside) === "removed" : isState(stateAt(aside), step.expect);
    if (!isGone) return [conflict(step, ...foundAt(aside))];
    if (!isFolder) dropName(aside);
    crashPoint("act.aside-dropped");
  }
  return [];
}

function foundAt(at: Buffer): [PathState, string | null] {
  const seen = stateAt(at);
  return seen.kind === "state" ? [seen.state, null] : [null, seen.why];
}

/** Every path that was swapped becomes what it was; one that somebody changed since stays as it is. */
async function putBack(work: TreeWork, unit: Unit, done: readonly GroupedStep[]): Promise<Conflict[]> {
  const conflicts: Conflict[] = [];
  for (const step of done.toReversed()) {
    await work.recheck();
    const found = await backOne(work, step);
    if (found) conflicts.push(found);
    crashPoint("act.putting-back");
  }
  const made = new Set(unit.steps.flatMap(({ path }) => parentsOf(path)).filter(work.isMade));
  removeFolders(work, [...made]);
  syncFolders(work, unit.steps);
  return conflicts;
}

async function backOne(work: TreeWork, step: GroupedStep): Promise<Conflict | null> {
  const place = step.expect === null ? placeOf(work, step) : makePlace(work, step);
  if (typeof place === "string") return conflict(step, null, place);
  const isChanged = !isState(stateAt(place.at), step.put);
  const isFull = step.put?.kind === "directory" && !isChanged && !isEmptyFolder(place.at);
  if (isChanged || isFull) {
    const found = conflict(step, ...foundAt(place.at));
    await tidy(work, step);
    return isFull ? { ...found, why: "it is not empty" } : found;
  }
  if (isThere(place.slot("o"))) {
    takeBack(place, step);
    await tidy(work, step);
    return null;
  }
  const outcome = await swapPath(place, { ...step, expect: step.put, put: step.expect }, work.read);
  if (outcome.kind === "swapped" && step.put !== null) dropBacked(place, step);
  else await tidy(work, step);
  return outcome.kind === "swapped" ? null : conflict(step, outcome.found, outcome.why);
}

/** Of what was put and is now taken out again, the store holds every byte: it was just compared. */
function dropBacked(place: TreePlace, { put }: GroupedStep): void {
  if (put?.kind === "directory") removeEmptyFolder(place.slot("o"));
  else dropName(place.slot("o"));
}

/** Folders that the unit left empty. */
function prune(work: TreeWork, steps: readonly GroupedStep[]): void {
  const left = steps.filter(({ put }) => put === null).flatMap(({ path }) => parentsOf(path));
  removeFolders(work, [...new Set(left)].filter(work.mayPrune));
}

function removeFolders(work: TreeWork, folders: readonly PathName[]): void {
  for (const folder of folders.toSorted((a, b) => b.length - a.length)) {
    const entered = work.tree.enterFolder(folder);
    if (entered.kind !== "place" || !isThere(entered.place.at)) continue;
    if (removeEmptyFolder(entered.place.at) === "kept") continue;
    entered.place.sync();
    crashPoint("act.folder-removed");
  }
}

/** Each folder once; one that is gone was synced by who removed it. */
function syncFolders(work: TreeWork, steps: readonly GroupedStep[]): void {
  const folders = new Map(steps.map((step) => [parentsOf(step.path)[0] ?? "", step]));
  for (const step of folders.values()) {
    slotsOf(work.tree.enter(step))?.sync();
  }
}
