/** What a policy does with each group (DESIGN 8). Pure. A policy touches only what the session owns (W5). */
import { shellLineWord } from "../../text/escape.ts";
import { ruleOf } from "../../triage/rules/table.ts";
import type { Group } from "../../triage/verdict/group.ts";
import type { Head } from "../../workspace/git/head.ts";

export const POLICIES = ["default", "revert-or-commit", "park-all", "leave"] as const;
export type Policy = (typeof POLICIES)[number];

export type SettleAct = "commit" | "park" | "discard" | "leave";

export interface GroupAct {
  readonly group: Group;
  readonly act: SettleAct;
  /** Why it is left, where the policy alone does not say it. */
  readonly why: string | null;
}

export function actsByPolicy(groups: readonly Group[], policy: Policy): GroupAct[] {
  return groups.map((group) => keepingRecords({ group, act: actFor(group, policy), why: null }));
}

/**
 * A workflow's state, its handoff and its ring stay in the tree unless somebody names them: taken out, finished steps would be
 * pending again and decisions gone, and the next session would do all of it once more.
 */
export function keepingRecords(one: GroupAct): GroupAct {
  if (!one.group.isWorkflowRecord || (one.act !== "park" && one.act !== "discard")) return one;
  return { ...one, act: "leave", why: "it is the workflow's own record, taken out of the tree only by name" };
}

function actFor({ verdict, reasons }: Group, policy: Policy): SettleAct {
  switch (policy) {
    case "default":
      return verdict === "safe" ? "commit" : verdict === "risky" ? "park" : "leave";
    case "revert-or-commit":
      if (verdict === "safe") return "commit";
      return reasons.some((reason) => ruleOf(reason).isUnfinished) ? "discard" : "leave";
    case "park-all":
      return "park";
    case "leave":
      return "leave";
    default:
      return policy satisfies never;
  }
}

/**
 * Where a policy has nothing to commit to, what it would commit is left, with the reason, and the rest goes on. On a branch
 * without a commit whoever names a group makes the first one, never a policy (DESIGN 15); a plain folder has no commits.
 */
export function withoutFirstCommit(
  acts: readonly GroupAct[],
  head: Head | null,
  named: ReadonlySet<string> = new Set(),
): GroupAct[] {
  if (head !== null && !head.unborn) return [...acts];
  return acts.map((one) =>
    one.act !== "commit" || (head !== null && named.has(one.group.id))
      ? one
      : { ...one, act: "leave" as const, why: whyNoCommit(head, one.group.id) },
  );
}

const whyNoCommit = (head: Head | null, group: string): string =>
  head === null
    ? `no git here to commit it to: refloat settle --policy leave --group ${shellLineWord(group)} keeps it as it is`
    : `no policy makes the first commit of a branch: refloat commit --group ${shellLineWord(group)} does`;
