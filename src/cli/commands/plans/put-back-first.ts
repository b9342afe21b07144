/** Before a session's held work is settled or gone on with in another tree than it was done in, it is put into that one (W8). */
import { planDraft } from "../../../acts/primitive/apply-draft.ts";
import { holdAndApply } from "../../../acts/primitive/hold-and-apply.ts";
import { RefloatError } from "../../../model/errors.ts";
import type { SessionRow } from "../../../store/contract/driver.ts";
import { judgedSession } from "../../../workspace/trust/judged-session.ts";
import { confirmed } from "../../context/confirm.ts";
import type { Context } from "../../context/context.ts";
import { shortId } from "../../screen/short-id.ts";
import { count, oneLine } from "../../screen/words.ts";
import type { ActPlace } from "./act.ts";
import { planJson, planLines } from "./act-view.ts";
import { compileHeld, moveIfPutBack } from "./held-here.ts";

/** By a plan of its own, shown and asked about. All of it or nothing: half of somebody's work is not settled as if it were whole. */
export async function putBackFirst(
  context: Context,
  place: ActPlace,
  row: SessionRow,
  { isTold = false }: { readonly isTold?: boolean } = {},
): Promise<void> {
  const { store, here } = place;
  const { workspace, env } = here;
  const marked = await judgedSession(env, store.raw);
  if (marked !== null)
    throw new RefloatError("E_UNDER_MARK", { session: marked, what: "put held work back" });
  const compiled = await compileHeld(context, place, row, []);
  const { draft, leftAlone, commit } = compiled;
  const planned = await planDraft(store.raw, workspace, draft);
  const [first] = [...planned.conflicts, ...leftAlone];
  if (first) {
    const others = planned.conflicts.length + leftAlone.length - 1;
    const what = `${oneLine(first.path)}: ${first.why ?? "it changed meanwhile"}`;
    const more = others > 0 ? ` (and ${count(others, "more", "more")})` : "";
    throw new RefloatError("E_HELD_CONFLICT", {
      session: row.id,
      path: workspace.root,
      what: `${what}${more}`,
    });
  }
  const view = { command: "restore", compiled, outcome: planned, commit: null, typed: context.out.typed };
  const plan = { json: planJson(view), text: () => planLines(context, view) };
  if (!isTold && !(await confirmed(context, plan)))
    throw new RefloatError("E_HELD_NOT_HERE", { session: row.id, path: workspace.root });
  const outcome = await holdAndApply(store.raw, workspace, { draft, commit }, { env });
  if (outcome.kind === "refused") throw outcome.error;
  await moveIfPutBack(store, row, workspace);
  const undo =
    outcome.kind === "done"
      ? context.out.typed(` Taken back by: refloat undo --plan ${shortId(outcome.plan)}`)
      : "";
  context.out.narrate(
    `Its work was held and is back in ${oneLine(workspace.root)}: ${count(outcome.paths.length, "path")}.${undo}`,
  );
}
