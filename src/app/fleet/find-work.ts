/** What a worker may begin next: an item of a queue, or a session that was cut off, of the repositories it has a clone of. */

import { type Reservation, reserve } from "../../fleet/own-journals.ts";
import { isGivenUp, isTakenUp, isUnbegun, repositoryOfRow } from "../../fleet/policy.ts";
import { queuesOf } from "../../fleet/queue-place.ts";
import { takeItem } from "../../fleet/take-item.ts";
import { endItemOf, giveUpItem, tendQueues } from "../../fleet/tend-queue.ts";
import { isQueueSession, type SessionId } from "../../model/ids.ts";
import { jitterMs } from "../../platform/random.ts";
import { continuedBy } from "../../session/describe.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import { workspaceIn } from "../../store/contract/session-facts.ts";
import type { Store } from "../../store/store.ts";
import { usersSessions } from "../../workflow/own-journal.ts";
import { unresumedImports } from "../../workspace/sessions/imports.ts";
import { recover } from "../recovery/recover.ts";
import { type ItemTree, itemTrees } from "./item-tree.ts";
import type { WorkerRepository, WorkerSetting } from "./worker-order.ts";

export type WorkFound =
  | {
      readonly kind: "item";
      readonly session: SessionId;
      readonly attempt: number;
      readonly prompt: string;
      readonly repository: WorkerRepository;
    }
  | {
      readonly kind: "resumed";
      readonly row: SessionRow;
      readonly repository: WorkerRepository;
      readonly reservation: Reservation;
      /** Its agent never started. */
      readonly isUnbegun: boolean;
    };

/** Sessions looked at closely at a time: one of them is enough. */
const MAX_LOOKED_AT = 200;

/** `tried`: sessions this process could not go on with; they are others' for a while. */
export async function findWork(
  setting: WorkerSetting,
  tried: ReadonlySet<string>,
): Promise<WorkFound | null> {
  const { order, takesQueue, resumes } = setting.order.policy;
  const item = (): Promise<WorkFound | null> => (takesQueue ? nextItem(setting) : Promise.resolve(null));
  const cutOff = (): Promise<WorkFound | null> =>
    resumes ? nextCutOff(setting, tried) : Promise.resolve(null);
  if (order === "queue-first") return (await item()) ?? cutOff();
  return (await cutOff()) ?? item();
}

async function nextItem(setting: WorkerSetting): Promise<WorkFound | null> {
  const { store, owner, order, repositories } = setting;
  const queues = await queuesOf(
    store.raw,
    repositories.map(({ id }) => id),
  );
  if (queues.length === 0) return null;
  const trees = new Map<string, (session: string) => ItemTree>();
  for (const { id, workspace } of repositories) trees.set(id, await itemTrees(await workspace.repository()));
  const taken = await takeItem(store.raw, queues, owner, ({ id, repository }) => ({
    agent: order.agent,
    workspace: trees.get(repository)?.(id).path ?? "",
    name: order.name,
  }));
  if (!taken) return null;
  const { item, session, attempt } = taken;
  const repository = repositories.find(({ id }) => id === item.repository);
  if (!repository) return null;
  return { kind: "item", session, attempt, prompt: item.prompt, repository };
}

/** One that nobody else is just bringing to his machine. In no order: many that ask at once ask for different ones. */
async function nextCutOff(setting: WorkerSetting, tried: ReadonlySet<string>): Promise<WorkFound | null> {
  const { store, repositories, order, owner } = setting;
  const rows = usersSessions(await store.raw.sessions({ isUnended: true }));
  const ofRepository = (row: SessionRow): WorkerRepository | undefined =>
    repositories.find(({ id }) => id === repositoryOfRow(row));
  const ours = rows.filter((row) => !tried.has(row.id) && ofRepository(row) !== undefined);
  const from = ours.length === 0 ? 0 : jitterMs(0, ours.length - 1);
  const some = [...ours.slice(from), ...ours.slice(0, from)].slice(0, MAX_LOOKED_AT);
  if (some.length === 0) return null;
  const known = new Map((await store.describe(some)).map((one) => [one.id, one]));
  const continued = new Set(rows.map(({ facts }) => facts.continues));
  const nowMs = store.raw.clock.nowMs();
  const isImported = await unresumedImports(store.raw);
  for (const row of some) {
    const summary = known.get(row.id);
    const repository = ofRepository(row);
    if (!summary || !repository) continue;
    if (summary.state === "finished") await closeEnded(setting, row);
    const isContinued = continued.has(row.id);
    const facts = { row, summary, isContinued, isImported: await isImported(row.id), nowMs };
    if (isGivenUp(order.policy, facts)) await giveUpItem(store.raw, row, summary.last_attempt);
    if (!isTakenUp(order.policy, facts) || (await isContinuedByAny(store.raw, row))) continue;
    const reservation = await reserve(store.raw, row.id, owner);
    const now = reservation && (await unchanged(store.raw, row, reservation));
    if (reservation && now)
      return { kind: "resumed", row: now, repository, reservation, isUnbegun: isUnbegun(row, summary.state) };
  }
  return null;
}

/** Its agent had ended, and whoever ran it died before he closed it: there is nothing to go on with, and its item ends as it did (L5, L7). */
async function closeEnded({ at, store }: WorkerSetting, row: SessionRow): Promise<void> {
  await recover({
    ...{ store: store.raw, env: at.env, home: await at.home() },
    where: { kind: "session", row },
  });
  await endItemOf(store.raw, row.id);
}

/** By one that has ended, too: its work is done, or another's to go on with (as `resume` sees it). */
async function isContinuedByAny(store: Store, row: SessionRow): Promise<boolean> {
  const beside = await store.sessions({ workspace: workspaceIn(row) });
  return beside.some((one) => continuedBy(one) === row.id);
}

/** Null: somebody had it, and ended, between the look and now; it is not reserved any more, nor where the store failed us. */
async function unchanged(
  store: Store,
  row: SessionRow,
  reservation: Reservation,
): Promise<SessionRow | null> {
  let found: SessionRow | null = null;
  try {
    const now = await store.session(row.id);
    if (now && now.claim.attempt === row.claim.attempt && now.head === row.head) found = now;
  } finally {
    if (!found) await reservation.release();
  }
  return found;
}

/** Ends and due times that nobody else saw to. */
export async function tend({ store, repositories }: WorkerSetting): Promise<void> {
  const queues = await queuesOf(
    store.raw,
    repositories.map(({ id }) => id),
  );
  await tendQueues(
    store.raw,
    queues.filter(({ id }) => isQueueSession(id)),
  );
}
