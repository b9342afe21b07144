/**
 * A server's address, read as psql reads it: postgres://user@host/database?name=value, what is left out from the PG* variables, the
 * password from PGPASSWORD or the password file, TLS by sslmode and its files. Beside those, four names of our own in the
 * address (or REFLOAT_SCHEMA, REFLOAT_CONNECTIONS, REFLOAT_PREPARE, REFLOAT_CONTENTS): `schema`, `connections`, `prepare`, `contents`.
 */
import { existsSync, readFileSync, statSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { join } from "node:path";
import { checkServerIdentity, type PeerCertificate } from "node:tls";
import { z } from "zod";
import { RefloatError } from "../../model/errors.ts";
import type { Environment } from "../../platform/places.ts";

/** A name that needs no quoting anywhere and leaves room for the prefix of the notification channel. */
const SCHEMA = /^[a-z_][a-z0-9_]{0,49}$/;
const DEFAULT_SCHEMA = "refloat";
/** More than this one process has no use for: reads share statements, and writes are one at a time. */
const MAX_CONNECTIONS = 16;

const SSL_MODES = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"] as const;
type SslMode = (typeof SSL_MODES)[number];

export type TlsChoice = false | "prefer" | "require" | TlsFiles;
export interface TlsFiles {
  readonly rejectUnauthorized: boolean;
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
  readonly checkServerIdentity?: (host: string, certificate: PeerCertificate) => Error | undefined;
}

export interface PostgresPlace {
  /** For the client library: without what is ours, and without TLS. */
  readonly url: string;
  readonly schema: string;
  /** What messages and `info` show. */
  readonly location: string;
  /** Null: nobody said; whoever opens knows how long it lives. */
  readonly connections: number | null;
  /** False: a pooler between us and the server does not keep prepared statements. */
  readonly prepare: boolean;
  readonly tls: TlsChoice;
  /** The bucket that contents lie in; null: they lie in the database. */
  readonly contents: string | null;
  /** From the password file; null: none is needed, or none is there. */
  readonly password: string | null;
}

export interface AddressOptions {
  readonly schema?: string;
  readonly env?: Environment;
}

const ours = z.object({
  schema: z.string().regex(SCHEMA),
  connections: z.coerce.number().int().min(1).max(MAX_CONNECTIONS).nullable(),
  prepare: z.enum(["true", "false", "on", "off"]).transform((said) => said === "true" || said === "on"),
  sslmode: z.enum(SSL_MODES),
});

export function postgresPlace(
  url: string,
  { schema, env = process.env }: AddressOptions = {},
): PostgresPlace {
  const shown = withoutPassword(url);
  // The parser's own error carries the whole address, password and all: it must not become a cause.
  if (!/^postgres(ql)?:\/\//.test(url) || !canBeParsed(url)) {
    throw new RefloatError("E_BAD_STORE_URL", { url: shown });
  }
  const { address, parameters } = splitParameters(url);
  const take = (name: string, variable: string): string | undefined => {
    const given = parameters.get(name) ?? undefined;
    parameters.delete(name);
    return given ?? (env[variable] || undefined);
  };
  const contents = take("contents", "REFLOAT_CONTENTS") ?? null;
  const read = ours.safeParse({
    schema: schema ?? take("schema", "REFLOAT_SCHEMA") ?? DEFAULT_SCHEMA,
    connections: take("connections", "REFLOAT_CONNECTIONS") ?? null,
    prepare: take("prepare", "REFLOAT_PREPARE") ?? "true",
    sslmode: take("sslmode", "PGSSLMODE") ?? "prefer",
  });
  if (!read.success) {
    const what = read.error.issues.map(({ path }) => path.join(".")).join(", ");
    throw new RefloatError("E_BAD_STORE_URL", { url: `${shown}, ${what} ${schema ?? ""}`.trimEnd() });
  }
  parameters.delete("schema");
  const { data } = read;
  const server = serverOf(address, env);
  const tls = tlsChoice(data.sslmode, server.host, (name, variable) => take(name, variable));
  const query = parameters.toString();
  return {
    url: `${address}${query === "" ? "" : `?${query}`}`,
    schema: data.schema,
    location: `${shown}, schema ${data.schema}`,
    connections: data.connections,
    prepare: data.prepare,
    tls,
    contents,
    password: server.hasPassword || env.PGPASSWORD ? null : passwordFor(server, env),
  };
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

function splitParameters(url: string): { address: string; parameters: URLSearchParams } {
  const at = url.indexOf("?");
  if (at === -1) return { address: url, parameters: new URLSearchParams() };
  return { address: url.slice(0, at), parameters: new URLSearchParams(url.slice(at + 1)) };
}

interface NamedServer {
  readonly host: string;
  readonly port: string;
  readonly database: string;
  readonly user: string;
  readonly hasPassword: boolean;
}

/** The first of several hosts: that is whose name a certificate and a line of the password file are about. */
function serverOf(address: string, env: Environment): NamedServer {
  const { hostname, port, username, password, pathname } = new URL(address.replace(/,[^/?#]*/, ""));
  const user = decodeURIComponent(username) || env.PGUSER || userInfo().username;
  return {
    host: hostname || env.PGHOST || "localhost",
    port: port || env.PGPORT || "5432",
    database: decodeURIComponent(pathname.slice(1)) || env.PGDATABASE || user,
    user,
    hasPassword: password !== "",
  };
}

type TakeParameter = (name: string, variable: string) => string | undefined;

/** As libpq: `require` with a root certificate there checks it; only `verify-full` checks the name, too. */
function tlsChoice(mode: SslMode, host: string, take: TakeParameter): TlsChoice {
  const folder = join(homedir(), ".postgresql");
  const fileOf = (given: string | undefined, usual: string): Buffer | null => {
    const path = given ?? join(folder, usual);
    if (given === undefined && !existsSync(path)) return null;
    return readTlsFile(path);
  };
  const root = take("sslrootcert", "PGSSLROOTCERT");
  const [certFile, keyFile] = [take("sslcert", "PGSSLCERT"), take("sslkey", "PGSSLKEY")];
  if (mode === "disable" || mode === "allow") return false;
  if (mode === "prefer") return "prefer";
  const ca = root === "system" ? null : fileOf(root, "root.crt");
  const [cert, key] = [fileOf(certFile, "postgresql.crt"), fileOf(keyFile, "postgresql.key")];
  const isChecked = mode !== "require" || ca !== null || root === "system";
  if (!isChecked && !cert) return "require";
  const isNameChecked = mode === "verify-full" || root === "system";
  return {
    rejectUnauthorized: isChecked,
    ...(ca ? { ca } : {}),
    ...(cert ? { cert } : {}),
    ...(key ? { key } : {}),
    checkServerIdentity: (_name, certificate) =>
      isNameChecked ? checkServerIdentity(host, certificate) : undefined,
  };
}

function readTlsFile(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (thrown) {
    throw new RefloatError("E_STORE_UNREACHABLE", { url: path, why: "it cannot be read" }, thrown);
  }
}

/** PGPASSFILE or ~/.pgpass: host:port:database:user:password, `*` for any; one that others can read is left alone, as psql does. */
function passwordFor(server: NamedServer, env: Environment): string | null {
  const path = env.PGPASSFILE || join(env.HOME || homedir(), ".pgpass");
  if (!existsSync(path)) return null;
  const { mode } = statSync(path);
  if ((mode & 0o077) !== 0) return null;
  const wanted = [server.host, server.port, server.database, server.user];
  for (const line of readFileSync(path, "utf8").split("\n")) {
    if (line.startsWith("#")) continue;
    const [password, ...said] = fieldsOf(line).toReversed();
    const isMeant = said.toReversed().every((field, i) => field === "*" || field === wanted[i]);
    if (password !== undefined && said.length === wanted.length && isMeant) return password;
  }
  return null;
}

/** Four colons tell five fields apart; a backslash takes the next character as it is. */
function fieldsOf(line: string): string[] {
  const fields = [""];
  for (let at = 0; at < line.length; at++) {
    const character = line[at] === "\\" ? line[++at] : line[at];
    const isEnd = character === ":" && line[at - 1] !== "\\" && fields.length < 5;
    if (isEnd) fields.push("");
    else fields[fields.length - 1] += character ?? "";
  }
  return fields;
}
