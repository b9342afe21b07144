/** A pool or client of the caller's in the place of ours: the same store, and never ended by it. */
import { createRequire } from "node:module";
import postgres from "postgres";
import { expect, onTestFinished, test } from "vitest";
import { openStore } from "../../src/app/store/open-store.ts";
import type { PostgresClient } from "../../src/store/postgres/own-client.ts";
import { freshSchema, startServer } from "../support/postgres.ts";

interface Pool {
  query(text: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }>;
  end(): Promise<void>;
  on(event: "error", hear: () => void): void;
}
const { Pool } = createRequire(import.meta.url)("pg") as { Pool: new (options: object) => Pool };

const CLIENTS = [
  [
    "pg's Pool",
    (url: string) => {
      const pool = new Pool({ connectionString: url, max: 3 });
      pool.on("error", () => undefined); // an idle connection that breaks is the pool's to replace
      return pool;
    },
  ],
  ["postgres.js", (url: string) => postgres(url, { max: 3, onnotice: () => undefined })],
] as const satisfies readonly (readonly [
  string,
  (url: string) => PostgresClient & { end(): Promise<void> },
])[];

test.each(CLIENTS)(
  "what is written by %s is read by a store of ours, contents and all; closing the store leaves the client open",
  async (_, connect) => {
    const { url, schema } = freshSchema();
    const client = connect(url);
    onTestFinished(() => client.end());
    const store = await openStore(undefined, { client, schema });
    const ours = await openStore(url, { schema });
    onTestFinished(() => ours.close());
    const session = await store.begin({ id: "s", agent: "a", workspace: "/w" });
    const { hash } = await store.putContent(Buffer.alloc(1_500_000, 7));
    await session.record("t.kept", { text: "\u0000 \ud83d\ude00" }, { contents: [hash] });
    const following = ours.follow("s", session.head + 1);
    const next = following.next();
    await session.record("t.kept", { text: "second" });
    expect((await next).value).toMatchObject({ body: { text: "second" } });
    await following.return(undefined);
    const back = store.follow("s", session.head + 1);
    const heard = back.next();
    await ours.stop("s", "enough");
    expect((await heard).value).toMatchObject({ kind: "stop.asked" });
    await back.return(undefined);
    await session.finish();
    expect((await store.sessions()).map(({ id, state }) => [id, state])).toEqual([["s", "finished"]]);
    await store.delete("s");
    expect(await ours.sessions()).toEqual([]);
    await store.close();
    await ("query" in client ? client.query("SELECT 1") : client.unsafe("SELECT 1"));
  },
);

// Not of postgres.js: it may wait for ever for a server that is just starting, and docs/library.md promises nothing there.
test.each(CLIENTS.slice(0, 1))(
  "D1: a server killed and started again under %s costs nothing that was acknowledged, and the store goes on",
  async (_, connect) => {
    const server = await startServer();
    onTestFinished(() => server.stop());
    const client = connect(server.url);
    const store = await openStore(undefined, { client, schema: "own" });
    const session = await store.begin({ id: "s", agent: "a", workspace: "/w" });
    await session.record("t.n", { n: 1 });
    await server.kill();
    const meanwhile = session.record("t.n", { n: 2 });
    await server.start();
    await meanwhile;
    const found: unknown[] = [];
    for await (const { body } of session.records("t.n")) found.push(body.n);
    expect(found).toEqual([1, 2]);
    await session.finish();
    await store.close();
    await client.end();
  },
);
