import { mkdtempSync, readFileSync, rmSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { killWhileWriting } from "../../../test/support/killed-writer.ts";
import { randomFrom } from "../../../test/support/random-from.ts";
import {
  bodyOf,
  bytesOf,
  copyStore,
  fillStore,
  flipBit,
  keyOf,
  openTestStore,
  overwrite,
  salvageAll,
  sizeOf,
  type TestStore,
  testRecord,
} from "../../../test/support/salvage-store.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import type { RawRecord } from "../contract/driver.ts";
import { hashToBlob } from "../sqlite/rows.ts";

const HEADER = 32;
const FRAME = 24 + 4096;
const COMMITS = 120;

/** A store whose first rows are in the database and whose last ones are in the log only, commit by commit. */
let folder: string;
let path: string;
let all: ReadonlyMap<string, RawRecord>;
/** What is committed when the log has so many bytes; the first is the empty log. */
let commits: { readonly walBytes: number; readonly keys: readonly string[] }[];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "refloat-salvage-wal-"));
  path = join(folder, "store.db");
  const store = openTestStore(join(folder, "original.db"), { create: true });
  const random = randomFrom(3);
  fillStore(store, random, 300);
  store.all("PRAGMA wal_checkpoint(TRUNCATE)");
  commits = [{ walBytes: 0, keys: [...store.written.records.keys()] }];
  for (let i = 0; i < COMMITS; i++) {
    const keys: string[] = [];
    store.commit(() => {
      for (let k = 0; k <= random(4); k++)
        keys.push(keyOf(store.addRecord(`session-${random(3)}`, bodyOf(random(9_000), random))));
    });
    commits.push({ walBytes: sizeOf(`${store.path}-wal`), keys });
  }
  all = store.written.records;
  store.copyTo(path);
  store.close();
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("a log that was cut off by somebody else (D7)", () => {
  test("gives exactly the commits before the cut, at each of the last five frames' edges and at odd bytes", async () => {
    const size = sizeOf(`${path}-wal`);
    const edges = [0, 1, 2, 3, 4, 5].map((frames) => size - frames * FRAME);
    const odd = [
      size - 1,
      size - 7,
      size - FRAME + 24,
      size - 3 * FRAME - 4000,
      size - 4 * FRAME + 11,
      HEADER,
      HEADER - 1,
      1,
      0,
    ];
    for (const cut of [...edges, ...odd]) {
      const copy = copied((file) => truncateSync(`${file}-wal`, cut));
      const found = await salvageAll(copy);
      expect([...found.records.keys()].sort(), `cut at ${cut} of ${size}`).toEqual(committedAt(cut).sort());
      expect(found.broken, `cut at ${cut} of ${size}`).toEqual([]);
    }
  });

  test("still gives the rows that a checkpoint had copied into the database, though SQL no longer shows them", async () => {
    const store = openTestStore(
      copied(() => undefined),
      { create: false },
    );
    store.all("PRAGMA wal_checkpoint(PASSIVE)");
    const copy = join(temporaryFolder(), "store.db");
    store.copyTo(copy);
    store.close();
    truncateSync(`${copy}-wal`, commits[20]?.walBytes ?? 0);
    const found = await salvageAll(copy);
    expect(found.records).toEqual(all);
    expect(found.stats.asideRecords).toBeGreaterThan(0);
    expect(shownBySql(copy)).toBeLessThan(all.size);
  });

  test("finds a row's overflow pages in the database, when the cut log has only older images of them", async () => {
    // How much of a row lies in its leaf depends on its length: some of these fit into a leaf the log does not have.
    for (let bytes = 150_000; bytes < 154_000; bytes += 500) {
      const store = openTestStore(
        copied((file) => truncateSync(`${file}-wal`, 0)),
        { create: false },
      );
      const random = randomFrom(bytes);
      for (let i = 0; i < 3; i++) store.addRecord("early", bodyOf(1_500, random));
      store.all("PRAGMA wal_checkpoint(TRUNCATE)");
      const content = store.addContent(bytesOf(200_000, random));
      const cut = sizeOf(`${store.path}-wal`);
      store.run("DELETE FROM contents WHERE hash = ?", hashToBlob(content.hash));
      store.run("DELETE FROM chunks WHERE hash = ?", hashToBlob(content.hash));
      const row = store.addRecord("late", bodyOf(bytes, random));
      store.all("PRAGMA wal_checkpoint(PASSIVE)");
      const copy = join(temporaryFolder(), "store.db");
      store.copyTo(copy);
      store.close();
      truncateSync(`${copy}-wal`, cut);
      expect((await salvageAll(copy)).records.get(keyOf(row))).toEqual(row);
    }
  });

  test("gives what is in the log when the database itself is gone or was emptied", async () => {
    const inLog = commits.slice(1).flatMap((commit) => commit.keys);
    for (const lose of [(file: string) => rmSync(file), (file: string) => truncateSync(file, 0)]) {
      const found = await salvageAll(copied(lose));
      for (const key of inLog) expect(found.records.get(key)).toEqual(all.get(key));
    }
  });
});

