/** A salvage judged once more with what the user's check said (verify.ts). */
import type { Environment } from "../../platform/places.ts";
import type { Store } from "../../store/store.ts";
import type { Workspace } from "../../workspace/opening/workspace.ts";
import { inTrial } from "../../workspace/trust/judged-session.ts";
import { judgedGroups } from "../judging/judged-groups.ts";
import { whyNotOwn } from "../judging/own-groups.ts";
import type { Salvage } from "../judging/salvage.ts";
import { worstFirst } from "../judging/worst-first.ts";
import { commitPathsOf } from "../settle/commit-paths.ts";
import { type VerifiedGroups, verifyGroups } from "./verify.ts";

export interface VerifyingOptions {
  readonly store: Store | null;
  readonly workspace: Workspace;
  readonly env: Environment;
  readonly home: string;
  readonly command: string;
  readonly isLinking: boolean;
  readonly onStep?: (label: string, done: number, total: number) => void;
  readonly stop?: AbortSignal;
}

export interface VerifiedSalvage {
  readonly found: Salvage;
  /** Null: there is no commit to check upon. */
  readonly verified: VerifiedGroups | null;
}

/** Risky groups are not tried: no check makes them safe (S3). Nor is what is not the session's. */
export async function withVerify(found: Salvage, options: VerifyingOptions): Promise<VerifiedSalvage> {
  const { store, workspace, env, home, command, isLinking, onStep, stop } = options;
  const { head } = found.owned.now.reading;
  if (workspace.kind === "folder" || !head?.id) return { found, verified: null };
  const repository = await workspace.repository();
  const tried = found.groups.filter((group) => group.verdict !== "risky" && isWorthIt(group, found));
  const keepable = await keepableOf(found, tried, { command, headId: head.id });
  const verified = await verifyGroups({
    repository,
    env: inTrial(env, found.session.id),
    home,
    commit: head.id,
    branch: head.branch,
    command,
    isLinking,
    groups: tried,
    canBeKept: ({ id }) => keepable.has(id),
    pathsOf: async (group) => {
      const read = await commitPathsOf(group, { store, repository, root: workspace.root, found });
      return read.kind === "paths" ? read.paths : null;
    },
    stop,
    ...(onStep ? { onStep } : {}),
  });
  const groups = await judgedGroups({ ...found.facts, verify: verified }, head.id);
  return { found: { ...found, groups: groups.toSorted(worstFirst) }, verified };
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

const isWorthIt = (group: Salvage["groups"][number], { session }: Salvage): boolean =>
  session.isImplied || whyNotOwn(group) === null;
