/** What a survivor may erase of somebody else's `forget`, and that the checker sees when it was nobody's, or more than its notes say (D2). */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openStore, type RefloatStore } from "../../src/app/store/open-store.ts";
import { openDatabase } from "../../src/store/sqlite/load.ts";
import { addSurvivor, checkRecords, newWorld } from "./check-records.ts";
import type { Line } from "./ledger.ts";

const SIDE = "side";
const BEGUN: Line = { k: "intent", n: 1, op: "forget", about: { session: SIDE } };
const ACKNOWLEDGED: Line = { k: "ack", n: 1, got: {} };

let folder: string;
let store: RefloatStore;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "refloat-erased-rest-"));
  store = await openStore(join(folder, "refloat.db"), { thread: false });
  const session = await store.begin({ id: SIDE, agent: "sweep", workspace: folder, captures: "off" });
  const turn = await session.turn("go");
  await turn.append({ role: "assistant", parts: [{ type: "text", text: "done" }] });
  await turn.end("completed");
  await session.finish();
  await store.forget({ session: SIDE, reason: "by the sweep" });
});

afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

/** All but the erasing is the checker's own, so that only the erasing is asked about. */
async function found(...lines: Line[]): Promise<string[]> {
  const world = newWorld(SIDE);
  addSurvivor(world, SIDE, 1);
  const put: Line = { k: "put", p: 1, session: SIDE, how: "append", records: [] };
  world.lives.push({ number: 0, lines: [put, ...lines] });
  const said = await checkRecords(store.raw, world);
  // What a session says without a claim is nobody's in this world, and not what is asked.
  return said.filter((what) => /forgotten|erased|forget/.test(what));
}

test("the rest of a forget that was begun and never acknowledged may be erased by whoever comes after", async () => {
  expect(await found(BEGUN)).toEqual([]);
});

test("an erasing that nobody began, or that had been acknowledged before, is reported", async () => {
  for (const lines of [[], [BEGUN, ACKNOWLEDGED]]) {
    const said = await found(...lines);
    expect(said).toContainEqual(expect.stringMatching(/forgotten .* nobody meant to write it/));
    expect(said).toContainEqual(expect.stringMatching(/is erased without a record of it/));
  }
});

test("a rest that erased fewer or more records than its notes count is reported", async () => {
  await store.close();
  const db = openDatabase(join(folder, "refloat.db"));
  db.exec(
    "UPDATE records SET forgotten = 0 WHERE forgotten = 1 AND seq = (SELECT max(seq) FROM records WHERE forgotten = 1)",
  );
  db.close();
  store = await openStore(join(folder, "refloat.db"), { thread: false });
  expect(await found(BEGUN)).toContainEqual(expect.stringMatching(/and its notes count/));
});
