/**
 * The client library, tamed. A set of its connections is used until the first trouble and then replaced
 * (wire.ts), and no connection is ever reserved for a transaction: version 3.4.9 does not clear what it
 * had not yet sent when a connection closes, so a connection it makes again by itself can be stuck for
 * good, and a statement sent to a reserved one that is gone ends the process.
 */
import type postgres from "postgres";
import type { PostgresPlace } from "./server-address.ts";

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
