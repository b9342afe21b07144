/** Whether a session is all that holds parked work: it was sent here with it, and in no tree here was that brought back (W8; docs/decisions/0027). */
import { bodyAs } from "../../model/record.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import type { Store } from "../../store/store.ts";
import { ACTS_PREFIX } from "./acts-session.ts";
import { historyOf } from "./history.ts";
import { parkedIn } from "./parked.ts";
import { carriedPlans, type Plan, plansOf } from "./plans.ts";

/** Plans looked at, newest first: each holds two states of every path. */
export const MAX_PLANS = 1000;

export async function holdsParked(store: Store, row: SessionRow | null): Promise<boolean> {
  if (row?.facts.carries_parked !== true) return false;
  const plans: Plan[] = [];
  for (const { id: session } of await store.sessions({ prefix: ACTS_PREFIX })) {
    const query = { session, kinds: ["plan.made"], order: "backward", limit: 1 } as const;
    const [record] = await store.records(query);
    const made = record && bodyAs(record, "plan.made");
    // What cannot be read has brought nothing back: rather held too long than lost.
    if (!made) continue;
    const most = plans.length + MAX_PLANS;
    for await (const plan of plansOf(store, { kind: "folder", root: made.workspace.path })) {
      plans.push(plan);
      if (plans.length === most) break;
    }
  }
  const known = new Set(plans.map(({ id }) => id));
  const carried = (await carriedPlans(store, row.id)).filter(({ id }) => !known.has(id));
  const own = new Set(carried.map(({ id }) => id));
  const all = [...plans, ...carried].map((plan) => ({ ...plan, isOfOtherTree: false }));
  return parkedIn(historyOf(all)).some(({ plan }) => own.has(plan));
}
