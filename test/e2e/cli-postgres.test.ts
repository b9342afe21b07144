/** The same commands on a store that several machines share. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStore } from "../../src/library/open-store.ts";
import { makePlace } from "../support/cli.ts";
import { startServer } from "../support/postgres.ts";
import type { PostgresServer } from "../support/postgres-server.ts";

let server: PostgresServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

describe("a PostgreSQL store", () => {
  it("is listed, shown, checked, exported and told apart as shared", async () => {
    const place = makePlace();
    const env = { REFLOAT_STORE: server.url };
    const store = await openStore(server.url);
    const session = await store.begin({ id: "shared-one", agent: "t", workspace: place.workspace });
    const turn = await session.turn("from far away");
    const { json } = await place.json(["claim", "status"], { env });
    expect(json).toMatchObject({
      scope: "shared through Postgres",
      claims: [{ session: "shared-one", held: true }],
    });
    await turn.end("completed");
    await session.finish();
    await store.close();

    expect((await place.json(["sessions"], { env })).json.sessions).toMatchObject([
      { id: "shared-one", state: "finished" },
    ]);
    expect((await place.refloat(["log", "shared"], { env })).stdout).toContain("from far away");
    expect(await place.json(["store", "check"], { env })).toMatchObject({
      code: 0,
      json: { ok: true, sessions: 1 },
    });
    expect((await place.json(["store", "info"], { env })).json).toMatchObject({
      kind: "postgres",
      file_system: null,
    });
    const exported = await place.refloat(["store", "export", "--raw"], { env });
    expect((await place.json(["store", "import", "-"], { stdin: exported.stdout })).json.sessions).toBe(1);
    expect((await place.json(["log", "shared-one"])).json.items).toHaveLength(1);
  });

  it("says what is its server's business: a salvage", async () => {
    const { code, json } = await makePlace().json(["store", "check", "--salvage", "--store", server.url]);
    expect([code, json.code]).toEqual([1, "E_UNSUPPORTED"]);
  });

  it("backs up into one SQLite file that is a store of its own", async () => {
    const place = makePlace();
    expect((await place.json(["store", "backup", "x.db", "--store", server.url])).code).toBe(0);
    const here = await place.json(["store", "info", "--store", server.url]);
    const copy = await place.json(["store", "info", "--store", "x.db"]);
    expect([copy.code, copy.json.sessions, copy.json.records]).toEqual([
      0,
      here.json.sessions,
      here.json.records,
    ]);
  });

  it("that cannot be reached is something to try again (75), and its password is never shown", async () => {
    const place = makePlace();
    const url = "postgres://somebody:hunter2@127.0.0.1:1/nowhere";
    for (const flags of [[], ["--json"]]) {
      const ran = await place.refloat(["sessions", "--store", url, ...flags]);
      expect(ran.code).toBe(75);
      expect(ran.stdout + ran.stderr).toContain("E_STORE_UNREACHABLE");
      expect(ran.stdout + ran.stderr).not.toContain("hunter2");
    }
  });
});
