/** What a command hands over to be shown, asked about and done (act.ts). */
import type { PlanDraft } from "../acts/draft.ts";
import type { LeftAlone } from "../acts/put-back.ts";

export interface CompiledAct {
  readonly draft: PlanDraft;
  readonly leftAlone: readonly LeftAlone[];
  /** What is done, as the first line of the plan: "Put back what capture 7k2m holds". */
  readonly title: string;
  /** The word of the contract for what happens to each group. */
  readonly word: "restore" | "discard";
  /** The commit that has bytes the store may not have yet. */
  readonly commit: string | null;
  readonly notes?: readonly string[];
}
