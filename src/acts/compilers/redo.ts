/** Doing again what was undone: the newest undo is taken back, so that what it took away is there again. Pure. */
import { type History, laterOnSame } from "../plans/history.ts";
import { type TakenBack, takenBack } from "./undo.ts";

export function compileRedo({ standing, undone, isReopened }: History): TakenBack {
  const [undo] = undone;
  if (!undo?.undoes) return { kind: "nothing", why: "nothing was undone" };
  // Undone after it and done again since: there it is as it was when this undo ended.
  const since = standing.filter((one) => one.redoes === null || !isReopened(one, undo));
  const by = laterOnSame(undo, since);
  if (by) return { kind: "blocked", plan: undo, by };
  return takenBack(undo, { act: "redo", redoes: undo.undoes });
}
