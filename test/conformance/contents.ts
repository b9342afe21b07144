/** Contents: bytes by their hash, in chunks stored once, whole or not at all; spilled bodies; collecting; the cap (T5). */
import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import {
  begun,
  type ContentHash,
  child,
  codeOf,
  decided,
  hashOf,
  journal,
  type MakePlace,
  newRecord,
  open,
  type Store,
  settableClock,
  takenBy,
  valuesOf,
  whole,
} from "./harness.ts";

const MiB = 1024 * 1024;
const HOUR_MS = 3_600_000;

const naming = (hash: ContentHash, path = "/f") => ({ ...decided(path), contents: [{ hash, path }] });

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function contentBytes(store: Store): Promise<number> {
  return (await store.driver.info()).contentBytes;
}

export function contentLaws(make: MakePlace): void {
  test.each([
    ["no bytes", 0, 0],
    ["one byte", 1, 1],
    ["exactly one chunk", MiB, 1],
    ["one chunk and a byte", MiB + 1, 2],
    ["five chunks", 5 * MiB, 5],
  ])(
    "D1: a content of %s comes back exactly, whether it came whole or in pieces",
    async (_what, size, chunks) => {
      const place = make();
      const store = await open(place);
      const bytes = randomBytes(size);
      const stored = await store.putContent(bytes);
      expect(stored).toEqual({ hash: hashOf(bytes), bytes: size });
      expect(await store.putContent(inPieces(bytes, 300_007))).toEqual(stored);
      expect((await whole(store, stored.hash)).equals(bytes)).toBe(true);
      expect((await store.driver.readContent(stored.hash))?.chunks).toHaveLength(chunks);
      expect(await contentBytes(store)).toBe(takenBy(place, size, chunks));
    },
  );

  test("D1: many small contents put together come back each by its own hash, an empty one and a repeated one too", async () => {
    const store = await open(make());
    const small = [randomBytes(10), Buffer.alloc(0), randomBytes(1000), randomBytes(10).subarray(3)];
    const stored = await store.putContents([...small, small[0] as Buffer]);
    expect(stored.map(({ hash }) => hash)).toEqual([...small, small[0] as Buffer].map(hashOf));
    for (const bytes of small) expect((await whole(store, hashOf(bytes))).equals(bytes)).toBe(true);
    const { session, by } = await begun(store);
    await store.append(
      session,
      by,
      stored.map(({ hash }) => naming(hash)),
    );
    await store.driver.gc(Date.now() + HOUR_MS);
    for (const bytes of small) expect((await whole(store, hashOf(bytes))).equals(bytes)).toBe(true);
  });

  test("D1: contents put for the records that follow in the same tick are there with them, and a record that is refused leaves them unnamed", async () => {
    const store = await open(make());
    const { session, by } = await begun(store);
    const small = [randomBytes(10), Buffer.alloc(0), randomBytes(1000)];
    const put = store.putForNext(small.map((bytes) => ({ hash: hashOf(bytes), bytes })));
    const kept = store.append(
      session,
      by,
      small.map((bytes) => naming(hashOf(bytes))),
    );
    const other = randomBytes(20);
    const putOther = store.putForNext([{ hash: hashOf(other), bytes: other }]);
    const refused = codeOf(store.append(session, { attempt: by.attempt + 1 }, [naming(hashOf(other))]));
    await Promise.all([put, kept, putOther]);
    expect(await refused).toBe("E_FENCED");
    expect((await whole(store, hashOf(other))).equals(other)).toBe(true);
    await store.driver.gc(Date.now() + HOUR_MS);
    for (const bytes of small) expect((await whole(store, hashOf(bytes))).equals(bytes)).toBe(true);
    expect(await codeOf(whole(store, hashOf(other)))).toBe("E_NO_CONTENT");
  });

  test("a chunk that two contents share is stored once, and a view into a larger buffer stores only what it shows", async () => {
    const place = make();
    const store = await open(place);
    const bytes = randomBytes(3 * MiB);
    await store.putContent(bytes);
    await store.putContent(bytes.subarray(0, 2 * MiB));
    expect(await contentBytes(store)).toBe(takenBy(place, 3 * MiB, 3));
    const view = bytes.subarray(7, 17);
    const { hash } = await store.putContent(view);
    expect((await whole(store, hash)).equals(view)).toBe(true);
    expect(await contentBytes(store)).toBe(takenBy(place, 3 * MiB + 10, 4));
  });

  test("a content is verified on its way out: one changed byte is an error, never handed over", async () => {
    const place = make();
    const store = await open(place);
    const bytes = Buffer.from("abcdefgh");
    const { hash } = await store.putContent(bytes);
    await place.damageChunk(hash);
    expect(await codeOf(whole(store, hash))).toBe("E_STORE_DAMAGED");
  });

  test("a content that is not there is E_NO_CONTENT, to read it as well as to name it", async () => {
    const store = await open(make());
    const { session, by } = await begun(store);
    const hash = hashOf(Buffer.from("never stored"));
    expect(await codeOf(whole(store, hash))).toBe("E_NO_CONTENT");
    expect(await codeOf(store.append(session, by, [naming(hash)]))).toBe("E_NO_CONTENT");
    expect(await valuesOf(store, session)).toEqual([]);
  });

  test("D1: a body of 20 MB comes back exactly, its repeat is a no-op and another one under its id is refused", async () => {
    const store = await open(make());
    const { session, by } = await begun(store);
    const text = `${randomBytes(16).toString("hex")} é😀\u0000\u2028`.repeat(550_000);
    expect(Buffer.byteLength(text)).toBeGreaterThan(20_000_000);
    const first = await store.append(session, by, [decided("small"), decided(text, "big")]);
    const again = await store.append(session, by, [decided(text, "big")]);
    expect([again.isRepeat, again.seqs]).toEqual([true, first.seqs.slice(1)]);
    expect(await codeOf(store.append(session, by, [decided(`${text}.`, "big")]))).toBe("E_ID_REUSED");
    const values = await valuesOf(store, session);
    expect([values.length, values[1] === text]).toEqual([2, true]);
  });

  test("D5: a damaged chunk of a spilled body costs that record, the rows around it are whole", async () => {
    const place = make();
    const store = await open(place);
    const { session, by } = await begun(store);
    await store.append(session, by, [decided("a"), decided("x".repeat(400_000), "big"), decided("c")]);
    const row = await store.driver.readRecordById(session, decided(0, "big").id);
    await place.damageChunk(row?.spilled ?? "");
    const records = (await journal(store, session)).slice(1);
    expect(records.map(({ isDamaged, body }) => [isDamaged, body.value])).toEqual([
      [false, "a"],
      [true, undefined],
      [false, "c"],
    ]);
  });

  test("T5: gc keeps what a record names and drops what nobody has named since its grace began, but never a shared chunk", async () => {
    const clock = settableClock(10 * HOUR_MS);
    const place = make();
    const store = await open(place, { clock });
    const { session, by } = await begun(store);
    const bytes = randomBytes(3 * MiB);
    const named = await store.putContent(bytes.subarray(0, 2 * MiB));
    const unnamed = await store.putContent(bytes);
    await store.append(session, by, [naming(named.hash)]);
    await store.append(session, by, [decided("y".repeat(400_000), "spilled")]);
    expect(await store.driver.unnamed(clock.nowMs())).toEqual({ contents: 0, bytes: 0 });
    expect(await store.driver.gc(clock.nowMs())).toEqual({ contents: 0, bytes: 0 });
    expect((await whole(store, unnamed.hash)).equals(bytes)).toBe(true);
    clock.nowIs(12 * HOUR_MS);
    const dropped = { contents: 1, bytes: takenBy(place, MiB, 1) };
    expect(await store.driver.unnamed(clock.nowMs() - HOUR_MS)).toEqual(dropped);
    expect(await store.driver.gc(clock.nowMs() - HOUR_MS)).toEqual(dropped);
    expect(await codeOf(whole(store, unnamed.hash))).toBe("E_NO_CONTENT");
    expect((await whole(store, named.hash)).equals(bytes.subarray(0, 2 * MiB))).toBe(true);
    expect(await valuesOf(store, session)).toEqual(["/f", "y".repeat(400_000)]);
    expect(await store.driver.gc(clock.nowMs() - HOUR_MS)).toEqual({ contents: 0, bytes: 0 });
  });

  test("T5: gc goes through all of a store, however much of it stays: each loose chunk goes and no other, also of one put again meanwhile", async () => {
    const store = await open(make());
    const { driver } = store;
    const [kept, going] = [100, 2300];
    const named = await Promise.all(
      Array.from({ length: kept }, (_, i) => store.putContent(Buffer.from(`named ${i}`))),
    );
    const { session, by } = await begun(store);
    await store.append(session, by, [{ ...decided("all"), contents: named.map(({ hash }) => ({ hash })) }]);
    const chunks = Array.from({ length: going }, (_, i) => {
      const bytes = Buffer.from(`loose ${i}`);
      return { hash: hashOf(bytes), bytes };
    });
    await driver.putChunks(chunks, null, 5);
    const again = chunks.slice(0, 3);
    await driver.putChunks(again, null, 50);
    await driver.gc(10);
    const left = new Set([...named, ...again].map(({ hash }) => hash));
    const found = [...(await driver.listChunks(null, going))].filter((hash) => !left.has(hash));
    expect(found).toEqual([]);
    expect((await driver.hasChunks([...left])).length).toBe(kept + again.length);
  });

  test("T5: putting a content again begins its grace again, so that gc leaves it to whoever is about to name it", async () => {
    const clock = settableClock(10 * HOUR_MS);
    const store = await open(make(), { clock });
    const bytes = randomBytes(2 * MiB + 5);
    const { hash } = await store.putContent(bytes);
    clock.nowIs(20 * HOUR_MS);
    await store.putContent(bytes);
    expect(await store.driver.gc(19 * HOUR_MS)).toEqual({ contents: 0, bytes: 0 });
    expect((await whole(store, hash)).equals(bytes)).toBe(true);
  });

  test("T5: what a killed writer left of a content is collected, and the content can be put again", async () => {
    const place = make();
    const store = await open(place);
    const writer = child(
      place,
      `async function* source() {
         for (let i = 0; i < 4; i++) yield Buffer.alloc(${MiB}, i);
         say("under way"); await new Promise(() => setInterval(() => {}, 1000));
       }
       await store.putContent(source());`,
    );
    await writer.said();
    await writer.kill();
    expect(await contentBytes(store)).toBeGreaterThanOrEqual(3 * MiB);
    await store.driver.gc(Date.now() + 1);
    expect(await contentBytes(store)).toBe(0);
    const bytes = Buffer.concat([0, 1, 2, 3].map((i) => Buffer.alloc(MiB, i)));
    const { hash } = await store.putContent(bytes);
    expect((await whole(store, hash)).equals(bytes)).toBe(true);
  });

  test("T5: gc gives the space back to the disk: a store that grew by contents is small again", async () => {
    const store = await open(make());
    const { session, by } = await begun(store);
    const size = async (): Promise<number> => (await store.driver.info()).bytes;
    const before = await size();
    const kept = await store.putContent(randomBytes(MiB));
    await store.append(session, by, [naming(kept.hash)]);
    for (let i = 0; i < 24; i++) await store.putContent(randomBytes(MiB));
    expect(await size()).toBeGreaterThan(before + 24 * MiB);
    await store.driver.gc(Date.now() + 1);
    expect(await size()).toBeLessThan(before + 4 * MiB);
    expect(await whole(store, kept.hash)).toHaveLength(MiB);
  });

  test("T5: over its cap the store takes no more contents, says E_STORE_CAP, and goes on taking records, large ones too", async () => {
    const place = make();
    const store = await open(place, { capBytes: 6 * MiB });
    const { session, by } = await begun(store);
    let last = "";
    for (let i = 0; i < 20 && last !== "E_STORE_CAP"; i++)
      last = await codeOf(store.putContent(randomBytes(MiB)));
    expect(last).toBe("E_STORE_CAP");
    expect(await contentBytes(store)).toBeLessThanOrEqual(takenBy(place, 6 * MiB, 6));
    const large = "z".repeat(5 * MiB);
    await store.append(session, by, [decided("small"), decided(large)]);
    expect((await valuesOf(store, session))[1] === large).toBe(true);
    await store.driver.gc(Date.now() + 1);
    // What is left is the record's own body: below the cap again.
    expect(await codeOf(store.putContent(Buffer.from("x")))).toMatch(/^no error/);
  });

  test("the contents a record names are told with their paths; a path that no file can have is refused", async () => {
    const store = await open(make());
    const { session, by } = await begun(store);
    const paths = ["/a b", "/é", "/'\"\\", "/😀\n", ""];
    const { hash } = await store.putContent(Buffer.from("one"));
    const contents = paths.map((path) => ({ hash, path }));
    await store.append(session, by, [{ ...newRecord("x.files", {}), contents }]);
    for (const path of ["/\u0000", "/\ud800"])
      expect(await codeOf(store.append(session, by, [naming(hash, path)]))).toBe("E_BAD_RECORD");
    const refs = await store.driver.readRefs(session, 1, 99);
    expect(refs).toEqual(paths.map((path) => ({ hash, path, seq: 2 })));
  });
}
