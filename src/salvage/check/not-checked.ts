/**
 * S7: where the user trusts a check and it has not been run on this very content, nothing is called safe on anybody's word
 * before it has. A journal or a record needs no word, and a check that fails does not take their evidence away; nor the
 * user's own verdict. Pure.
 */
import type { VerifyFact } from "../../triage/facts/known/triage-facts.ts";
import { BESIDE, ruleOf } from "../../triage/rules/table.ts";
import type { Group, Reason } from "../../triage/verdict/group.ts";
import { whyNotOwn } from "../judging/own-groups.ts";
import type { Salvage } from "../judging/salvage.ts";

export function notChecked({ groups, session, owned }: Salvage, command: string): Group[] {
  const why =
    owned.now.headId === null
      ? "there is no commit that your check could be run upon"
      : "your check has not been run on this; inspect and settle run it";
  return groups.map((group) =>
    session.isImplied || whyNotOwn(group) === null ? withReason(group, reasonOf(command, why)) : group,
  );
}

/** The same of what a check that was run did not get to: too many groups, or one that cannot be laid upon HEAD. */
export function untriedNotChecked(groups: readonly Group[], verify: VerifyFact): Group[] {
  // One that fails on HEAD says nothing of anything: there is no check to wait for.
  if (verify.head !== "passed") return [...groups];
  const reason = reasonOf(verify.command, "your check was not tried with it");
  const isTried = ({ id }: Group): boolean => (verify.groups.get(id) ?? "not-run") !== "not-run";
  return groups.map((group) =>
    isTried(group) || group.verdict !== "safe" ? group : withReason(group, reason),
  );
}

const reasonOf = (command: string, why: string): Reason => ({
  rule: BESIDE.notChecked.slug,
  message: `Not checked: ${why}.`,
  evidence: [`check: ${command}`],
  weight: "note",
});

/** No check makes what is risky safe (S3); of what would be safe, what speaks for it would contradict the verdict. */
function withReason(group: Group, reason: Reason): Group {
  if (group.verdict === "risky" || isSafeAnyway(group)) return group;
  if (group.verdict === "unknown") return { ...group, reasons: [...group.reasons, reason] };
  const notes = group.reasons.filter(({ weight }) => weight !== "safe");
  return { ...group, verdict: "unknown", reasons: [reason, ...notes] };
}

function isSafeAnyway({ verdict, reasons }: Group): boolean {
  const safe = reasons.filter(({ weight }) => weight === "safe");
  const isByUser = safe.some(({ rule }) => rule === BESIDE.override.slug);
  return verdict === "safe" && (isByUser || safe.every((reason) => ruleOf(reason).restsOn === "bytes"));
}
