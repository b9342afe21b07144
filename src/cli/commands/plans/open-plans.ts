/** S5: what a command left half done is shown by whoever may not write, with the command that ends it. */
import { openPlans, type Plan } from "../../../acts/plans/plans.ts";
import type { RefloatStore } from "../../../app/store/open-store.ts";
import { livenessOf } from "../../../platform/liveness.ts";
import type { Workspace } from "../../../workspace/opening/workspace.ts";
import type { Context } from "../../context/context.ts";
import { shortId } from "../../screen/short-id.ts";
import { count } from "../../screen/words.ts";

/** The tree may be in the middle of them. */
export async function tellOpenPlans(
  context: Context,
  store: RefloatStore | null,
  workspace: Workspace,
): Promise<readonly Plan[]> {
  const open = store ? await openPlans(store.raw, workspace) : [];
  const isDead = ({ executor }: Plan): boolean => livenessOf(executor).kind === "dead";
  const left = open.filter(isDead);
  const running = open.filter((plan) => !isDead(plan));
  if (left.length > 0)
    context.out.narrate(
      context.out.typed(
        `${count(left.length, "plan")} of an earlier command ${left.length === 1 ? "is" : "are"} open: ${named(left)}. The tree may be in the middle of it; \`refloat doctor --fix\` ends it.`,
      ),
    );
  if (running.length > 0)
    context.out.narrate(
      `Another command may be changing this tree right now: ${named(running)}. What is seen may be in the middle of it.`,
    );
  return open;
}

const named = (plans: readonly Plan[]): string =>
  plans.map(({ id, act }) => `${shortId(id)} (${act})`).join(", ");
