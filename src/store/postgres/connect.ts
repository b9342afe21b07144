/**
 * The client library, tamed. A set of its connections is used until the first trouble and then replaced
 * (wire.ts), and no connection is ever reserved for a transaction: version 3.4.9 does not clear what it
 * had not yet sent when a connection closes, so a connection it makes again by itself can be stuck for
 * good, and a statement sent to a reserved one that is gone ends the process.
 */
import type postgres from "postgres";
import type { PostgresPlace } from "./server-address.ts";
import type { StatementSender } from "./wire.ts";

/** Makes so many connections, each when it is first needed. */
export type Connect = (connections: number) => postgres.Sql;

/** Opening a connection: name, TCP, TLS and password on a slow network. */
const CONNECT_TIMEOUT_S = 10;

/**
 * One statement at a time on a connection. The library prepares a statement again by itself when the server does not know it any more,
 * as behind a pooler; with others sent behind it, their answers then go to the wrong callers, and a write could be acknowledged
 * by what was said to a read (D1). Its types do not know this option.
 */
const ONE_AT_A_TIME = { max_pipeline: 0 };

/** Loads the library, so that nobody else pays for it. */
export async function connectTo(place: PostgresPlace): Promise<Connect> {
  const { default: library } = await import("postgres");
  return (connections) =>
    library(place.url, {
      max: connections,
      connect_timeout: CONNECT_TIMEOUT_S,
      // Connections live as long as they work, and waiting between attempts is ours.
      max_lifetime: null,
      backoff: () => 0,
      ...ONE_AT_A_TIME,
      // Arrays travel as JSON; so the catalogue of types need not be read on every connection.
      fetch_types: false,
      // Notices are for people at a prompt; the library would print them.
      onnotice: () => undefined,
      ssl: place.tls,
      ...(place.password === null ? {} : { password: place.password }),
      connection: { application_name: process.env.PGAPPNAME || "refloat" },
    });
}

/**
 * The library is given no more statements than it has connections; the others wait here. What waits inside it when a connection breaks makes it connect
 * again, after its end, too, and such a connection is open for good: nobody ends it, and its process never ends by itself.
 */
export function inTurn(sql: StatementSender, connections: number): StatementSender {
  let free = connections;
  let isEnded = false;
  const waiting: Waiting[] = [];
  return {
    unsafe: async (statement, values, options) => {
      if (isEnded) throw ended();
      if (free > 0) free--;
      else await new Promise<void>((resolve, reject) => waiting.push({ resolve, reject }));
      try {
        return await sql.unsafe(statement, values, options);
      } finally {
        const next = waiting.shift();
        if (next) next.resolve();
        else free++;
      }
    },
    end: async (options) => {
      isEnded = true;
      for (const { reject } of waiting.splice(0)) reject(ended());
      await sql.end(options);
    },
  };
}

interface Waiting {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** As the library says it: whoever waited asks the connections that replace these. */
const ended = (): Error => Object.assign(new Error("the connection was ended"), { code: "CONNECTION_ENDED" });
