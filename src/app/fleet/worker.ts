/**
 * A worker: takes what waits and what was cut off, as many at a time as it has slots, until it is told to end. It has no state that
 * counts: what it does is in the store, so that whoever finds it dead goes on (docs/fleet.md).
 */
import { accountOf, pausedUntil } from "../../fleet/accounts.ts";
import { appear } from "../../fleet/presence.ts";
import { queuesOf, repositoryOf } from "../../fleet/queue-place.ts";
import { type QueueHeads, queueHeads, queueMoved } from "../../fleet/watch-queues.ts";
import { ensureError, RefloatError } from "../../model/errors.ts";
import { hostName, selfOwner } from "../../platform/identity.ts";
import { jitterMs } from "../../platform/random.ts";
import { assertBriefWords } from "../handoff/brief-file.ts";
import type { AppPlace } from "../place/app-place.ts";
import { workspaceAt } from "../place/workspace-here.ts";
import type { RunOutcome } from "../run/run-order.ts";
import type { RefloatStore } from "../store/open-store.ts";
import { doWork } from "./do-work.ts";
import { findWork, tend } from "./find-work.ts";
import { assertPromptWords } from "./prompt-words.ts";
import type { WorkerFace, WorkerOrder, WorkerRepository, WorkerSetting } from "./worker-order.ts";
import type { WorkerSignals } from "./worker-signals.ts";

/** Looks of other workers at what ended or is due come often enough: each tends now and then. */
const TEND_EVERY_MS = 15_000;
/** One it could not go on with is left to others for so long. */
const TRIED_MS = 60_000;
/** After a failure of the store it is tried again. */
const TROUBLE_MS = 2000;

export interface EndedWorker {
  readonly ended: number;
  readonly failed: number;
  /** Sessions that it could not go on with, and did not later either. */
  readonly left: number;
  /** The signal that ended it; null: there was nothing left to do, or nothing that it may begin. */
  readonly signal: NodeJS.Signals | null;
  /** It ended at a usage limit, which ends then; null: it did not. */
  readonly pausedUntilMs: number | null;
}

export async function worker(
  at: AppPlace,
  order: WorkerOrder,
  face: WorkerFace,
  signals: WorkerSignals,
): Promise<EndedWorker> {
  assertPromptWords(order.command);
  assertBriefWords(order.command);
  const store = await at.openOrMakeStore({ thread: true });
  store.raw.lostAfterMs = order.policy.lostAfterMs;
  const account = order.policy.account ?? accountOf(order.agent, at.env);
  const repositories = await Promise.all(order.repos.map((path) => repositoryAt(at, store, path)));
  const owner = selfOwner("refloat worker");
  const setting: WorkerSetting = { at, store, order, repositories, account, owner, face, signals };
  face.tell({
    kind: "ready",
    repos: repositories.map((one) => one.workspace.root),
    slots: order.slots,
    account,
  });
  const presence = await appear(store.raw, [hostName(), order.name].filter(Boolean).join(" "), owner);
  try {
    return await new WorkerLoop(setting).run();
  } finally {
    await presence.leave();
  }
}

async function repositoryAt(at: AppPlace, store: RefloatStore, path: string): Promise<WorkerRepository> {
  const { workspace } = await workspaceAt(at, store, path);
  const id = await repositoryOf(workspace);
  if (workspace.kind !== "git") throw new RefloatError("E_QUEUE_REPOSITORY", { path });
  return { id, workspace, at: { ...at, place: () => workspace.root } };
}

class WorkerLoop {
  readonly #setting: WorkerSetting;
  readonly #running = new Set<Promise<void>>();
  readonly #tried = new Map<string, number>();
  readonly #left = new Set<string>();
  #ended = 0;
  #failed = 0;
  #tendedMs = Number.NEGATIVE_INFINITY;
  #pausedUntilMs: number | null = null;
  /** How far the queues had come before it last looked; null: nothing that is added may be begun now. */
  #looked: QueueHeads | null = null;
  #wake = new AbortController();

