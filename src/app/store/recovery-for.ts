/**
 * What `begin` needs of recovery, so that a program which begins its session anew after each death is told and counted as by
 * `recover`, `run` and every screen (L2, S7). The room is loaded where something was left open.
 */
import type { BeginOptions, BeginRecovery } from "../../conversation/begin.ts";
import type { RecoverAllOptions } from "../../recover/recover-sessions.ts";
import type { Store } from "../../store/store.ts";

export function recoveryFor(
  store: Store,
  { liveness, captures }: Pick<BeginOptions, "liveness" | "captures">,
  recoverWith: () => Promise<RecoverAllOptions>,
): BeginRecovery {
  const asking = liveness ? { liveness } : {};
  return {
    nameEnd: async (row) => {
      const { surveySession } = await import("../../recover/survey-session.ts");
      return (await surveySession(store, row, asking)).end;
    },
    recover: async (row) => {
      const { recoverOne } = await import("../../recover/recover-one.ts");
      const { workspaceAt, ...options } = await recoverWith();
      const place = typeof row.facts.workspace === "string" ? row.facts.workspace : "";
      const workspace = captures === "off" ? null : workspaceAt(place);
      const outcome = await recoverOne(store, workspace, row, { ...options, ...asking, place });
      return outcome?.kind === "recovered" ? outcome.recovered : null;
    },
  };
}

/** T2: the judged may not lift its own suspension, by this door as by the command's. */
export async function assertMayLift(session: string | null): Promise<void> {
  const { assertNotJudgedAs } = await import("../../workspace/trust/judged-session.ts");
  assertNotJudgedAs(process.env, session, "lift its own suspension");
}
