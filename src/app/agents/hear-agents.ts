/**
 * For every face that shows or settles what was left: what agents did here without refloat is heard first, by their hooks and by their
 * transcripts. What reads them is loaded only where some agent has ever kept something, or hooks are installed.
 */
import { existsSync } from "node:fs";
import { mayHaveAgents } from "../../agents/agents-here.ts";
import { inboxOf, listInbox } from "../../agents/inbox/inbox-folder.ts";
import { RefloatError } from "../../model/errors.ts";
import { MARK_VARIABLE } from "../../session/leftovers.ts";
import type { AppPlace } from "../place/app-place.ts";
import { scopeOf } from "../place/scope.ts";

/** `kind`: only where somebody stands, or in every work tree of the repository. */
export async function hearAgents(at: AppPlace, kind: "here" | "repository" = "here"): Promise<void> {
  if (isOff(at.env)) return;
  await hearPlaces(at, scopeOf(at.place(), kind).places);
}

/** The same of work trees wherever they are. */
export async function hearPlaces(at: AppPlace, places: readonly string[]): Promise<void> {
  if (isOff(at.env)) return;
  const home = await at.home();
  const hasHooks = existsSync(inboxOf(home));
  if (hasHooks) await takenIn(at, home);
  const roots = places.filter((root) => hasHooks || mayHaveAgents(at.env, root)).slice(0, MAX_TREES);
  if (roots.length === 0) return;
  const { hearWorkspace } = await import("./hear-workspace.ts");
  for (const root of roots) await hearWorkspace(at, root);
}

/** For who writes a moment's word into the live session: one that only its hooks have told of is one, too. */
export async function hearHooks(at: AppPlace): Promise<void> {
  if (isOff(at.env)) return;
  const home = await at.home();
  if (existsSync(inboxOf(home))) await takenIn(at, home);
}

/** A store that cannot be written, or is full, costs what hooks told last: what is held can be read all the same (D6). */
async function takenIn(at: AppPlace, home: string): Promise<void> {
  const { waiting, held } = listInbox(home);
  if (waiting.length + held.length === 0) return;
  const { takeInbox } = await import("../inbox/take-inbox.ts");
  try {
    await takeInbox((await at.openOrMakeStore()).raw, { home, env: at.env });
  } catch (thrown) {
    if (!(thrown instanceof RefloatError)) throw thrown;
  }
}

/** Work trees of one repository that are looked at, the one somebody stands in first. */
const MAX_TREES = 20;

/** Under a session's mark its supervisor hears its agent. */
const isOff = (env: NodeJS.ProcessEnv): boolean =>
  env.REFLOAT_OFF === "1" || (env[MARK_VARIABLE] ?? "") !== "";
