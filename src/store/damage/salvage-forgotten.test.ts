import { readFileSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { randomFrom } from "../../../test/support/random-from.ts";
import {
  bytesOf,
  copyStore,
  fillStore,
  flipBit,
  forgetRecord,
  keyOf,
  openTestStore,
  salvageAll,
  sizeOf,
  type TestStore,
} from "../../../test/support/salvage-store.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { CHUNK_BYTES } from "../../model/limits.ts";
import type { RawRecord } from "../contract/driver.ts";
import { hashToBlob } from "../sqlite/rows.ts";

const SECRET = "the words that were forgotten";

describe("what was forgotten (D2)", () => {
  test("stays forgotten when only the log knows, and the database still has the older image", async () => {
    const { store, secret } = storeWithSecret();
    store.all("PRAGMA wal_checkpoint(TRUNCATE)");
    const erased = forgetRecord(store, secret);
    const copy = copyOf(store);
    expect(readFileSync(copy).includes(SECRET)).toBe(true);
    const found = await salvageAll(copy);
    expect(found.records.get(keyOf(secret))).toEqual(erased);
    expect(found.records).toEqual(store.written.records);
    expect(JSON.stringify([...found.records.values()])).not.toContain(SECRET);
  });

  test("stays forgotten when the log is broken before the place that says so", async () => {
    const { store, secret } = storeWithSecret();
    store.all("PRAGMA wal_checkpoint(TRUNCATE)");
    for (let i = 0; i < 5; i++) store.commit(() => store.addRecord("session-1", `{"before":${i}}`));
    const before = sizeOf(`${store.path}-wal`);
    for (let i = 0; i < 5; i++) store.commit(() => store.addRecord("session-1", `{"between":${i}}`));
    const erased = store.written.records.get(keyOf(secret)) && forgetRecord(store, secret);
    const copy = copyOf(store);
    flipBit(`${copy}-wal`, before + 3_000, 2);
    const found = await salvageAll(copy);
    expect(found.records.get(keyOf(secret))).toEqual(erased);
    expect(found.broken.some((one) => one.page === null)).toBe(true);
    expect(JSON.stringify([...found.records.values()])).not.toContain(SECRET);
  });

  test("stays forgotten when the log was cut after a checkpoint, and so hides that the database knows", async () => {
    const { store, secret } = storeWithSecret();
    const before = sizeOf(`${store.path}-wal`);
    const erased = forgetRecord(store, secret);
    store.all("PRAGMA wal_checkpoint(PASSIVE)");
    const copy = copyOf(store);
    truncateSync(`${copy}-wal`, before);
    const found = await salvageAll(copy);
    expect(found.records.get(keyOf(secret))).toEqual(erased);
    expect(found.records).toEqual(store.written.records);
  });

  test("stays forgotten when it was forgotten in a story that was given up after an accepted loss", async () => {
    const { store, secret } = storeWithSecret();
    store.all("PRAGMA wal_checkpoint(TRUNCATE)");
    const head = Math.max(
      ...[...store.written.records.values()]
        .filter((row) => row.session === "session-0")
        .map((row) => row.seq),
    );
    for (let i = 0; i < 20; i++) store.commit(() => store.addRecord("session-0", `{"old":${i}}`));
    const erased = forgetRecord(store, secret);
    const copy = copyOf(store);
    flipBit(`${copy}-wal`, 3_000, 2);
    const again = openTestStore(copy, { create: false });
    const row = again.addRecord("session-0", '{"new":0}', { seq: head + 1, id: "another" });
    const found = await salvageAll(copyOf(again));
    expect(found.records.get(keyOf(secret))).toEqual(erased);
    expect(found.records.get(keyOf(row))).toEqual(row);
    expect(found.records.has(`session-0 ${head + 2}`)).toBe(false);
  });

  test("does not make another record disappear that was given its number after an accepted loss", async () => {
    const { store } = storeWithSecret();
    store.all("PRAGMA wal_checkpoint(TRUNCATE)");
    store.commit(() => store.addRecord("session-9", '{"n":1}'));
    const before = sizeOf(`${store.path}-wal`);
    const lost = store.addRecord("session-9", `{"old":"${SECRET}"}`);
    forgetRecord(store, lost);
    for (let i = 0; i < 20; i++) store.commit(() => store.addRecord("session-9", `{"old":${i}}`));
    const unforgotten = store.addRecord("session-9", "{}");
    store.addRef(store.addContent(Buffer.from("old")).hash, unforgotten, "old.txt");
    const copy = copyOf(store);
    flipBit(`${copy}-wal`, before + 3_000, 2);
    const again = openTestStore(copy, { create: false });
    const row = again.addRecord("session-9", '{"new":2}', { seq: 2, id: "another" });
    const files = copyOf(again);
    const found = await salvageAll(files);
    expect(
      [...found.records.values()].filter((one) => one.session === "session-9").map((one) => one.seq),
    ).toEqual([1, 2]);
    expect(found.records.get(keyOf(row))).toEqual(row);
    expect([...found.refs].filter((ref) => ref.includes("old.txt"))).toEqual([]);
  });
});

describe("the contents of what was forgotten (D2), when forget was killed before it had emptied the log", () => {
  test("do not come back, neither the contents nor chunks nor refs, but what others name does", async () => {
    const { store, secret } = storeWithSecret();
    const random = randomFrom(8);
    const other = store.addRecord("session-1", "{}");
    const shared = bytesOf(CHUNK_BYTES, random);
    const onlySmall = store.addContent(bytesOf(5_000, random));
    const onlyLong = store.addContent(Buffer.concat([shared, bytesOf(70_000, random)]));
    const othersLong = store.addContent(Buffer.concat([shared, bytesOf(60_000, random)]));
    const both = store.addContent(bytesOf(6_000, random));
    const spilled = store.addContent(bytesOf(7_000, random));
    const withSpill = store.addRecord("session-1", "{}", { spilled: spilled.hash });
    for (const content of [onlySmall, onlyLong, both]) store.addRef(content.hash, secret, "secret.txt");
    for (const content of [othersLong, both]) store.addRef(content.hash, other, "other.txt");
    store.all("PRAGMA wal_checkpoint(TRUNCATE)");
    store.commit(() => {
      forgetRecord(store, secret);
      forgetRecord(store, withSpill);
      for (const gone of [onlySmall, onlyLong, spilled])
        store.run("DELETE FROM contents WHERE hash = ?", hashToBlob(gone.hash));
      for (const gone of [onlySmall.hash, onlyLong.chunks[1], spilled.hash])
        store.run("DELETE FROM chunks WHERE hash = ?", hashToBlob(gone as never));
    });
    const found = await salvageAll(copyOf(store));
    const isGiven = (hash: string | undefined): boolean =>
      found.chunks.has(hash ?? "") || found.contents.has(hash ?? "");
    expect([onlySmall.hash, onlyLong.hash, onlyLong.chunks[1], spilled.hash].map(isGiven)).toEqual([
      false,
      false,
      false,
      false,
    ]);
    expect([othersLong.hash, othersLong.chunks[0], othersLong.chunks[1], both.hash].map(isGiven)).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect([...found.refs].filter((ref) => ref.includes("secret.txt"))).toEqual([]);
    expect([...found.refs].filter((ref) => ref.includes("other.txt")).length).toBe(2);
    expect(found.records).toEqual(store.written.records);
  });
});

function storeWithSecret(): { store: TestStore; secret: RawRecord } {
  const store = openTestStore(join(temporaryFolder(), "original.db"), { create: true });
  fillStore(store, randomFrom(7), 100);
  const secret = store.addRecord("session-0", JSON.stringify({ text: SECRET }));
  fillStore(store, randomFrom(9), 100);
  return { store, secret };
}

function copyOf(store: TestStore): string {
  const copy = join(temporaryFolder(), "store.db");
  copyStore(store.path, copy);
  store.close();
  return copy;
}
