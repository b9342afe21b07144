/**
 * A pool or client that the caller made and keeps: postgres.js's `sql`, or pg's Pool or Client. Statements go through it one by
 * one, never in a transaction of its own, because each is one (wire.ts); nothing of it is ended or replaced here. It is not
 * listened on: who waits for commits looks for them.
 */
import { RefloatError } from "../../model/errors.ts";
import type { PostgresRow, StatementSender } from "./wire.ts";

/** As far as it is used; pg's Pool, PoolClient and Client fit, and so does postgres.js's `sql`. */
export type PostgresClient =
  | { query(text: string, values?: unknown[]): PromiseLike<{ readonly rows: readonly PostgresRow[] }> }
  | Pick<StatementSender, "unsafe">;

export function sendBy(client: PostgresClient): StatementSender {
  const end = async (): Promise<void> => undefined; // it is the caller's to end
  if ("unsafe" in client && typeof client.unsafe === "function")
    // Unprepared: a client of the caller's may stand behind a pooler, and may send several statements at once (D1).
    return { unsafe: (statement, values = []) => client.unsafe(statement, values, { prepare: false }), end };
  if ("query" in client && typeof client.query === "function")
    return {
      unsafe: async (statement, values = []) => {
        try {
          return (await client.query(statement, values)).rows;
        } catch (thrown) {
          throw named(thrown);
        }
      },
      end,
    };
  throw new RefloatError("E_USAGE", {
    why: "The store's client must be a Pool or Client of pg, or postgres.js's sql.",
  });
}

/** pg says of a broken connection only in words that it is one. */
function named(thrown: unknown): unknown {
  const isNameless = thrown instanceof Error && !("code" in thrown && thrown.code !== undefined);
  const isBroken = isNameless && /connection (terminated|error|ended)|not queryable/i.test(thrown.message);
  return isBroken
    ? Object.assign(new Error(thrown.message, { cause: thrown }), { code: "CONNECTION_CLOSED" })
    : thrown;
}
