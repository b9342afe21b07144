/** The user's own verdict on a group, remembered per path and content, in the store. Under any session's mark nobody judges: its own work least of all (T2). */
import { RefloatError } from "../../model/errors.ts";
import type { Verdict } from "../../model/manifest.ts";
import { recordVerdict } from "../../salvage/judging/verdict-records.ts";
import { chooseGroups } from "../../salvage/settle/choose-groups.ts";
import type { Group } from "../../triage/verdict/group.ts";
import { assertNotJudged } from "../../workspace/trust/judged-session.ts";
import type { AppPlace } from "../place/app-place.ts";
import { chooseSession } from "../sessions/choose-session.ts";
import { type SalvageFace, salvageSession } from "./salvage-session.ts";

export interface JudgeOrder {
  /** Its id, or the beginning of it. */
  readonly group: string;
  readonly verdict: Verdict;
  readonly reason: string;
}

export interface GivenVerdict {
  readonly group: Group;
  readonly by: string;
}

export async function giveVerdict(
  at: AppPlace,
  { group: typed, verdict, reason }: JudgeOrder,
  face: SalvageFace,
): Promise<GivenVerdict> {
  const store = await at.openOrMakeStore();
  const { here, found } = await salvageSession(at, await chooseSession(at, null), {}, face);
  await assertNotJudged(here.env, store.raw, "give a verdict");
  const selection = { ids: [typed], paths: [], isSafe: false, isAll: false, isAdopted: false };
  const [chosen] = chooseGroups(found.groups, selection);
  if (!chosen) throw new RefloatError("E_NO_GROUP", { what: typed });
  const by = at.env.USER ?? "user";
  await recordVerdict(store.raw, here.workspace, chosen.group, { verdict, reason, by });
  return { group: chosen.group, by };
}
