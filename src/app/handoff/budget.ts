/** How many tokens a brief may have when nobody says: the config's `handoff.budget`, else 2,000 (DESIGN 10). */
import { DEFAULT_BUDGET_TOKENS, MAX_BUDGET_TOKENS, MIN_BUDGET_TOKENS } from "../../handoff/write-brief.ts";
import { headConfig } from "../../workspace/opening/config.ts";
import type { Workspace } from "../../workspace/opening/workspace.ts";
import { nothingSafe } from "../../workspace/trust/judging-config.ts";

/** Within the bounds of `--budget`: a config that any session may commit makes no brief that says nothing, nor keeps it back (T2). */
export async function handoffBudget(workspace: Workspace, env: NodeJS.ProcessEnv): Promise<number> {
  const { handoff } = await headConfig(workspace, env).catch(nothingSafe);
  return Math.min(MAX_BUDGET_TOKENS, Math.max(MIN_BUDGET_TOKENS, handoff?.budget ?? DEFAULT_BUDGET_TOKENS));
}
