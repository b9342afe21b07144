/** A parked group back into the tree. */
import type { PlanDraft } from "../plans/draft.ts";
import type { ParkedChanges } from "../plans/parked.ts";
import type { Plan } from "../plans/plans.ts";

/** Everything of the group the other way round: what park put there must still be there. */
export function compileUnpark(
  { name, plan, session, puts, index }: ParkedChanges,
  parkedBy: Plan,
): PlanDraft {
  return {
    act: "unpark",
    session: session as PlanDraft["session"],
    puts: puts.map(({ path, group, expect, put }) => ({ path, group, expect: put, put: expect })),
    index: index.map(({ path, group, expect, put }) => ({ path, group, expect: put, put: expect })),
    folders: parkedBy.empties,
    prune: [],
    objects: parkedBy.objects,
    // Where its content is there already it is still taken out: nobody is to be told to bring it back again.
    isNoted: true,
    data: { unparks: { plan: parkedBy.redoes ?? plan, name } },
  };
}
