/**
 * A path's slots after a swap was cut off, by a kill or by somebody else's write. Whatever the instant was, the slots
 * and the path together hold everything (swap-path.ts), and this rule brings the path to one of its two states:
 *
 *  1. Nothing at the path: what is on its way back (r), else what is aside (o), gets its name again.
 *  2. The new file at the path, but what it replaced is not what the plan expects: that goes back (takeBack).
 *  3. A slot is dropped when its file is the path's own, or when the store holds its bytes because they are the
 *     plan's own before or after. Anything else is first put into the store under a record of its own.
 *
 * It may be cut off itself, and run again.
 */
import { lstatSync } from "node:fs";
import { dropName, removeEmptyFolder } from "../../../platform/tree-names.ts";
import { type SeenState, stateAt } from "./state-at.ts";
import { bringBack, isState, type SwapStep, takeBack } from "./swap-path.ts";
import { type EnteredPath, isThere, slotsOf, type TreePlace } from "./tree.ts";

/** Puts what is at a name into the store, under a record that names it; false: it cannot be read. */
export type Keep = (step: SwapStep, at: Buffer, seen: SeenState) => Promise<boolean>;

/** The slots that had to stay, with the reason. */
export type StayingSlots = readonly { readonly slot: Buffer; readonly why: string }[];

export async function tidySlots(entered: EnteredPath, step: SwapStep, keep: Keep): Promise<StayingSlots> {
  const place = entered.kind === "place" ? entered.place : null;
  const slots = slotsOf(entered);
  if (!slots) return [];
  if (place && !isThere(place.at)) {
    bringBack(place, "r");
    bringBack(place, "o");
  }
  if (place && isRaced(place, step)) takeBack(place, step);
  const left: { slot: Buffer; why: string }[] = [];
  for (const slot of ["r", "o"] as const) {
    const why = await dropSlot(place, slots.slot(slot), step, keep);
    if (why !== null) left.push({ slot: slots.slot(slot), why });
  }
  dropName(slots.slot("n"));
  return left;
}

/** Swapped, but somebody had written into the old file, or put another in its place, at the last moment. */
function isRaced(place: TreePlace, step: SwapStep): boolean {
  if (step.put === null || !isThere(place.slot("o")) || isThere(place.slot("r"))) return false;
  const aside = stateAt(place.slot("o"));
  const isOurs = isState(aside, step.expect) || isState(aside, step.put);
  return !isOurs && isState(stateAt(place.at), step.put);
}

async function dropSlot(
  place: TreePlace | null,
  at: Buffer,
  step: SwapStep,
  keep: Keep,
): Promise<string | null> {
  const stat = lstatSync(at, { bigint: true, throwIfNoEntry: false });
  if (!stat) return null;
  if (stat.isDirectory()) return removeEmptyFolder(at) === "removed" ? null : "it is not empty any more";
  const own = place ? lstatSync(place.at, { bigint: true, throwIfNoEntry: false }) : undefined;
  const isOwn = own?.dev === stat.dev && own.ino === stat.ino;
  const seen = stateAt(at);
  const isHeld = isOwn || isState(seen, step.expect) || isState(seen, step.put);
  if (!isHeld && !(await keep(step, at, seen))) return "it cannot be read";
  dropName(at);
  return null;
}
