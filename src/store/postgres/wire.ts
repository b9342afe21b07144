/**
 * Connections to the server, and patience with them. A statement whose connection breaks is sent again until
 * it is answered or LOCK_WAIT_MS have passed: a server that is restarted, or killed and started again, is
 * survived without anybody noticing. That is harmless only because everything sent here may be sent twice:
 * reads, puts by hash, and appends by record id (D4).
 */
import type postgres from "postgres";
import { RefloatError } from "../../model/errors.ts";
import { LOCK_WAIT_MS } from "../../model/limits.ts";
import type { Clock } from "../../platform/clock.ts";
import { jitterMs } from "../../platform/random.ts";
import { NoAnswer, troubleOf } from "./postgres-error.ts";
import type { PostgresPlace } from "./url.ts";

export type SqlValue = string | number | boolean | null;
export type SqlRow = Readonly<Record<string, unknown>>;

export interface Asking {
  /** One statement, prepared once per connection. */
  ask(statement: string, values?: readonly SqlValue[]): Promise<readonly SqlRow[]>;
  /** Statements that cannot be prepared, or several of them, separated by semicolons. */
  script(statements: string): Promise<void>;
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
/** Opening a connection: name, TCP, TLS and password on a slow network. */
const CONNECT_TIMEOUT_S = 10;
/** For a goodbye to the server before the socket is simply closed. */
const CLOSE_TIMEOUT_S = 5;

export interface WireOptions {
  readonly place: PostgresPlace;
  readonly clock: Clock;
  readonly connections: number;
}

export class Wire implements Asking {
  readonly place: PostgresPlace;
  readonly #clock: Clock;
  readonly #connect: () => postgres.Sql;
  #sql: postgres.Sql;
  #isClosed = false;

  private constructor(options: WireOptions, connect: () => postgres.Sql) {
    this.place = options.place;
    this.#clock = options.clock;
    this.#connect = connect;
    this.#sql = connect();
  }

  /** Connects with the first question asked. The library is loaded here, so that nobody else pays for it. */
  static async open(options: WireOptions): Promise<Wire> {
    const { default: library } = await import("postgres");
    return new Wire(options, () =>
      library(options.place.url, {
        max: options.connections,
        connect_timeout: CONNECT_TIMEOUT_S,
        // Waiting between attempts is ours; the library's own grows to 20 seconds.
        backoff: () => 0,
        // Arrays travel as JSON; so the catalogue of types need not be read on every connection.
        fetch_types: false,
        // Notices are for people at a prompt; the library would print them.
        onnotice: () => undefined,
        connection: { application_name: "refloat" },
      }),
    );
  }

  async ask(
    statement: string,
    values: readonly SqlValue[] = [],
    options: AskOptions = {},
  ): Promise<readonly SqlRow[]> {
    return this.#persist((sql) => run(sql, statement, values), options);
  }

  /** As long as it takes: this is for work on whole tables. */
  async script(statements: string): Promise<void> {
    await this.#persist((sql) => sql.unsafe(statements), { attemptMs: null });
  }

  async #persist<T>(send: (sql: postgres.Sql) => Promise<T>, options: AskOptions): Promise<T> {
    const { isWrite = false, patienceMs = LOCK_WAIT_MS, attemptMs = ATTEMPT_MS } = options;
    const startedMs = this.#clock.monotonicMs();
    let mayHaveArrived = false;
    for (;;) {
      if (this.#isClosed) throw new RefloatError("E_CLOSED", { what: "store" });
      try {
        return await this.#attempt(send, attemptMs);
      } catch (thrown) {
        const trouble = troubleOf(thrown, this.place.location);
        if (trouble.kind === "final") throw trouble.error;
        mayHaveArrived ||= trouble.kind === "lost";
        const waitedMs = this.#clock.monotonicMs() - startedMs;
        if (waitedMs >= patienceMs) {
          if (trouble.kind === "again")
            throw new RefloatError("E_STORE_BUSY", { ms: Math.round(waitedMs) }, thrown);
          const { location: url } = this.place;
          const code = isWrite && mayHaveArrived ? "E_STORE_LOST" : "E_STORE_UNREACHABLE";
          throw new RefloatError(code, { url, why: trouble.why }, thrown);
        }
      }
      await this.#clock.sleep(jitterMs(RETRY_MIN_MS, RETRY_MAX_MS));
    }
  }

  /** Several statements in one transaction, in a single attempt. Only for opening: the rest is one statement each. */
  async transaction<T>(work: (asking: Asking) => Promise<T>): Promise<T> {
    try {
      // The library's type unwraps arrays of promises; a promise of one value comes back as it is.
      return (await this.#sql.begin((sql) => work(within(sql)))) as T;
    } catch (thrown) {
      const trouble = troubleOf(thrown, this.place.location);
      if (trouble.kind === "final") throw trouble.error;
      throw new RefloatError("E_STORE_UNREACHABLE", { url: this.place.location, why: trouble.why }, thrown);
    }
  }

  /** On a connection of its own that the library makes again when it breaks. */
  async listen(channel: string, heard: () => void): Promise<void> {
    await this.#sql.listen(channel, heard, heard);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#sql.end({ timeout: CLOSE_TIMEOUT_S });
  }

  async #attempt<T>(send: (sql: postgres.Sql) => Promise<T>, attemptMs: number | null): Promise<T> {
    const sql = this.#sql;
    const answer = send(sql);
    if (attemptMs === null) return answer;
    const timer = new AbortController();
    const tooLate = this.#clock.sleep(attemptMs, timer.signal).then(() => {
      throw new NoAnswer(`no answer within ${attemptMs} ms`);
    });
    try {
      return await Promise.race([answer, tooLate]);
    } catch (thrown) {
      if (thrown instanceof NoAnswer && this.#sql === sql) this.#startOver(answer);
      throw thrown;
    } finally {
      timer.abort();
      tooLate.catch(() => undefined); // aborted on purpose, or thrown above already
    }
  }

  /** The old connections may hang for as long as the kernel believes in them: they are left behind. */
  #startOver(unanswered: Promise<unknown>): void {
    const old = this.#sql;
    this.#sql = this.#connect();
    unanswered.catch(() => undefined); // its caller was told NoAnswer
    old.end({ timeout: 0 }).catch(() => undefined); // nothing of it is used any more
  }
}

type Sending = Pick<postgres.Sql, "unsafe">;

async function run(sql: Sending, statement: string, values: readonly SqlValue[]): Promise<readonly SqlRow[]> {
  return sql.unsafe(statement, [...values], { prepare: true });
}

function within(sql: Sending): Asking {
  return {
    ask: (statement, values = []) => run(sql, statement, values),
    script: async (statements) => {
      await sql.unsafe(statements);
    },
  };
}
