/** Doing again what was undone: the newest undo is taken back, so that what it took away is there again. Pure. */
import { type History, laterOnSame } from "./history.ts";
import { type TakenBack, takenBack } from "./undo.ts";

export function compileRedo({ standing, undone }: History): TakenBack {
  const [undo] = undone;
  if (!undo?.undoes) return { kind: "nothing", why: "nothing was undone" };
  const by = laterOnSame(undo, standing);
  if (by) return { kind: "blocked", plan: undo, by };
  return { kind: "draft", plan: undo, draft: { ...takenBack(undo), act: "redo", redoes: undo.undoes } };
}
