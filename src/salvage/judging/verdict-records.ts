/**
 * The user's own word on groups: verdicts given by `judge`, remembered per path and content in the workspace's own journal,
 * where no session writes (T2), and groups left on purpose, in their session's.
 */
import { actsSessionOf } from "../../acts/plans/acts-session.ts";
import type { SessionId } from "../../model/ids.ts";
import type { Verdict } from "../../model/manifest.ts";
import { pathFromJson, pathJson } from "../../model/path-name.ts";
import { stateKey } from "../../model/path-state.ts";
import { bodyAs } from "../../model/record.ts";
import { newRecord } from "../../session/new-record.ts";
import type { Store } from "../../store/store.ts";
import type { OverrideFact } from "../../triage/facts/known/triage-facts.ts";
import type { Group } from "../../triage/verdict/group.ts";
import type { Workspace } from "../../workspace/opening/workspace.ts";
import { ensureSession } from "../../workspace/sessions/capture-session.ts";

const seenIn = ({ changes }: Group): { path: string; path_b64?: string | undefined; state: string }[] =>
  changes.map(({ change: { path, to } }) => ({ ...pathJson(path), state: stateKey(to) }));

export interface VerdictGiven {
  readonly verdict: Verdict;
  readonly reason: string;
  readonly by: string;
}

export async function recordVerdict(
  store: Store,
  workspace: Workspace,
  group: Group,
  { verdict, reason, by }: VerdictGiven,
): Promise<void> {
  const session = actsSessionOf(workspace);
  const name = `acts in ${workspace.root}`;
  await ensureSession(store, session, { agent: "refloat", workspace: "", goal: null, name });
  const body = { group: group.id, verdict, reason, by, paths: seenIn(group) };
  await store.append(session, "anyone", [newRecord(store.clock, "verdict.given", body)]);
}

/** The newest word on each path and content. */
export async function readVerdicts(store: Store | null, workspace: Workspace): Promise<OverrideFact[]> {
  const session = actsSessionOf(workspace);
  if (!store || !(await store.session(session))) return [];
  const newest = new Map<string, OverrideFact>();
  for await (const record of store.journal(session, { kinds: ["verdict.given"] })) {
    const body = bodyAs(record, "verdict.given");
    if (!body) continue;
    const { verdict, reason, by } = body;
    for (const one of body.paths) {
      const path = pathFromJson(one);
      newest.set(`${one.state} ${path}`, { path, stateKey: one.state, verdict, reason, by });
    }
  }
  return [...newest.values()];
}

export async function recordLeft(store: Store, session: SessionId, group: Group, by: string): Promise<void> {
  const body = { group: group.id, by, paths: seenIn(group) };
  await store.append(session, "anyone", [newRecord(store.clock, "group.left", body)]);
}
