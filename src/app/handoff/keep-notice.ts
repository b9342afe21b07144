/**
 * The notice of an interruption, written ahead for the recorder of hooks (notice-ahead.ts), by whatever command was asked for in the workspace, when it is
 * done. Where no recorder is installed nobody would print one, and nothing more is loaded for it.
 */
import { existsSync } from "node:fs";
import { recorderPath } from "../../agents/install/commands.ts";
import { RefloatError } from "../../model/errors.ts";
import { MARK_VARIABLE } from "../../session/leftovers.ts";
import { openTrustedOrNull } from "../../workspace/trust/open-trusted.ts";
import type { AppPlace } from "../place/app-place.ts";
import { scopeOf } from "../place/scope.ts";
import type { RefloatStore } from "../store/open-store.ts";

/** A store or a tree that cannot be read costs the notice: what was asked for is done (D6). */
export async function keepNotice(at: AppPlace, store: RefloatStore | null): Promise<void> {
  if (store === null || at.env.REFLOAT_OFF === "1" || (at.env[MARK_VARIABLE] ?? "") !== "") return;
  try {
    const home = await at.home();
    if (!existsSync(recorderPath(home))) return;
    const stands = at.place();
    const root = scopeOf(stands, "here").workspace;
    const workspace = root === null ? null : openTrustedOrNull(store.raw, root, at.env);
    if (!workspace) return;
    const { keepNoticeOf } = await import("./notice-ahead.ts");
    await keepNoticeOf(store, { workspace, clock: at.clock, env: at.env, home, stands });
  } catch (thrown) {
    if (!(thrown instanceof RefloatError)) throw thrown;
  }
}