describe("a log that is damaged in the middle (D5, D7)", () => {
  test("loses at most rows of the commit in which one bit flipped, though SQL loses everything after it", async () => {
    const random = randomFrom(4);
    const size = sizeOf(`${path}-wal`);
    for (let i = 0; i < 25; i++) {
      const at = HEADER + random(size - HEADER);
      const copy = copied((file) => flipBit(`${file}-wal`, at, random(8)));
      const found = await salvageAll(copy);
      const hit = commits.find((commit) => commit.walBytes > at);
      const lost = [...all.keys()].filter((key) => !found.records.has(key));
      expect(hit?.keys, `bit flipped at ${at}`).toEqual(expect.arrayContaining(lost));
      for (const [key, row] of found.records) expect(row).toEqual(all.get(key));
      if (at < size / 2) {
        expect(found.broken.some((one) => one.page === null && /frame/.test(one.why))).toBe(true);
        expect(shownBySql(copy)).toBeLessThan(found.records.size);
      }
    }
  });

  test("loses at most the first commits when the log's header and the frame after it are zeroed", async () => {
    const found = await salvageAll(copied((file) => overwrite(`${file}-wal`, 0, Buffer.alloc(4096))));
    const lost = [...all.keys()].filter((key) => !found.records.has(key));
    expect(commits[1]?.keys).toEqual(expect.arrayContaining(lost));
    expect(found.broken).toContainEqual({ kind: "broken", page: null, why: "its header is damaged" });
  });

  test("does not take frames of an earlier use of the log, whose salts are others, for rows of now", async () => {
    const store = openTestStore(
      copied(() => undefined),
      { create: false },
    );
    store.all("PRAGMA wal_checkpoint(RESTART)");
    const late = store.addRecord("late", "{}");
    const copy = join(temporaryFolder(), "store.db");
    store.copyTo(copy);
    store.close();
    const found = await salvageAll(copy);
    expect(found.records.get(keyOf(late))).toEqual(late);
    expect([found.records.size, found.stats.asideRecords, found.broken]).toEqual([all.size + 1, 0, []]);
  });
});

