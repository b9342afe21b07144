/** What a discard of whole groups left alone, and why: others' work, and what shares a group with it (W5, S4). */
import { whyLeftAlone } from "../../acts/compilers/discard.ts";
import type { LeftAlone } from "../../acts/compilers/put-back.ts";
import { pathJson } from "../../model/path-name.ts";
import { whyNotOwn } from "../../salvage/judging/judged-groups.ts";
import type { Salvage } from "../../salvage/judging/salvage.ts";
import type { SettleOutcome } from "../../salvage/settle/settle.ts";
import type { ToldLeft } from "../acts/told-act.ts";

/** By path. What is in conflict says so itself. */
export function leftByDiscard({ groups }: Salvage, settled: SettleOutcome): LeftAlone[] {
  const acts = new Map(settled.acts.map((one) => [one.group.id, one]));
  return groups
    .flatMap((group) => {
      const act = acts.get(group.id);
      if (act && act.act !== "leave") return [];
      const whole = act?.why ?? whyNotOwn(group);
      return group.changes.map(({ change: { path }, owner }) => {
        const why =
          whyLeftAlone(owner, { isNamed: false }) ??
          (whole === null ? NOT_CHOSEN : `its group stays whole: ${whole}`);
        return { path, why, isConflict: false };
      });
    })
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

const NOT_CHOSEN = "it was not chosen";

export const leftJson = (found: Salvage, settled: SettleOutcome): ToldLeft => ({
  left: leftByDiscard(found, settled).map(({ path, why }) => ({ ...pathJson(path), why })),
  already: settled.outcome.already.map(pathJson),
});