  constructor(setting: WorkerSetting) {
    this.#setting = setting;
    setting.signals.onFirst(() => this.#wake.abort());
  }

  async run(): Promise<EndedWorker> {
    const { signals, face, order } = this.#setting;
    while (signals.first === null) {
      const isBusy = await this.#fill().catch((thrown: unknown) => this.#trouble(ensureError(thrown)));
      if (isBusy === "idle" && order.isUntilIdle && this.#running.size === 0) break;
      if (signals.first === null && isBusy !== "more")
        await this.#rest(isBusy === "trouble" ? TROUBLE_MS : null);
    }
    if (this.#running.size > 0) face.tell({ kind: "drains", running: this.#running.size });
    await Promise.all(this.#running);
    return {
      ...{ ended: this.#ended, failed: this.#failed, left: this.#left.size, signal: signals.first },
      pausedUntilMs: signals.first === null ? this.#pausedUntilMs : null,
    };
  }

  /** `more`: there may be more to begin at once. */
  async #fill(): Promise<"more" | "full" | "idle"> {
    const { order, store, account, face, at } = this.#setting;
    this.#looked = null;
    if (this.#running.size >= order.slots) return "full";
    if (at.clock.monotonicMs() - this.#tendedMs > TEND_EVERY_MS) {
      this.#tendedMs = at.clock.monotonicMs();
      await tend(this.#setting);
    }
    const untilMs = await pausedUntil(store.raw, account);
    this.#pausedUntilMs = untilMs;
    if (untilMs !== null) {
      face.tell({ kind: "paused", account, untilMs });
      return "idle";
    }
    if (order.policy.takesQueue && !order.isUntilIdle) this.#looked = await this.#heads();
    const work = await findWork(this.#setting, this.#triedNow());
    if (!work) return "idle";
    const done: Promise<void> = doWork(this.#setting, work)
      .catch((thrown: unknown) => {
        this.#trouble(ensureError(thrown));
        return null;
      })
      .then((outcome) => {
        // Its slot is free before anybody is woken for it.
        this.#running.delete(done);
        this.#over(work, outcome);
      });
    this.#running.add(done);
    return "more";
  }

  async #heads(): Promise<QueueHeads> {
    const ids = this.#setting.repositories.map(({ id }) => id);
    return queueHeads(await queuesOf(this.#setting.store.raw, ids), ids);
  }

  #over(work: Parameters<typeof doWork>[1], outcome: RunOutcome | null): void {
    const session = work.kind === "item" ? work.session : work.row.id;
    if (outcome) {
      this.#ended++;
      this.#left.delete(session);
    } else {
      this.#failed++;
      this.#left.add(session);
      this.#tried.set(session, this.#setting.at.clock.monotonicMs() + TRIED_MS);
    }
    this.#wake.abort();
  }

  #triedNow(): ReadonlySet<string> {
    const nowMs = this.#setting.at.clock.monotonicMs();
    for (const [session, untilMs] of this.#tried) if (untilMs <= nowMs) this.#tried.delete(session);
    return new Set(this.#tried.keys());
  }

  #trouble(error: Error): "trouble" {
    this.#setting.face.tell({ kind: "trouble", error });
    return "trouble";
  }

  /** Until a slot is free, a signal comes, or something is added to one of its queues; else for about as long as the policy says. */
  async #rest(ms: number | null): Promise<void> {
    const { order, at, store } = this.#setting;
    const { lookMs } = order.policy;
    const longest = ms ?? jitterMs(Math.floor(lookMs * 0.8), Math.ceil(lookMs * 1.2));
    const wake = this.#wake;
    if (ms === null && this.#looked)
      queueMoved(store.raw, this.#looked, longest, wake.signal).then(
        (isMoved) => isMoved && wake.abort(),
        () => undefined, // the store is away: the next look says so
      );
    await at.clock.sleep(longest, wake.signal).catch(() => undefined);
    wake.abort();
    this.#wake = new AbortController();
  }
}
