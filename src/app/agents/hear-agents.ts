/**
 * For every face that shows or settles what was left: what agents did here without refloat is heard first. What reads them is loaded only
 * where some agent has ever kept something.
 */
import { mayHaveAgents } from "../../agents/agents-here.ts";
import { MARK_VARIABLE } from "../../session/leftovers.ts";
import type { AppPlace } from "../place/app-place.ts";
import { scopeOf } from "../place/scope.ts";

/** `kind`: only where somebody stands, or in every work tree of the repository. */
export async function hearAgents(at: AppPlace, kind: "here" | "repository" = "here"): Promise<void> {
  if (isOff(at.env)) return;
  const { places } = scopeOf(at.place(), kind);
  const roots = places.filter((root) => mayHaveAgents(at.env, root)).slice(0, MAX_TREES);
  if (roots.length === 0) return;
  const { hearWorkspace } = await import("./hear-workspace.ts");
  for (const root of roots) await hearWorkspace(at, root);
}

/** Work trees of one repository that are looked at, the one somebody stands in first. */
const MAX_TREES = 20;

/** Under a session's mark its supervisor hears its agent. */
const isOff = (env: NodeJS.ProcessEnv): boolean =>
  env.REFLOAT_OFF === "1" || (env[MARK_VARIABLE] ?? "") !== "";
