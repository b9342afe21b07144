/**
 * A salvage with the user's check in it (S7): run now, or what its last run said of this very content, or a plain "not
 * checked" where one is trusted and neither is there. Every face gets its verdicts through here, so none calls safe what
 * another calls unknown because of the check.
 */
import type { Environment } from "../../platform/places.ts";
import type { Store } from "../../store/store.ts";
import type { VerifyFact } from "../../triage/facts/known/triage-facts.ts";
import { BESIDE, ruleOf } from "../../triage/rules/table.ts";
import type { Group, Reason } from "../../triage/verdict/group.ts";
import type { Workspace } from "../../workspace/opening/workspace.ts";
import { inTrial } from "../../workspace/trust/judged-session.ts";
import { judgedGroups, whyNotOwn, worstFirst } from "../judging/judged-groups.ts";
import type { Salvage } from "../judging/salvage.ts";
import { isHeadKnown, type KeptCheck, keepCheck, rememberHead } from "./kept-check.ts";
import type { VerifiedGroups, VerifyOrder } from "./verify.ts";

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

const withGroups = (found: Salvage, groups: readonly Group[]): Salvage => ({
  ...found,
  groups: groups.toSorted(worstFirst),
});

interface VerifyingOptions {
  readonly store: Store | null;
  readonly workspace: Workspace;
  readonly env: Environment;
  readonly home: string;
  readonly command: string;
  readonly isLinking: boolean;
  readonly onStep?: (label: string, done: number, total: number) => void;
  readonly onHeard?: VerifyOrder["onHeard"];
  readonly onRan?: VerifyOrder["onRan"];
  readonly stop?: AbortSignal;
}

interface VerifiedSalvage {
  readonly found: Salvage;
  /** Null: there is no commit to check upon. */
  readonly verified: VerifiedGroups | null;
}

/** Judged once more with what the user's check said. Risky groups are not tried: no check makes them safe (S3). Nor is what is not the session's. */
async function withVerify(found: Salvage, options: VerifyingOptions): Promise<VerifiedSalvage> {
  const { store, workspace, env, home, command, isLinking, onStep, stop } = options;
  const { head } = found.owned.now.reading;
  if (workspace.kind === "folder" || !head?.id) return { found, verified: null };
  const headId = head.id;
  const repository = await workspace.repository();
  const tried = found.groups.filter((group) => group.verdict !== "risky" && isWorthIt(group, found.session));
  const keepable = await keepableOf(found, tried, { command, headId });
  // Loaded where a check is run: most looks run none.
  const [{ verifyGroups }, { commitPathsOf }] = await Promise.all([
    import("./verify.ts"),
    import("../settle/commit-paths.ts"),
  ]);
  const verified = await verifyGroups({
    repository,
    env: inTrial(env, found.session.id),
    home,
    commit: headId,
    branch: head.branch,
    command,
    isLinking,
    groups: tried,
    canBeKept: ({ id }) => keepable.has(id),
    hasPassedOnHead: (dependencies) => isHeadKnown({ headId, command, dependencies }),
    pathsOf: async (group) => {
      const read = await commitPathsOf(group, { store, repository, root: workspace.root, found });
      return read.kind === "paths" ? read.paths : null;
    },
    stop,
    ...(onStep ? { onStep } : {}),
    onHeard: options.onHeard,
    onRan: options.onRan,
  });
  if (verified.head === "passed") rememberHead({ headId, command, dependencies: verified.dependencies });
  const groups = await judgedGroups({ ...found.facts, verify: verified }, headId);
  return { found: withGroups(found, groups), verified };
}

/** Groups that are safe once the check passes with them: what other notes keep from that is no part of a commit. */
async function keepableOf(
  { facts }: Salvage,
  tried: Salvage["groups"],
  { command, headId }: { readonly command: string; readonly headId: string },
): Promise<ReadonlySet<string>> {
  const groups = new Map(tried.map(({ id }) => [id, "passed"] as const));
  const judged = await judgedGroups(
    { ...facts, verify: { command, head: "passed", groups, clashing: [] } },
    headId,
  );
  return new Set(judged.flatMap(({ id, verdict }) => (verdict === "safe" ? [id] : [])));
}

const isWorthIt = (group: Group, { isImplied }: Salvage["session"]): boolean =>
  isImplied || whyNotOwn(group) === null;

/**
 * S7: where the user trusts a check and it has not been run on this very content, nothing is called safe on anybody's word
 * before it has. A journal or a record needs no word, and a check that fails does not take their evidence away; nor the
 * user's own verdict. Pure.
 */
export function notChecked({ groups, session, owned }: Salvage, command: string): Group[] {
  const why =
    owned.now.headId === null
      ? "there is no commit that your check could be run upon"
      : "your check has not been run on this; inspect and settle run it";
  return groups.map((group) =>
    isWorthIt(group, session) ? withReason(group, reasonOf(command, why)) : group,
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
