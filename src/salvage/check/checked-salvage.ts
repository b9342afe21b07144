/**
 * A salvage with the user's check in it (S7): run now, or what its last run said of this very content, or a plain "not
 * checked" where one is trusted and neither is there. Every face gets its verdicts through here, so none calls safe what
 * another calls unknown because of the check.
 */
import type { VerifyFact } from "../../triage/facts/known/triage-facts.ts";
import { judgedGroups } from "../judging/judged-groups.ts";
import type { Salvage } from "../judging/salvage.ts";
import { worstFirst } from "../judging/worst-first.ts";
import { type KeptCheck, keepCheck } from "./kept-check.ts";
import { notChecked, untriedNotChecked } from "./not-checked.ts";
import { type VerifyingOptions, withVerify } from "./verified-salvage.ts";
import type { VerifiedGroups } from "./verify.ts";

/** Whether the user's check is in the verdicts. */
export type CheckStanding =
  /** No check is trusted here. */
  | { readonly kind: "none" }
  | { readonly kind: "run"; readonly command: string }
  /** Not run now: its last run was on this very content. */
  | { readonly kind: "kept"; readonly command: string; readonly said: VerifyFact }
  | { readonly kind: "not-run"; readonly command: string };

export interface CheckedSalvage {
  readonly found: Salvage;
  readonly checked: CheckStanding;
  /** What a run of it said; null: it was not run. */
  readonly verified: VerifiedGroups | null;
}

export async function runOn(found: Salvage, options: VerifyingOptions): Promise<CheckedSalvage> {
  const { found: judged, verified } = await withVerify(found, options);
  if (!verified) return withoutRunning(found, options.command, null);
  keepCheck(options.home, found, verified);
  const groups = untriedNotChecked(judged.groups, verified);
  const checked = { kind: "run", command: verified.command } as const;
  return { found: withGroups(judged, groups), checked, verified };
}

/** `trusted`: the check that would be run; null: there is none, and what one said that was taken back counts no more. */
export async function withoutRunning(
  found: Salvage,
  trusted: string | null,
  last: KeptCheck | null,
): Promise<CheckedSalvage> {
  if (trusted === null) return { found, checked: { kind: "none" }, verified: null };
  const { headId } = found.owned.now;
  const said = last?.command === trusted ? last.saidOf(found) : null;
  if (said) {
    const groups = untriedNotChecked(await judgedGroups({ ...found.facts, verify: said }, headId), said);
    const checked = { kind: "kept", command: said.command, said } as const;
    return { found: withGroups(found, groups), checked, verified: null };
  }
  const groups = notChecked(found, trusted);
  return { found: withGroups(found, groups), checked: { kind: "not-run", command: trusted }, verified: null };
}

const withGroups = (found: Salvage, groups: readonly Salvage["groups"][number][]): Salvage => ({
  ...found,
  groups: groups.toSorted(worstFirst),
});
