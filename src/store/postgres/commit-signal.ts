/**
 * Wakes those who wait for a commit: our own at once, another process's by NOTIFY, and by looking now and
 * then in case a notification got lost with a connection or with the process that was to send it.
 *
 * The notification is a statement of its own after the commit. Inside it, PostgreSQL would make all notifying
 * transactions of the server wait for each other, sync included.
 */
import type postgres from "postgres";
import { RefloatError } from "../../model/errors.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Connect } from "./connect.ts";
import { readVersion } from "./reads.ts";
import type { Wire } from "./wire.ts";

/** While notifications arrive, looking is only the safety net ... */
const HEARD_POLL_MS = 1000;
/** ... else it is all there is. */
const DEAF_POLL_MS = 100;

export interface CommitSignalOptions {
  readonly wire: Wire;
  /** For a connection that does nothing but listen. */
  readonly connect: Connect;
  readonly clock: Clock;
}

type Ears = { readonly kind: "none" } | { readonly kind: "opening" | "open"; readonly sql: postgres.Sql };

export class CommitSignal {
  readonly #options: CommitSignalOptions;
  readonly #channel: string;
  readonly #wakers = new Set<() => void>();
  /** Goes up with everything heard: what happens between looking and waiting is not missed. */
  #heard = 0;
  #ears: Ears = { kind: "none" };
  #isNotifying = false;
  #isToNotify = false;
  #isClosed = false;

  constructor(options: CommitSignalOptions) {
    this.#options = options;
    this.#channel = `refloat_${options.wire.place.schema}`;
  }

  async wait(since: number, maxMs: number): Promise<void> {
    const { clock } = this.#options;
    const untilMs = clock.monotonicMs() + maxMs;
    let wasRung = true;
    for (;;) {
      this.#listen();
      const heard = this.#heard;
      if (this.#isClosed || (await this.#hasMoved(since))) {
        // Nobody rang for it: the connection may be one that only looks alive.
        if (!wasRung) await this.#stopListening();
        return;
      }
      const leftMs = untilMs - clock.monotonicMs();
      if (leftMs <= 0) return;
      const pollMs = this.#ears.kind === "open" ? HEARD_POLL_MS : DEAF_POLL_MS;
      if (this.#heard === heard) await this.#sleep(Math.min(leftMs, pollMs));
      wasRung = this.#heard !== heard;
    }
  }

  /** We committed. */
  committed(): void {
    this.#wake();
    this.#isToNotify = true;
    if (!this.#isNotifying) void this.#notify();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#wake();
    await this.#stopListening();
  }

  async #hasMoved(since: number): Promise<boolean> {
    try {
      return (await readVersion(this.#options.wire)) !== since;
    } catch (thrown) {
      // Closed while we looked: that ends the wait, and is no error.
      if (this.#isClosed) return true;
      throw thrown;
    }
  }

  /** One at a time: commits made meanwhile share the next one. */
  async #notify(): Promise<void> {
    this.#isNotifying = true;
    while (this.#isToNotify && !this.#isClosed) {
      this.#isToNotify = false;
      try {
        // Nothing is lost with a notification, so it need not wait for the disk.
        await this.#options.wire.ask(
          "SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, '')",
          [this.#channel],
          { patienceMs: 0 },
        );
      } catch (thrown) {
        // The commit is done and acknowledged; whoever waits elsewhere finds it by looking.
        if (!(thrown instanceof RefloatError)) throw thrown;
      }
    }
    this.#isNotifying = false;
  }

  #listen(): void {
    if (this.#ears.kind !== "none" || this.#isClosed) return;
    const sql = this.#options.connect(1);
    this.#ears = { kind: "opening", sql };
    const heard = (): void => this.#wake();
    // The library listens again by itself when the connection breaks, and then rings once.
    sql.listen(this.#channel, heard, heard).then(
      () => {
        if (this.#ears.kind === "opening" && this.#ears.sql === sql) this.#ears = { kind: "open", sql };
      },
      () => {
        // The next wait tries again; until then looking does.
        if (this.#ears.kind !== "none" && this.#ears.sql === sql) void this.#stopListening();
      },
    );
  }

  async #stopListening(): Promise<void> {
    const ears = this.#ears;
    this.#ears = { kind: "none" };
    if (ears.kind !== "none") await ears.sql.end({ timeout: 0 });
  }

  #wake(): void {
    this.#heard++;
    for (const wake of this.#wakers) wake();
  }

  async #sleep(ms: number): Promise<void> {
    const woken = new AbortController();
    const wake = (): void => woken.abort();
    this.#wakers.add(wake);
    try {
      await this.#options.clock.sleep(ms, woken.signal);
    } catch (thrown) {
      if (!woken.signal.aborted) throw thrown;
    } finally {
      this.#wakers.delete(wake);
    }
  }
}
