import postgres from "postgres";
import { expect, onTestFinished, test } from "vitest";
import { freshSchema, startServer } from "./postgres.ts";

test("the shared server takes connections, with fsync on and a collation that is not byte order", async () => {
  const sql = postgres(freshSchema().url, { max: 1 });
  onTestFinished(() => sql.end());
  const [row] = await sql`select current_setting('fsync') as fsync, 'a' < 'B' as is_by_language`;
  expect(row).toEqual({ fsync: "on", is_by_language: true });
});

test("a server killed with SIGKILL is gone at once, and started again still has what was committed", async () => {
  const server = await startServer();
  onTestFinished(() => server.stop());
  const before = postgres(server.url, { max: 1, onnotice: () => undefined });
  await before`create table kept as select 1 as one`;
  await server.kill();
  await expect(before`select 1`).rejects.toThrow();
  await before.end({ timeout: 0 });
  await server.start();
  const after = postgres(server.url, { max: 1 });
  onTestFinished(() => after.end());
  expect(await after`select one from kept`).toEqual([{ one: 1 }]);
});
