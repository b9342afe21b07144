/** A plan on its way: what every step of it needs. */
import type { Store } from "../../../store/store.ts";
import type { Workspace } from "../../../workspace/opening/workspace.ts";
import type { ActsClaim } from "../../plans/acts-session.ts";
import type { Plan } from "../../plans/plans.ts";
import { type Unit, unitsOf } from "./units.ts";

export interface Execution {
  readonly store: Store;
  readonly workspace: Workspace;
  readonly claim: ActsClaim;
  readonly plan: Plan;
  /** True: an earlier executor may have begun. */
  readonly isLate: boolean;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

/** The same for every executor of a plan: its slots are named by it. */
export function unitsOfPlan({ puts, index, refs }: Plan): Unit[] {
  return unitsOf(puts, { isOne: refs.length > 0, others: index.map(({ group }) => group) });
}
