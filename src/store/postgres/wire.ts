/**
 * Connections to the server, and patience with them. A statement whose connection breaks is sent again until
 * it is answered or LOCK_WAIT_MS have passed: a server that is restarted, or killed and started again, is
 * survived without anybody noticing. That is harmless only because everything sent here may be sent twice:
 * reads, puts by hash, and appends by record id (D4).
 */
import { RefloatError } from "../../model/errors.ts";
import { LOCK_WAIT_MS } from "../../model/limits.ts";
import type { Clock } from "../../platform/clock.ts";
import { jitterMs } from "../../platform/random.ts";
import { NoAnswer, type PostgresTrouble, troubleOf } from "./postgres-error.ts";
import type { PostgresPlace } from "./server-address.ts";

export type PostgresValue = string | number | boolean | null;
export type PostgresRow = Readonly<Record<string, unknown>>;

/** What a wire sends statements by. */
export interface StatementSender {
  unsafe(
    statement: string,
    values?: PostgresValue[],
    options?: { readonly prepare?: boolean },
  ): PromiseLike<readonly PostgresRow[]>;
  end(options?: { readonly timeout?: number }): Promise<void>;
}

export interface AskOptions {
  /** A write that is not answered may still have been made, and the error must say so. */
  readonly isWrite?: boolean;
  /** How long a broken connection is mended before it is an error. */
  readonly patienceMs?: number;
  /** How long one attempt may take before the connection counts as broken. Null: as long as it takes. */
  readonly attemptMs?: number | null;
}

/** The server ends a wait for a lock after LOCK_WAIT_MS; without an answer well after that, it is not there. */
const ATTEMPT_MS = 2 * LOCK_WAIT_MS;
/** Random, so that the processes of a fleet do not all knock at once when the server is back. */
const RETRY_MIN_MS = 20;
const RETRY_MAX_MS = 120;
/** For statements under way and a goodbye to the server, before the sockets are simply closed. */
const CLOSE_TIMEOUT_S = 5;

export interface WireOptions {
  readonly place: PostgresPlace;
  /** Makes so many connections; again after a trouble with those before. */
  readonly connect: (connections: number) => StatementSender;
  readonly clock: Clock;
  readonly connections: number;
}

type Send<T> = (sql: StatementSender) => PromiseLike<T>;

/** Connects with the first statement sent. */
export class Wire {
  readonly place: PostgresPlace;
  readonly #options: WireOptions;
  #sql: StatementSender;
  #isClosed = false;
  /** Until a pooler between us and the server shows that it does not keep them. */
  #prepares: boolean;

  constructor(options: WireOptions) {
    this.place = options.place;
    this.#prepares = options.place.prepare;
    this.#options = options;
    this.#sql = options.connect(options.connections);
  }

  /** One statement, which is one transaction. */
  ask(
    statement: string,
    values: readonly PostgresValue[] = [],
    options: AskOptions = {},
  ): Promise<readonly PostgresRow[]> {
    return this.#persist((sql) => sql.unsafe(statement, [...values], { prepare: this.#prepares }), options);
  }

  /** A statement that works on whole tables: as long as it takes. */
  async maintain(statement: string): Promise<void> {
    await this.#persist((sql) => sql.unsafe(statement), { attemptMs: null });
  }

  /** Between two looks at something that somebody else must end first. */
  pause(ms: number): Promise<void> {
    return this.#options.clock.sleep(ms);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#sql.end({ timeout: CLOSE_TIMEOUT_S });
  }

  async #persist<T>(send: Send<T>, options: AskOptions): Promise<T> {
    const { isWrite = false, patienceMs = LOCK_WAIT_MS, attemptMs = ATTEMPT_MS } = options;
    const { clock } = this.#options;
    const startedMs = clock.monotonicMs();
    let mayHaveArrived = false;
    for (;;) {
      if (this.#isClosed) throw new RefloatError("E_CLOSED", { what: "store" });
      const sql = this.#sql;
      try {
        return await this.#attempt(sql, send, attemptMs);
      } catch (thrown) {
        const trouble = troubleOf(thrown, this.place.location);
        if (trouble.kind === "final") throw trouble.error;
        if (trouble.kind === "unprepared") this.#prepares = false;
        if (trouble.kind !== "again") this.#replace(sql);
        mayHaveArrived ||= isWrite && trouble.kind === "lost";
        const waitedMs = clock.monotonicMs() - startedMs;
        if (waitedMs >= patienceMs) throw this.#givenUp(trouble, { mayHaveArrived }, waitedMs);
      }
      await clock.sleep(jitterMs(RETRY_MIN_MS, RETRY_MAX_MS));
    }
  }

  #givenUp(
    trouble: Exclude<PostgresTrouble, { kind: "final" }>,
    { mayHaveArrived }: { readonly mayHaveArrived: boolean },
    waitedMs: number,
  ): RefloatError {
    const { cause } = trouble;
    if (trouble.kind === "again" || trouble.kind === "unprepared")
      return new RefloatError("E_STORE_BUSY", { ms: Math.round(waitedMs) }, cause);
    const code = mayHaveArrived ? "E_STORE_LOST" : "E_STORE_UNREACHABLE";
    return new RefloatError(code, { url: this.place.location, why: cause.message }, cause);
  }

  async #attempt<T>(sql: StatementSender, send: Send<T>, attemptMs: number | null): Promise<T> {
    const answer = Promise.resolve(send(sql));
    if (attemptMs === null) return answer;
    const timer = new AbortController();
    const tooLate = this.#options.clock.sleep(attemptMs, timer.signal).then(() => {
      throw new NoAnswer(`no answer within ${attemptMs} ms`);
    });
    try {
      return await Promise.race([answer, tooLate]);
    } finally {
      timer.abort();
      // Whichever of the two lost the race has nobody left to tell.
      for (const loser of [answer, tooLate]) loser.catch(() => undefined);
    }
  }

  /** Others under way on the old connections may still be answered; those that are not come here as well. */
  #replace(old: StatementSender): void {
    if (this.#sql !== old || this.#isClosed) return;
    this.#sql = this.#options.connect(this.#options.connections);
    old.end({ timeout: CLOSE_TIMEOUT_S }).catch(() => undefined); // nothing of it is used any more
  }
}
