/** `store gc --older`: what old, settled sessions held goes in batches; what is unsettled or parked stays whole, on both engines (D2, L6). */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { makePlace } from "../support/cli.ts";
import { testRepository } from "../support/git-repository.ts";
import { ANN } from "../support/left-session.ts";
import { startServer } from "../support/postgres.ts";

const STORES = {
  SQLite: async (): Promise<Record<string, string>> => ({}),
  PostgreSQL: async (): Promise<Record<string, string>> => {
    const server = await startServer();
    onTestFinished(() => server.stop());
    return { REFLOAT_STORE: server.url };
  },
};

describe.each(Object.entries(STORES))("%s", (_name, address) => {
  test("drops what a settled session held and leaves its words, an unsettled and a parked one whole; a dry run and a missing yes change nothing", {
    timeout: 300_000,
  }, async () => {
    const place = makePlace();
    const repo = testRepository();
    repo.write("f.txt", "one\n");
    repo.commit("base");
    const options = { env: { ...ANN, ...(await address()) }, cwd: repo.root };
    const said = async (...args: string[]) => place.json(args, options);
    const ran = (name: string, script: string) =>
      place.refloat(["run", "--name", name, "--", "sh", "-c", script], options);
    expect((await ran("settled", "seq 20000 > settled.txt")).code).toBe(0);
    repo.commit("kept by hand");
    expect((await ran("parked", "seq 30000 > parked.txt")).code).toBe(0);
    const parked = await said("park", "parked", "--all", "--yes");
    expect([parked.code, parked.json.done]).toEqual([0, true]);
    expect((await ran("unsettled", "seq 40000 > unsettled.txt")).code).toBe(0);

    const before = (await said("store", "info")).json;
    expect((await said("store", "gc", "--older", "1h", "--yes")).json).toMatchObject({
      older: { sessions: 0 },
    });
    const dry = (await said("store", "gc", "--older", "0s", "--dry-run")).json;
    expect([dry.done, dry.plan.sessions.length, dry.plan.kept]).toEqual([false, 2, 1]);
    const refused = await said("store", "gc", "--older", "0s");
    expect([refused.code, refused.json.code]).toEqual([1, "E_NEEDS_YES"]);
    expect((await said("store", "info")).json.content_bytes).toBe(before.content_bytes);

    const done = (await said("store", "gc", "--older", "0s", "--yes")).json;
    expect(done.older.sessions).toBe(2);
    expect((await said("store", "info")).json.records).toBeGreaterThan(before.records);
    for (const id of ["settled", "parked", "unsettled"]) expect((await said("show", id)).code).toBe(0);
    expect((await said("prove")).code).toBe(0);
    expect((await said("store", "check")).json).toMatchObject({ ok: true });
    const listed = (await said("sessions", "--all")).json.sessions as { name: string; unsettled: boolean }[];
    expect(listed.find(({ name }) => name === "unsettled")?.unsettled).toBe(true);
    const [group] = (await said("parked")).json.parked as { name: string }[];
    expect((await said("unpark", String(group?.name), "--yes")).json).toMatchObject({ done: true });
    expect(readFileSync(join(repo.root, "parked.txt"), "utf8").split("\n")).toHaveLength(30_001);
    // Again there is nothing left to do.
    expect((await said("store", "gc", "--older", "0s", "--yes")).json.older.sessions).toBe(0);
  });
});
