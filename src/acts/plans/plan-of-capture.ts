/** The plan a safety capture was taken for: the next one in its journal, if it names it. None: the act was cut off before its plan was made. */
import type { SessionId } from "../../model/ids.ts";
import { bodyAs } from "../../model/record.ts";
import type { Store } from "../../store/store.ts";
import type { TakenCapture } from "../../workspace/captures/take-capture.ts";
import { isActsSession } from "./is-acts-session.ts";

export interface PlanOfCapture {
  readonly plan: string;
  readonly act: string;
  /** On whose behalf; null: the user's own order. */
  readonly session: SessionId | null;
}

export async function planOfCapture(
  store: Store,
  { id, session, seq }: Pick<TakenCapture, "id" | "session" | "seq">,
): Promise<PlanOfCapture | null> {
  if (!isActsSession(session)) return null;
  const [record] = await store.records({ session, kinds: ["plan.made"], fromSeq: seq, limit: 1 });
  const body = record && !record.isForgotten ? bodyAs(record, "plan.made") : null;
  return body?.capture === id
    ? { plan: body.plan, act: body.act, session: body.session as SessionId | null }
    : null;
}
