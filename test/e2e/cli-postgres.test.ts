/** The same commands on a store that several machines share. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStore } from "../../src/app/store/open-store.ts";
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

  it("holds the claims of a state file for everybody who shares it, and heals the file as SQLite does (K5)", async () => {
    const [one, two] = [makePlace(), makePlace()];
    const env = { REFLOAT_STORE: server.url };
    const here = { env, cwd: one.workspace };
    expect((await one.json(["state", "init"], here)).code).toBe(0);
    const { json } = await one.json(["step", "start", "1", "--owner", "ann"], here);
    expect(json).toMatchObject({ attempt: 1 });
    // Another home on another machine would have the same: only the store is shared.
    const refused = await two.json(["step", "start", "1", "--owner", "bob"], here);
    expect([refused.code, refused.json.code]).toEqual([4, "E_STEP_HELD"]);
    const decided = await two.json(["decide", "region", "north", "--reason", "near"], here);
    expect(decided.code).toBe(0);
    const file = join(one.workspace, "00-session-state.json");
    writeFileSync(file, readFileSync(file, "utf8").slice(0, 300));
    const doctor = await one.json(["doctor"], here);
    expect(doctor.json.findings.map(({ check }: { check: string }) => check)).toContain("state-damaged");
    expect((await one.json(["state", "repair"], here)).json.files).toMatchObject([{ from: "store" }]);
    const repaired = JSON.parse(readFileSync(file, "utf8"));
    expect(repaired).toMatchObject({
      decisions: { region: "north" },
      steps: { 1: { status: "in_progress", claim: { owner_id: "ann", attempt_token: json.token } } },
    });
    const done = await one.json(["step", "done", "1", "--owner", "ann", "--token", json.token], here);
    expect(done.code, JSON.stringify(done.json)).toBe(0);
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
