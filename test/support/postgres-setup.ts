/** Runs once per test run, in vitest's main process: one PostgreSQL server for all tests, gone at the end. */
import { rmSync } from "node:fs";
import type { TestProject } from "vitest/node";
import { type PostgresPrograms, postgresPrograms } from "./postgres-programs.ts";
import { startPostgres } from "./postgres-server.ts";

declare module "vitest" {
  export interface ProvidedContext {
    readonly postgresUrl: string;
    readonly postgresPrograms: PostgresPrograms;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const programs = postgresPrograms();
  const server = await startPostgres(programs);
  project.provide("postgresUrl", server.url);
  project.provide("postgresPrograms", programs);
  return async () => {
    await server.stop();
    if (programs.copy) rmSync(programs.copy, { recursive: true, force: true });
  };
}
