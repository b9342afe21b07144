/** What a test needs of PostgreSQL: a schema of its own on the shared server, or a server of its own to kill. */
import { randomBytes } from "node:crypto";
import { inject } from "vitest";
import { type PostgresServer, type ServerOptions, startPostgres } from "./postgres-server.ts";

/** The shared server's address and a schema name nobody else uses. It is not created yet. */
export function freshSchema(): { readonly url: string; readonly schema: string } {
  return { url: inject("postgresUrl"), schema: `t_${randomBytes(8).toString("hex")}` };
}

/** A second server, for tests that kill it. The test stops it when it is done. */
export function startServer(options?: ServerOptions): Promise<PostgresServer> {
  return startPostgres(inject("postgresPrograms"), options);
}
