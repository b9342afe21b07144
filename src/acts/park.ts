/**
 * What is parked in a workspace, told by its plans (DESIGN 7): a group that a standing plan took out of the tree under a
 * name, and that no standing plan brought back. Pure. Undoing the plan that parked it brings it back, and it is parked no more.
 */
import { isJsonObject, type JsonObject } from "../model/json.ts";
import type { IndexEdit, PathPut, PlanDraft } from "./draft.ts";
import type { History } from "./history.ts";
import type { Plan } from "./plans.ts";

export interface Parked {
  readonly name: string;
  readonly plan: string;
  readonly session: string | null;
  readonly atMs: number;
  readonly verdict: string | null;
  readonly why: string | null;
  readonly goal: string | null;
  readonly puts: readonly PathPut[];
  readonly index: readonly IndexEdit[];
}

/** Newest first. */
export function parkedIn({ standing }: History): Parked[] {
  const back = new Set(standing.flatMap(({ data }) => unparkedBy(data)));
  return standing.flatMap((plan) =>
    parkedBy(plan).flatMap((one): Parked[] => {
      const isGone = back.has(unparkKey(plan, one.name)) || plan.back.has(one.name);
      return isGone ? [] : [{ ...one, plan: plan.id, session: plan.session, atMs: plan.atMs }];
    }),
  );
}

/** A redo stands for the plan it does again. */
const unparkKey = ({ id, redoes }: Plan, name: string): string => `${redoes ?? id} ${name}`;

type ParkedGroup = Omit<Parked, "plan" | "session" | "atMs">;

function parkedBy(plan: Plan): ParkedGroup[] {
  const { parked } = plan.data;
  if (!Array.isArray(parked) || plan.act === "undo" || plan.act === "unpark") return [];
  return parked.flatMap((one): ParkedGroup[] => {
    if (!isJsonObject(one) || typeof one.name !== "string") return [];
    const { name } = one;
    const isOf = ({ group }: { readonly group: string }): boolean => group === name;
    const puts = plan.puts.filter(isOf);
    const text = (value: unknown): string | null => (typeof value === "string" ? value : null);
    return [
      {
        name,
        verdict: text(one.verdict),
        why: text(one.why),
        goal: text(one.goal),
        puts,
        index: plan.index.filter(isOf),
      },
    ];
  });
}

function unparkedBy(data: JsonObject): string[] {
  const { unparks } = data;
  return isJsonObject(unparks) ? [`${String(unparks.plan)} ${String(unparks.name)}`] : [];
}

/** Everything of the group the other way round: what park put there must still be there. */
export function compileUnpark({ name, plan, session, puts, index }: Parked, parkedBy: Plan): PlanDraft {
  return {
    act: "unpark",
    session: session as PlanDraft["session"],
    puts: puts.map(({ path, group, expect, put }) => ({ path, group, expect: put, put: expect })),
    index: index.map(({ path, group, expect, put }) => ({ path, group, expect: put, put: expect })),
    folders: parkedBy.empties,
    prune: [],
    objects: parkedBy.objects,
    data: { unparks: { plan: parkedBy.redoes ?? plan, name } },
  };
}
