/**
 * The kinds of record an act adds. They lie in a journal of the workspace's own (src/acts/plans/acts-session.ts), whose
 * claim is held while anything is changed: one executor at a time (K1), taken over only from a dead one (K4).
 */
import { spec } from "./kind-spec.ts";
import { plan, planAdvanced, planKept, planSettled } from "./plan.ts";

export const ACT_KINDS = {
  /** Durable before the first change (S5). Open until it is settled. */
  "plan.made": spec({
    by: "owner",
    body: plan,
    opens: ["plan", "plan"],
    shape: ["plan", "act", "session", "capture", "undoes", "redoes"],
  }),
  "plan.advanced": spec({
    by: "owner",
    body: planAdvanced,
    needs: ["plan", "plan"],
    shape: ["plan", "step", "back"],
  }),
  "plan.kept": spec({ by: "owner", body: planKept, needs: ["plan", "plan"], shape: ["plan"] }),
  /** The plan is done, or everything of it was put back; both are on disk. */
  "plan.settled": spec({
    by: "owner",
    body: planSettled,
    closes: ["plan", "plan"],
    shape: ["plan", "outcome", "late", "back"],
  }),
} as const;
