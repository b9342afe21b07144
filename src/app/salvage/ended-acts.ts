/** What is different about committing while the session goes on (`commit --ended`): what was taken back stays back, and the session's journal hears of it. */
import { changedPaths, historyOf } from "../../acts/plans/history.ts";
import { plansOf } from "../../acts/plans/plans.ts";
import type { SessionId } from "../../model/ids.ts";
import type { PathName } from "../../model/path-name.ts";
import type { Salvage } from "../../salvage/judging/salvage.ts";
import { endedLabels } from "../../salvage/settle/message.ts";
import type { GroupAct } from "../../salvage/settle/policy.ts";
import type { SettleOutcome } from "../../salvage/settle/settle.ts";
import { newRecord } from "../../session/new-record.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import type { Store } from "../../store/store.ts";
import { pathsOf } from "../../workspace/compare/states.ts";
import type { Workspace } from "../../workspace/opening/workspace.ts";

/** Labels a record keeps; a commit of more operations than this says enough by its number. */
const MAX_LABELS = 20;

/** Whoever took a commit back meant it: the next operation's end must not bring it again. */
export async function withoutTakenBack(
  store: Store,
  workspace: Workspace,
  row: SessionRow | null,
  acts: readonly GroupAct[],
): Promise<GroupAct[]> {
  const back = await takenBack(store, workspace, row);
  const isBack = ({ group }: GroupAct): boolean =>
    group.changes.some(({ change }) => pathsOf(change).some((path) => back.has(path)));
  return acts.map((one) =>
    isBack(one) ? { ...one, act: "leave" as const, why: "its commit was taken back" } : one,
  );
}

/** Paths of every undo since the session began that nobody did again. The time only bounds the search. */
async function takenBack(
  store: Store,
  workspace: Workspace,
  row: SessionRow | null,
): Promise<ReadonlySet<PathName>> {
  const beganMs = row ? await beginOf(store, row.id) : 0;
  const plans = [];
  for await (const plan of plansOf(store, workspace)) {
    if (plan.atMs < beganMs) break;
    plans.push(plan);
  }
  const { undone } = historyOf(plans);
  return new Set(undone.flatMap(changedPaths));
}

async function beginOf(store: Store, session: SessionId): Promise<number> {
  const [first] = await store.records({ session, limit: 1 });
  return first?.atMs ?? 0;
}

export async function recordCommitted(
  store: Store,
  session: SessionId,
  { operations }: Salvage,
  { commit, outcome, acts }: SettleOutcome,
): Promise<void> {
  if (commit === null || outcome.kind !== "done") return;
  const committed = acts.filter(({ act }) => act === "commit").map(({ group }) => group);
  const body = {
    commit,
    plan: outcome.plan,
    operations: endedLabels(operations, committed).slice(-MAX_LABELS),
    groups: committed.map(({ id }) => id),
    paths: committed.reduce((sum, { changes }) => sum + changes.length, 0),
  };
  const record = newRecord(store.clock, "operations.committed", body, `operations-committed:${outcome.plan}`);
  await store.append(session, "anyone", [record]);
}
