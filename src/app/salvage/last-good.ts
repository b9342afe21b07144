/** The newest capture of a session that passes the user's check, found by halving. Reads only, but for scratch trees. Under any session's mark nobody chooses a check (T2). */
import { RefloatError } from "../../model/errors.ts";
import { findLastGood, type LastGood } from "../../salvage/check/last-good.ts";
import { assertNotJudged } from "../../workspace/trust/judged-session.ts";
import type { AppPlace } from "../place/app-place.ts";
import { chooseSession } from "../sessions/choose-session.ts";
import { assertCheck } from "./salvage-of.ts";
import type { SalvageFace } from "./salvage-session.ts";

export interface LastGoodRequest {
  /** As it was typed; null: the newest unsettled one here, else the newest. */
  readonly session: string | null;
  /** The check as it was typed. */
  readonly command: string;
  /** His word that the check may write into his dependencies. */
  readonly isLinking: boolean;
}

export interface FoundLastGood extends LastGood {
  readonly session: string;
}

export async function lastGood(
  at: AppPlace,
  { session, command, isLinking }: LastGoodRequest,
  { tell, untilStopped }: Pick<SalvageFace, "tell" | "untilStopped">,
): Promise<FoundLastGood> {
  assertCheck(command);
  const { store, here, chosen } = await chooseSession(at, session);
  if (!store || !chosen) throw new RefloatError("E_NO_SESSION", { what: `of ${at.place()}` });
  const { workspace, env } = here;
  await assertNotJudged(env, store.raw, "choose the check");
  const order = {
    ...{ store: store.raw, workspace, env, home: await at.home(), command, isLinking },
    session: chosen.row.id,
    onStep: (capture: string, tried: number) => tell({ kind: "capture-check", capture, tried }),
  };
  const found = await untilStopped((stop) => findLastGood({ ...order, stop }));
  return { ...found, session: chosen.row.id };
}
