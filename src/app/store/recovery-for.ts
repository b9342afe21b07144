/**
 * What `begin` needs of recovery, so that a program which begins its session anew after each death is told and counted as by
 * `recover`, `run` and every screen (L2, S7). The room is loaded where something was left open.
 */

import type { BeginOptions, BeginRecovery } from "../../conversation/begin.ts";
import { workspaceIn } from "../../store/contract/session-facts.ts";
import type { Store } from "../../store/store.ts";
import type { Workspace } from "../../workspace/opening/workspace.ts";
import type { RecoverOrder } from "../recovery/recover.ts";

export interface RecoverySurroundings extends Pick<RecoverOrder, "env" | "home"> {
  /** Null: not a work tree on this machine, so nothing is captured. */
  readonly workspaceAt: (place: string) => Workspace | null;
}

export function recoveryFor(
  store: Store,
  { liveness, captures }: Pick<BeginOptions, "liveness" | "captures">,
  recoverWith: () => Promise<RecoverySurroundings>,
): BeginRecovery {
  const asking = liveness ? { liveness } : {};
  return {
    nameEnd: async (row) => {
      const { surveySession } = await import("../../recover/survey-session.ts");
      return (await surveySession(store, row, asking)).end;
    },
    recover: async (row) => {
      const { recover } = await import("../recovery/recover.ts");
      const { workspaceAt, ...how } = await recoverWith();
      const place = workspaceIn(row);
      const workspace = captures === "off" ? null : workspaceAt(place);
      const where = { kind: "session", row, workspace } as const;
      const [outcome] = await recover({ store, ...how, ...asking, where });
      return outcome?.kind === "recovered" ? outcome.recovered : null;
    },
  };
}

/** T2: the judged may not lift its own suspension, by this door as by the command's. */
export async function assertMayLift(session: string | null): Promise<void> {
  const { assertNotJudgedAs } = await import("../../workspace/trust/judged-session.ts");
  assertNotJudgedAs(process.env, session, "lift its own suspension");
}
