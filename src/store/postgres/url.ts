/** The address of a server: checked before anything is sent, and shown only without its password. */
import { RefloatError } from "../../model/errors.ts";

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