describe("what was never committed", () => {
  const ghosts = (seq: number): RawRecord[] =>
    Array.from({ length: 400 }, (_, i) =>
      testRecord("ghost", seq + i, `never committed ${"x".repeat(2_000)}`, {}),
    );

  test("never appears, when a writer is killed inside a transaction whose pages are already in the log", async () => {
    const copy = copied(() => undefined);
    const before = sizeOf(`${copy}-wal`);
    await killWhileWriting(copy, ghosts(1));
    expect(sizeOf(`${copy}-wal`)).toBeGreaterThan(before + 100 * FRAME);
    expect(readFileSync(`${copy}-wal`).subarray(before).includes("never committed")).toBe(true);
    const found = await salvageAll(copy);
    expect(found.records).toEqual(all);
    expect(found.broken).toEqual([]);
  });

  test("never appears, when the killed writer's frames lie before older committed ones with the same salts", async () => {
    const copy = copied((file) => flipBit(`${file}-wal`, (commits[10]?.walBytes ?? 0) + 2_000, 3));
    const size = sizeOf(`${copy}-wal`);
    await killWhileWriting(copy, ghosts(1).slice(0, 100));
    expect(sizeOf(`${copy}-wal`)).toBe(size); // written over, not behind
    expect(readFileSync(`${copy}-wal`).includes("never committed")).toBe(true);
    const found = await salvageAll(copy);
    expect([...found.records.keys()].filter((key) => key.startsWith("ghost"))).toEqual([]);
    for (const key of committedAt(commits[10]?.walBytes ?? 0)) expect(found.records.has(key)).toBe(true);
    for (const key of commits.at(-1)?.keys ?? []) expect(found.records.has(key)).toBe(true);
  });

  test("never appears, when a flipped bit makes one of its frames look like a commit", async () => {
    const copy = copied(() => undefined);
    const before = sizeOf(`${copy}-wal`);
    await killWhileWriting(copy, ghosts(1));
    const wal = readFileSync(`${copy}-wal`);
    const leaves: number[] = [];
    for (let at = before; at + FRAME <= wal.length; at += FRAME) {
      if (wal[at + 24] === 0x0d && wal.subarray(at, at + FRAME).includes("never committed")) leaves.push(at);
    }
    expect(leaves.length).toBeGreaterThan(10);
    for (const at of [leaves[0], leaves[5], leaves.at(-1)]) {
      const flipped = join(temporaryFolder(), "store.db");
      copyStore(copy, flipped);
      flipBit(`${flipped}-wal`, (at ?? 0) + 7, 0); // the last bit of the commit size
      expect((await salvageAll(flipped)).records).toEqual(all);
    }
  });
});

describe("two stories of one session", () => {
  test("are not mixed: after an accepted loss the numbers that were given again win, and the rest of the old story stays out", async () => {
    const before = commits[60]?.walBytes ?? 0;
    const copy = copied((file) => flipBit(`${file}-wal`, before + 2_000, 1));
    const store = openTestStore(copy, { create: false });
    const head = (session: string): number =>
      Number(store.all(`SELECT max(seq) AS head FROM records WHERE session = '${session}'`)[0]?.head);
    const first = head("session-0") + 1;
    const again = [0, 1].map((i) =>
      store.addRecord("session-0", `the new story ${i}`, { seq: first + i, id: `again-${i}` }),
    );
    const files = join(temporaryFolder(), "store.db");
    store.copyTo(files);
    store.close();
    const found = await salvageAll(files);
    const bySession = (session: string): RawRecord[] =>
      [...found.records.values()].filter((row) => row.session === session).sort((a, b) => a.seq - b.seq);
    expect(bySession("session-0").slice(-2)).toEqual(again);
    expect(bySession("session-0").at(-1)?.seq).toBe(first + 1);
    // The other sessions were not written again: what they had acknowledged before is kept.
    expect(bySession("session-1").length).toBeGreaterThan(0);
    for (const key of commits.at(-1)?.keys ?? [])
      expect(found.records.has(key)).toBe(!key.startsWith("session-0"));
    expect(found.broken.map((one) => one.why).join()).toMatch(/another story of session session-0/);
  });
});

function copied(damage: (file: string) => void): string {
  const copy = join(temporaryFolder(), "store.db");
  copyStore(path, copy);
  damage(copy);
  return copy;
}

function committedAt(walBytes: number): string[] {
  return commits.filter((commit) => commit.walBytes <= walBytes).flatMap((commit) => commit.keys);
}

/** On a copy of its own: SQLite repairs what it opens. */
function shownBySql(file: string): number {
  const copy = join(temporaryFolder(), "store.db");
  copyStore(file, copy);
  const store: TestStore = openTestStore(copy, { create: false });
  try {
    return store.all("SELECT n FROM records").length;
  } catch (thrown) {
    if (/malformed/.test(String(thrown))) return 0;
    throw thrown;
  } finally {
    store.close();
  }
}
