/**
 * Wakes those who wait for a commit: our own at once, another process's by NOTIFY, and by looking now and
 * then in case a notification got lost with a connection or with the process that was to send it.
 *
 * The notification is a statement of its own after the commit. Inside it, PostgreSQL would make all notifying
 * transactions of the server wait for each other, sync included. The first commit after a pause rings at once, further ones
 * together at the next turn: a busy writer costs the server one statement per append and a few a second. It names the
 * sessions, and who waits for another sleeps on: in a fleet everybody follows its own, and nobody is woken by all.
 */
import type postgres from "postgres";
import { z } from "zod";
import { RefloatError } from "../../model/errors.ts";
import type { SessionId } from "../../model/ids.ts";
import { parsedOrNull } from "../../model/json.ts";
import type { Clock } from "../../platform/clock.ts";
import { within } from "../../platform/within.ts";
import type { Connect } from "./connect.ts";
import type { Reader } from "./reads.ts";
import type { Wire } from "./wire.ts";

/** While notifications arrive, looking is only the safety net ... */
const HEARD_POLL_MS = 1000;
/** ... else it is all there is. */
const DEAF_POLL_MS = 100;
/** Between two notifications of one process. */
const RING_EVERY_MS = 200;
/** What a process that closes waits for its last notification. */
const LAST_RING_MS = 1000;
/** PostgreSQL takes less than 8000 bytes; a longer list rings for everybody. */
const MAX_PAYLOAD_BYTES = 7000;

export interface CommitSignalOptions {
  readonly wire: Wire;
  readonly reader: Reader;
  /** For a connection that does nothing but listen; null: there is to be none, and looking is all. */
  readonly connect: Connect | null;
  readonly clock: Clock;
}

type Ears = { readonly kind: "none" } | { readonly kind: "opening" | "open"; readonly sql: postgres.Sql };

export class CommitSignal {
  readonly #options: CommitSignalOptions;
  readonly #channel: string;
  readonly #waiters = new Set<Waiter>();
  #ears: Ears = { kind: "none" };
  /** Sessions whose commits are still to be told. */
  readonly #untold = new Set<string>();
  #telling: Promise<void> | null = null;
  readonly #hurry = new AbortController();
  #isClosed = false;

  constructor(options: CommitSignalOptions) {
    this.#options = options;
    this.#channel = `refloat_${options.wire.place.schema}`;
  }

  /** False: nothing came within `maxMs`. */
  async wait(since: number, maxMs: number, session?: SessionId): Promise<boolean> {
    const { clock } = this.#options;
    const untilMs = clock.monotonicMs() + maxMs;
    const waiter: Waiter = { session: session ?? null, isRung: false, wake: () => undefined };
    this.#waiters.add(waiter);
    let wasRung = true;
    try {
      for (;;) {
        this.#listen();
        // What is heard between looking and sleeping is not missed.
        waiter.isRung = false;
        if (this.#isClosed || (await this.#hasMoved(since, session))) {
          // Nobody rang for it: the connection may be one that only looks alive.
          if (!wasRung) await this.#stopListening();
          return true;
        }
        const pollMs = this.#ears.kind === "open" ? HEARD_POLL_MS : DEAF_POLL_MS;
        if (!waiter.isRung) await this.#sleep(waiter, Math.min(untilMs - clock.monotonicMs(), pollMs));
        wasRung = waiter.isRung;
        // Whoever waits on looks first.
        if (!wasRung && clock.monotonicMs() >= untilMs) return false;
      }
    } finally {
      this.#waiters.delete(waiter);
    }
  }

  /** We committed records of these. */
  committed(sessions: Iterable<string>): void {
    const told = [...sessions];
    if (told.length === 0) return;
    this.#wake(told);
    for (const session of told) this.#untold.add(session);
    this.#telling ??= this.#tell().finally(() => {
      this.#telling = null;
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#wake(null);
    this.#hurry.abort();
    // A server that does not answer keeps nobody from leaving: what it was not told is found by looking.
    if (this.#telling) await within(this.#options.clock, LAST_RING_MS, this.#telling);
    await this.#stopListening();
  }

  async #hasMoved(since: number, session: SessionId | undefined): Promise<boolean> {
    try {
      return (await this.#options.reader.version(session)) !== since;
    } catch (thrown) {
      // Closed while we looked: that ends the wait, and is no error.
      if (this.#isClosed) return true;
      throw thrown;
    }
  }

  /** One at a time: commits made meanwhile, and until the next turn, share the next one. */
  async #tell(): Promise<void> {
    while (this.#untold.size > 0) {
      const payload = JSON.stringify([...this.#untold]);
      this.#untold.clear();
      await this.#notify(Buffer.byteLength(payload) > MAX_PAYLOAD_BYTES ? "" : payload);
      // Whoever closes tells the rest at once.
      await this.#options.clock.sleep(RING_EVERY_MS, this.#hurry.signal).catch(() => undefined);
    }
  }

  async #notify(payload: string): Promise<void> {
    try {
      // Nothing is lost with a notification, so it need not wait for the disk.
      await this.#options.wire.ask(
        "SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, $2)",
        [this.#channel, payload],
        { patienceMs: 0 },
      );
    } catch (thrown) {
      // The commit is done and acknowledged; whoever waits elsewhere finds it by looking.
      if (!(thrown instanceof RefloatError)) throw thrown;
    }
  }

  #listen(): void {
    const { connect } = this.#options;
    if (this.#ears.kind !== "none" || this.#isClosed || !connect) return;
    const sql = connect(1);
    this.#ears = { kind: "opening", sql };
    const heard = (payload: string): void => this.#wake(sessionsIn(payload));
    // The library listens again by itself when the connection breaks, and then rings once.
    sql
      .listen(this.#channel, heard, () => this.#wake(null))
      .then(
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

  /** Null: everybody. */
  #wake(sessions: readonly string[] | null): void {
    for (const waiter of this.#waiters) {
      const { session } = waiter;
      if (sessions !== null && session !== null && !sessions.includes(session)) continue;
      waiter.isRung = true;
      waiter.wake();
    }
  }

  async #sleep(waiter: Waiter, ms: number): Promise<void> {
    const woken = new AbortController();
    waiter.wake = () => woken.abort();
    try {
      await this.#options.clock.sleep(Math.max(0, ms), woken.signal);
    } catch (thrown) {
      if (!woken.signal.aborted) throw thrown;
    } finally {
      waiter.wake = () => undefined;
    }
  }
}

interface Waiter {
  /** Null: every commit is waited for. */
  readonly session: string | null;
  isRung: boolean;
  wake: () => void;
}

/** Null: everybody's. An older refloat names none. */
function sessionsIn(payload: string): readonly string[] | null {
  if (payload === "") return null;
  const parsed = z.array(z.string()).safeParse(parsedOrNull(payload));
  return parsed.success ? parsed.data : null;
}
