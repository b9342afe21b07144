/** What takes a plan back: of every group that it changed, each path, index entry and ref the other way round. Pure. */
import type { PlanDraft } from "../plans/draft.ts";
import type { Plan } from "../plans/plans.ts";

export type Inverse = Pick<PlanDraft, "puts" | "index" | "refs" | "objects" | "folders" | "prune"> &
  Pick<Partial<PlanDraft>, "head">;

export function inverseOf(plan: Plan): Inverse {
  const isChanged = ({ group }: { readonly group: string }): boolean => !plan.back.has(group);
  return {
    puts: plan.puts
      .filter(isChanged)
      .map(({ path, group, expect, put }) => ({ path, group, expect: put, put: expect })),
    index: plan.index
      .filter(isChanged)
      .map(({ path, group, expect, put }) => ({ path, group, expect: put, put: expect })),
    refs: plan.refs.map(({ ref, expect, put }) => ({ ref, expect: put, put: expect })),
    objects: plan.objects,
    ...(plan.head === undefined ? {} : { head: plan.head }),
    // Folders that went come back as they were; of those it made, the empty ones go, and no others.
    folders: plan.empties,
    prune: plan.makes.map(({ path }) => path),
  };
}
