/**
 * The captures of one attempt: at its beginning, on a timer when something changed, between two rungs of the ladder,
 * and at its end. One at a time. A capture that fails is said and costs nothing else: the agent goes on.
 */
import { createHash } from "node:crypto";
import type { CaptureReason } from "../model/capture.ts";
import { ensureError } from "../model/errors.ts";
import type { SessionId } from "../model/ids.ts";
import type { NewRecord } from "../model/record.ts";
import type { Environment } from "../platform/places.ts";
import type { AppendOutcome, Store } from "../store/store.ts";
import { takeCapture } from "../workspace/captures/take-capture.ts";
import { hashingSink } from "../workspace/files/contents-sink.ts";
import type { Workspace } from "../workspace/opening/workspace.ts";
import { recordLeft } from "../workspace/owning/left-changes.ts";
import { readTree } from "../workspace/tree/read-tree.ts";
import { readingJson } from "../workspace/tree/reading.ts";

/** Between two looks by the timer, in a workspace where a look is quick ... */
const LOOK_EVERY_MS = 30_000;
/** ... and elsewhere this many times as long as the last look took: at most one part in twenty-five of the time. */
const COST_RATIO = 25;

export interface RunCapture {
  readonly id: string;
  readonly reason: CaptureReason;
  readonly partial: boolean;
}

export interface RunCapturesOptions {
  readonly store: Store;
  readonly session: SessionId;
  readonly attempt: number;
  /** Opened anew for every capture: the agent may have changed the repository's configuration since (DESIGN 6). */
  readonly workspace: () => Workspace;
  readonly place: string;
  readonly env: Environment;
  readonly onFailure: (reason: CaptureReason, error: Error) => void;
  /** Between two looks by the timer; half a minute when left out. */
  readonly everyMs?: number;
}

export class RunCaptures {
  readonly taken: RunCapture[] = [];
  readonly #options: RunCapturesOptions;
  readonly #ending = new AbortController();
  #last = "";
  readonly #waiting: CaptureReason[] = [];
  #queue: Promise<unknown> = Promise.resolve();

  constructor(options: RunCapturesOptions) {
    this.#options = options;
  }

  /** Null: it failed, and that was said. */
  take(reason: CaptureReason): Promise<RunCapture | null> {
    return this.#inTurn(reason, () => this.#take(reason));
  }

  /** For the end of an operation: many may end at once, and one look holds what all of them left. */
  takeUnlessWaiting(reason: CaptureReason): Promise<RunCapture | null> {
    return this.#waiting.includes(reason) ? Promise.resolve(null) : this.take(reason);
  }

  /** When every capture that was asked for is taken, or has failed. */
  async idle(): Promise<void> {
    await this.#queue;
  }

  /** Looks now and then until it is stopped. */
  async start(): Promise<void> {
    const { clock } = this.#options.store;
    const { signal } = this.#ending;
    const leastMs = this.#options.everyMs ?? LOOK_EVERY_MS;
    let waitMs = leastMs;
    while (!signal.aborted) {
      const isDue = await clock.sleep(waitMs, signal).then(
        () => true,
        () => false,
      );
      if (!isDue) return;
      const beganMs = clock.monotonicMs();
      await this.#inTurn("timer", () => this.#takeIfChanged());
      waitMs = Math.max(leastMs, (clock.monotonicMs() - beganMs) * COST_RATIO);
    }
  }

  stop(): void {
    this.#ending.abort();
  }

  /** The last capture, and what the session leaves of its own, which makes it unsettled (L6). */
  end(): Promise<RunCapture | null> {
    return this.#inTurn("end", async () => {
      const { store, workspace, session, attempt, place } = this.#options;
      const taken = await this.#take("end");
      await recordLeft(store, workspace(), {
        session,
        attempt,
        place,
        capture: taken.id,
        append: this.#append,
      });
      return taken;
    });
  }

  /** Under the attempt: an owner that was replaced captures nothing any more (K1). */
  readonly #append = (records: readonly NewRecord[]): Promise<AppendOutcome> =>
    this.#options.store.append(this.#options.session, { attempt: this.#options.attempt }, records);

  async #take(reason: CaptureReason): Promise<RunCapture> {
    const { store, workspace, session, place, env } = this.#options;
    const append = this.#append;
    const { id, capture } = await takeCapture(store, workspace(), { session, reason, place, env, append });
    this.#last = stateHash(capture);
    const taken = { id, reason, partial: capture.partial };
    this.taken.push(taken);
    return taken;
  }

  /** Read without holding anything first: an agent that thinks for an hour leaves one capture, not a hundred. */
  async #takeIfChanged(): Promise<RunCapture | null> {
    const { store, workspace, env } = this.#options;
    const reading = await readTree(workspace(), hashingSink(), { env, clock: store.clock });
    if (this.#ending.signal.aborted || stateHash(readingJson(reading)) === this.#last) return null;
    return this.#take("timer");
  }

  #inTurn<Result>(reason: CaptureReason, work: () => Promise<Result | null>): Promise<Result | null> {
    this.#waiting.push(reason);
    const begun = this.#queue.then(() => {
      // One at a time and in order: the first that waits is the one that begins.
      this.#waiting.shift();
      return work();
    });
    const done = begun.catch((thrown: unknown) => {
      this.#options.onFailure(reason, ensureError(thrown));
      return null;
    });
    this.#queue = done;
    return done;
  }
}

/** What makes two captures differ: not the index file's own identity, which a mere `git status` changes. */
function stateHash({
  head,
  entries,
  gaps,
}: Pick<ReturnType<typeof readingJson>, "head" | "entries" | "gaps">): string {
  return createHash("sha256")
    .update(JSON.stringify([head, entries, gaps]))
    .digest("hex");
}
