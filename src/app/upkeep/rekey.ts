/** Sealing all contents by the key that seals now. A process under a session's mark does not (T2): it would lock others out of its evidence. */
import { type RekeyResult, rekeyStore } from "../../store/rekey.ts";
import { assertNotJudged } from "../../workspace/trust/judged-session.ts";
import type { AppPlace } from "../place/app-place.ts";

export async function rekey(at: AppPlace): Promise<RekeyResult> {
  const { raw } = await at.openStore();
  await assertNotJudged(at.env, raw, "seal contents by another key");
  return rekeyStore(raw);
}
