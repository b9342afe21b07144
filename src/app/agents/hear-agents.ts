/**
 * For every face that shows or settles what was left: what agents did here without refloat is heard first. What reads them is loaded only
 * where some agent has ever kept something.
 */
import { mayHaveAgents } from "../../agents/agents-here.ts";
import { MARK_VARIABLE } from "../../session/leftovers.ts";
import type { AppPlace } from "../place/app-place.ts";
import { scopeOf } from "../place/scope.ts";

export async function hearAgents(at: AppPlace): Promise<void> {
  if (isOff(at.env)) return;
  const root = scopeOf(at.place(), "here").workspace;
  if (root === null || !mayHaveAgents(at.env, root)) return;
  const { hearWorkspace } = await import("./hear-workspace.ts");
  await hearWorkspace(at, root);
}

/** Under a session's mark its supervisor hears its agent. */
const isOff = (env: NodeJS.ProcessEnv): boolean =>
  env.REFLOAT_OFF === "1" || (env[MARK_VARIABLE] ?? "") !== "";
