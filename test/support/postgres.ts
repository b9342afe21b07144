/** What a test needs of PostgreSQL: a schema of its own on the shared server, or a server of its own to kill. */
import { randomBytes } from "node:crypto";
import postgres from "postgres";
import { inject } from "vitest";
import { type PostgresServer, type ServerOptions, startPostgres } from "./postgres-server.ts";

/**
 * Each test file has a database of its own: what a server may remove from its files depends on the oldest
 * transaction of the whole database, so files that share one would disturb each other's rewriting.
 */
const databaseUrl = await ownDatabase(inject("postgresUrl"));

/** The address of this file's database and a schema name nobody else uses. It is not created yet. */
export function freshSchema(): { readonly url: string; readonly schema: string } {
  return { url: databaseUrl, schema: `t_${randomBytes(8).toString("hex")}` };
}

async function ownDatabase(serverUrl: string): Promise<string> {
  const name = `d_${randomBytes(8).toString("hex")}`;
  const server = postgres(serverUrl, { max: 1, onnotice: () => undefined });
  await server.unsafe(`CREATE DATABASE ${name} TEMPLATE template0`).finally(() => server.end());
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** A second server, for tests that kill it. The test stops it when it is done. */
export function startServer(options?: ServerOptions): Promise<PostgresServer> {
  return startPostgres(inject("postgresPrograms"), options);
}
