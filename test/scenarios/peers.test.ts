/** The worst that other systems of this field did to their users' data (scenarios 13 and 16), as tests of ours. */
import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { openStore } from "../../src/app/store/open-store.ts";
import type { RecordId, SessionId } from "../../src/model/ids.ts";
import { journalOf } from "../chaos/check-records.ts";
import { killedWhenSaid, newStorePath, opened } from "./child.ts";

const MIB = 1024 * 1024;

/** Database, log and all else that belongs to the store. */
function bytesOnDisk(path: string): number {
  const files = readdirSync(dirname(path), { withFileTypes: true }).filter((entry) => entry.isFile());
  return files.reduce((sum, { name }) => sum + statSync(`${dirname(path)}/${name}`).size, 0);
}

test("peers 13 (opencode 15416): a store that reached its cap says so, goes on recording without contents, and is small again after a forget; it never fills the disk for good (D2, T5)", async () => {
  const path = newStorePath();
  const store = await opened(path, { capBytes: 12 * MIB });
  const session = await store.begin({ id: "big", agent: "big", workspace: "/w" });
  const small = bytesOnDisk(path);
  let refused: unknown = null;
  for (let i = 0; i < 60 && refused === null; i++) {
    try {
      const { hash } = await store.raw.putContent(randomBytes(MIB));
      const body = { key: "file", value: i, reason: null, step: null };
      const record = {
        id: `file-${i}` as RecordId,
        kind: "decided",
        atMs: 0,
        body,
        contents: [{ hash, path: `f${i}` }],
      };
      await store.raw.append("big" as SessionId, { attempt: session.attempt }, [record]);
    } catch (thrown) {
      refused = thrown;
    }
  }
  expect(refused).toMatchObject({ code: "E_STORE_CAP" });
  const turn = await session.turn("the journal goes on");
  await turn.append({ role: "assistant", parts: "x".repeat(400_000) });
  await turn.end("completed");
  await session.finish();
  const big = bytesOnDisk(path);
  expect(big).toBeGreaterThan(10 * MIB);

  const forgotten = await store.forget({ session: "big", reason: "the disk is full" });
  expect(forgotten.bytes).toBeGreaterThan(10 * MIB);
  expect(bytesOnDisk(path)).toBeLessThan(small + 2 * MIB);
  const records = await journalOf(store.raw, "big");
  expect(records.map(({ seq }) => seq)).toEqual(records.map((_, i) => i + 1));
  await store.raw.putContent(randomBytes(MIB));
});

const WRITES = `
  const session = await store.begin({ id: "s1", agent: "a", workspace: "/w" });
  for (let i = 0; i < 50; i++) await session.decide("number", i);
  say("now");
  await forever();`;

test("peers 16 (CONTINUUM): what a killed writer left beside the store, its log above all, is never cleaned away: everything committed is there, whatever else lies around (D1)", async () => {
  const path = newStorePath();
  await killedWhenSaid(path, WRITES);
  // All of it is in the log alone: deleting that "stale" file is how the data was lost elsewhere.
  expect(statSync(`${path}-wal`).size).toBeGreaterThan(50 * 100);
  writeFileSync(`${path}-journal.lock`, "12345");
  writeFileSync(`${path}.lock`, "");
  const store = await opened(path);
  const values = (await journalOf(store.raw, "s1")).filter(({ kind }) => kind === "decided");
  expect(values.map(({ body }) => body.value)).toEqual(Array.from({ length: 50 }, (_, i) => i));
  const session = await store.begin({ id: "s1", agent: "b", workspace: "/w" });
  expect(session.attempt).toBe(2);
  expect(existsSync(`${path}.lock`), "what is not ours is left alone").toBe(true);
});

test("peers 16: without its shared memory file, as after a reboot, the log is still read whole (D1)", async () => {
  const path = newStorePath();
  await killedWhenSaid(path, WRITES);
  rmSync(`${path}-shm`, { force: true });
  const store = await opened(path);
  expect((await journalOf(store.raw, "s1")).filter(({ kind }) => kind === "decided")).toHaveLength(50);
});

test("peers 16: when somebody else deleted the log, the loss is said: the store is neither called whole nor started afresh, and it goes on only by order (D7)", async () => {
  const path = newStorePath();
  await killedWhenSaid(
    path,
    `const session = await store.begin({ id: "s1", agent: "a", workspace: "/w" });
    const { existsSync } = await import("node:fs");
    // The store notes from time to time how far it has come.
    for (let i = 0; i < 50 || !existsSync(process.argv[3] + "-mark"); i++) await session.decide("number", i);
    for (let i = 0; i < 10; i++) await session.decide("after the mark", i);
    say("now");
    await forever();`,
  );
  for (const beside of ["-wal", "-shm"]) rmSync(path + beside);
  const before = readdirSync(dirname(path));
  await expect(openStore(path, { thread: false })).rejects.toMatchObject({ code: "E_STORE_TAIL_LOST" });
  expect(readdirSync(dirname(path))).toEqual(expect.arrayContaining(before));
  const store = await opened(path, { acceptLoss: true });
  const session = await store.begin({ id: "s1", agent: "b", workspace: "/w" });
  await session.finish();
});
