/** What settling would do and did, as every face's data has it (S7, DESIGN 10). */
import { pathsJson } from "../../model/path-name.ts";
import type { Salvage } from "../../salvage/judging/salvage.ts";
import type { SettleOutcome } from "../../salvage/settle/settle.ts";
import type { ToldGroupAct, ToldPlan } from "../acts/told-act.ts";
import type { PlannedSettle, SettleDecision } from "./settle-order.ts";

export const toldSettle = ({ found, settled }: Pick<PlannedSettle, "found" | "settled">): ToldPlan => ({
  id: planId(settled),
  session: found.session.isImplied ? null : found.session.id,
  acts: settledActs(settled),
});

export const settledActs = ({ acts }: SettleOutcome): ToldGroupAct[] =>
  acts.map(({ group, act, why }) => ({
    group: group.id,
    act,
    ...pathsJson(group.changes.map(({ change }) => change.path)),
    ...(why === null ? {} : { why }),
  }));

/** Null: no plan was made, so nothing was changed. */
export const planId = ({ outcome }: SettleOutcome): string | null =>
  outcome.kind === "done" ? outcome.plan : null;

/** Of a discard what is left alone is said. What is held elsewhere is all of it left alone: nothing more is said of that. */
export const saysLeft = ({ kind }: SettleDecision, { owned }: Salvage): boolean =>
  kind === "discard" && !owned.held;
