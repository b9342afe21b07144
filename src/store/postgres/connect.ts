/**
 * The client library, tamed. A set of its connections is used until the first trouble and then replaced
 * (wire.ts), and no connection is ever reserved for a transaction: version 3.4.9 does not clear what it
 * had not yet sent when a connection closes, so a connection it makes again by itself can be stuck for
 * good, and a statement sent to a reserved one that is gone ends the process.
 */
import type postgres from "postgres";
import { RefloatError } from "../../model/errors.ts";

// The address of a server: checked before anything is sent, and shown only without its password.

/** A name that needs no quoting anywhere and leaves room for the prefix of the notification channel. */
const SCHEMA = /^[a-z_][a-z0-9_]{0,49}$/;

export interface PostgresPlace {
  readonly url: string;
  readonly schema: string;
  /** What messages and `info` show. */
  readonly location: string;
}

export function postgresPlace(url: string, schema: string): PostgresPlace {
  const shown = withoutPassword(url);
  // The parser's own error carries the whole address, password and all: it must not become a cause.
  if (!/^postgres(ql)?:\/\//.test(url) || !canBeParsed(url)) {
    throw new RefloatError("E_BAD_STORE_URL", { url: shown });
  }
  if (!SCHEMA.test(schema)) throw new RefloatError("E_BAD_STORE_URL", { url: `${shown}, schema ${schema}` });
  return { url, schema, location: `${shown}, schema ${schema}` };
}

/** `postgres://user@host:port/database`, whatever else was in it. Works on addresses that cannot be parsed, too. */
export function withoutPassword(url: string): string {
  const [address = ""] = url.split(/[?#]/);
  const scheme = address.slice(0, address.indexOf("://") + 3);
  const rest = address.slice(scheme.length);
  // The last @ ends the password, even one in which somebody forgot to escape an @ or a slash.
  const at = rest.lastIndexOf("@");
  if (at === -1) return address;
  const [user = ""] = rest.slice(0, at).split(":");
  return `${scheme}${user}@${rest.slice(at + 1)}`;
}

function canBeParsed(url: string): boolean {
  // Several hosts, separated by commas, are allowed; the standard parser knows only one.
  return URL.canParse(url.replace(/,[^/?#]*/, ""));
}

/** Makes so many connections, each when it is first needed. */
export type Connect = (connections: number) => postgres.Sql;

/** Opening a connection: name, TCP, TLS and password on a slow network. */
const CONNECT_TIMEOUT_S = 10;

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
      // Arrays travel as JSON; so the catalogue of types need not be read on every connection.
      fetch_types: false,
      // Notices are for people at a prompt; the library would print them.
      onnotice: () => undefined,
      connection: { application_name: "refloat" },
    });
}
