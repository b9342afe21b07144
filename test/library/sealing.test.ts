/** Contents sealed at rest: nothing of them lies open, every reader with the key has them, and one without it is told so (D5, S6). */
import { createHash, randomBytes } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openStore, type RefloatStore } from "../../src/app/store/open-store.ts";
import type { ContentHash, SessionId } from "../../src/model/ids.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { backupStore } from "../../src/store/backup.ts";
import { checkStore } from "../../src/store/check.ts";
import type { StoreKey } from "../../src/store/contract/seal.ts";
import { salvageStore } from "../../src/store/damage/salvage-store.ts";
import { exportLines } from "../../src/store/export.ts";
import { importLines } from "../../src/store/import.ts";
import { rekeyStore } from "../../src/store/rekey.ts";
import { storeKeys } from "../../src/store/store-keys.ts";
import { describeOnBoth, type FreshStore, openedHere } from "../support/both-stores.ts";
import { startChild } from "../support/child.ts";
import { makePlace } from "../support/cli.ts";
import { isFull } from "../support/seed.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const keyOf = (id: string): StoreKey => ({ id, secret: randomBytes(32).toString("base64") });
const ME = { id: "s", agent: "a", workspace: "/w" };
const SECRET = "SECRET-IN-A-CONTENT-9c1f";
const LARGE = Buffer.from(`${SECRET} `.repeat(60_000)); // more than one chunk

async function bytesOf(store: RefloatStore, hash: string): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of store.readContent(hash)) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** As its driver has them, without a key. */
async function storedBytes(store: RefloatStore): Promise<string> {
  const { bare } = store.raw.sealing;
  const chunks = (await bare.listContents(null, 1000)).flatMap((content) => content.chunks);
  const stored = await Promise.all(chunks.map((chunk) => bare.readChunk(chunk)));
  return Buffer.concat(stored.map((one) => one ?? new Uint8Array(0))).toString("latin1");
}

async function filled(
  place: FreshStore,
  keys: readonly StoreKey[],
): Promise<{ store: RefloatStore; hashes: string[] }> {
  const store = await openedHere(place, { keys });
  const session = await store.begin(ME);
  const contents = [LARGE, Buffer.from(SECRET), Buffer.alloc(0)];
  const hashes: string[] = [];
  for (const one of contents) hashes.push((await store.putContent(one)).hash);
  const [batched] = await store.raw.putContents([Buffer.from(`${SECRET} batched`)]);
  hashes.push(batched?.hash ?? "");
  await session.record("t.named", { text: SECRET.repeat(20_000) }, { contents: hashes });
  await session.finish();
  return { store, hashes };
}

describeOnBoth((make) => {
  test("with a key nothing of a content lies open, all of it is read back, and check, export, import, backup and gc work", async () => {
    const key = keyOf("k1");
    const place = make();
    const { store, hashes } = await filled(place, [key]);
    expect(await storedBytes(store)).not.toContain(SECRET);
    expect((await bytesOf(store, hashes[0] ?? "")).equals(LARGE)).toBe(true);
    expect(String(await bytesOf(store, hashes[3] ?? ""))).toBe(`${SECRET} batched`);
    expect((await checkStore(store.raw)).damage).toEqual([]);
    const [record] = await store.raw.records({ session: "s" as never, kinds: ["t.named"] });
    expect(record?.isDamaged).toBe(false);
    const other = await openedHere(make(), { keys: [keyOf("k9")] });
    await importLines(other.raw, exportLines(store.raw, { raw: true }));
    expect(await storedBytes(other)).not.toContain(SECRET);
    expect((await bytesOf(other, hashes[0] ?? "")).equals(LARGE)).toBe(true);
    const path = join(temporaryFolder(), "backup.db");
    await backupStore(store.raw, path);
    const copy = await openedHere({ url: path, open: {} }, { keys: [key] });
    expect(await storedBytes(copy)).not.toContain(SECRET);
    expect((await checkStore(copy.raw)).damage).toEqual([]);
    await store.raw.driver.gc(Number.MAX_SAFE_INTEGER);
    expect((await bytesOf(store, hashes[1] ?? "")).toString()).toBe(SECRET);
  });

  test("without the key, or with another of its name, a sealed content is E_STORE_KEY and no damage; the rest of the store works", async () => {
    const key = keyOf("k1");
    const place = make();
    const { hashes } = await filled(place, [key]);
    for (const keys of [[], [keyOf("k2")], [keyOf("k1")]]) {
      const store = await openedHere(place, { keys });
      await expect(bytesOf(store, hashes[1] ?? "")).rejects.toMatchObject({ code: "E_STORE_KEY" });
      expect((await store.sessions()).map(({ id }) => id)).toEqual(["s"]);
    }
    await expect(
      openStore(place.url, { ...place.open, keys: [{ id: "k", secret: "short" }] }),
    ).rejects.toMatchObject({ code: "E_STORE_KEY" });
    await expect(openStore(place.url, { ...place.open, keys: [key, key] })).rejects.toMatchObject({
      code: "E_STORE_KEY",
    });
  });

  test("rekey seals what lay open and what an older key sealed; then the older key is not needed any more", async () => {
    const place = make();
    const [first, second] = [keyOf("k1"), keyOf("k2")];
    const { hashes } = await filled(place, []);
    const open = await openedHere(place, { keys: [first] });
    expect(await storedBytes(open)).toContain(SECRET);
    const sealed = await rekeyStore(open.raw);
    expect(sealed.resealed).toBe(sealed.chunks);
    expect(await rekeyStore(open.raw)).toMatchObject({ resealed: 0 });
    const rotating = await openedHere(place, { keys: [second, first] });
    expect(await rekeyStore(rotating.raw)).toMatchObject({ key: "k2", resealed: sealed.chunks });
    const rotated = await openedHere(place, { keys: [second] });
    const another = await openedHere(place, { keys: [keyOf("k2")] });
    await expect(rekeyStore(another.raw), "its name alone proves nothing").rejects.toMatchObject({
      code: "E_STORE_KEY",
    });
    expect((await bytesOf(rotated, hashes[0] ?? "")).equals(LARGE)).toBe(true);
    expect((await checkStore(rotated.raw)).damage).toEqual([]);
    const none = await openedHere(place, {});
    await expect(rekeyStore(none.raw)).rejects.toMatchObject({ code: "E_STORE_KEY" });
  });
});

describeOnBoth((make) => {
  test("two processes with different keys read each other's contents by both, and one that was not told of any undoes no seal (D1)", async () => {
    const place = make();
    const [first, second] = [keyOf("k1"), keyOf("k2")];
    const { store, hashes } = await filled(place, [first]);
    const other = await openedHere(place, { keys: [second, first] });
    const session = await other.begin({ ...ME, id: "other" });
    const added = await other.putContent(Buffer.from(`${SECRET} of the other`));
    await session.record("t.named", {}, { contents: [added.hash] });
    expect((await bytesOf(other, hashes[0] ?? "")).equals(LARGE)).toBe(true);
    await expect(bytesOf(store, added.hash)).rejects.toMatchObject({ code: "E_STORE_KEY" });
    const untold = await openedHere(place, { keys: [] });
    await untold.putContent(LARGE);
    await untold.raw.putContents([Buffer.from(SECRET)]);
    expect(await storedBytes(untold)).not.toContain(SECRET);
    expect((await bytesOf(store, hashes[0] ?? "")).equals(LARGE)).toBe(true);
    expect((await checkStore(other.raw)).damage).toEqual([]);
  });

  test("a chunk that no content is made of yet is sealed by a rekey, too: a put that was cut off leaves nothing open", async () => {
    const place = make();
    const store = await openedHere(place, { keys: [] });
    const bytes = Buffer.from(`${SECRET} of a put that was cut off`);
    const hash = createHash("sha256").update(bytes).digest("hex") as ContentHash;
    await store.raw.driver.putChunks([{ hash, bytes }], null, Date.now());
    const keyed = await openedHere(place, { keys: [keyOf("k1")] });
    expect(await rekeyStore(keyed.raw)).toEqual({ key: "k1", chunks: 1, resealed: 1, damaged: 0 });
    const stored = Buffer.from((await keyed.raw.sealing.bare.readChunk(hash)) ?? []);
    expect(stored.includes(SECRET)).toBe(false);
    expect(Buffer.from((await keyed.raw.driver.readChunk(hash)) ?? []).equals(bytes)).toBe(true);
  });
});

/** What `filled` makes are five chunks; all of them with REFLOAT_SWEEP=full. */
const KILLED_AT = isFull ? [1, 2, 3, 4, 5] : [2, 5];

test("S6: killed anywhere in a rekey every content is readable by one of the keys, the next goes on, and no file holds what lay open", async () => {
  const url = join(temporaryFolder(), "refloat.db");
  const { store, hashes } = await filled({ url, open: {} }, []);
  await store.close();
  let keys = [keyOf("k1")];
  for (const nth of KILLED_AT) {
    const child = startChild(
      `import { openStore } from "./app/store/open-store.js";
       import { rekeyStore } from "./store/rekey.js";
       const store = await openStore(${JSON.stringify(url)}, { thread: false, keys: ${JSON.stringify(keys)} });
       await rekeyStore(store.raw);`,
      { REFLOAT_CRASH_AT: `content.before-row#${nth}` },
    );
    expect(await child.ended(), `chunk ${nth}`).toBe("SIGKILL");
    const found = await openStore(url, { thread: false, keys });
    expect((await bytesOf(found, hashes[0] ?? "")).equals(LARGE)).toBe(true);
    expect((await checkStore(found.raw)).damage).toEqual([]);
    await found.close();
    keys = [keyOf(`after-${nth}`), ...keys];
  }
  const after = await openStore(url, { thread: false, keys });
  onTestFinished(() => after.close());
  await rekeyStore(after.raw);
  const files = readdirSync(dirname(url)).map((name) => readFileSync(join(dirname(url), name), "latin1"));
  expect(files.join("")).not.toContain(SECRET);
  const rotated = await openedHere({ url, open: {} }, { keys: keys.slice(0, 1) });
  expect((await bytesOf(rotated, hashes[0] ?? "")).equals(LARGE)).toBe(true);
});

test("D5: a salvage without any key keeps every sealed content that is whole, and one that is damaged is told as damage, not as a key that is missing", async () => {
  const url = join(temporaryFolder(), "refloat.db");
  const key = keyOf("k1");
  const { store, hashes } = await filled({ url, open: {} }, [key]);
  await store.close();
  const to = join(temporaryFolder(), "salvaged.db");
  const { broken } = await salvageStore(url, { to, clock: systemClock });
  expect(broken, "the large body that no key opened").toEqual([
    expect.stringMatching(/^record \d+ of s: .* key/),
  ]);
  const saved = await openedHere({ url: to, open: {} }, { keys: [key] });
  expect((await bytesOf(saved, hashes[0] ?? "")).equals(LARGE)).toBe(true);
  expect((await checkStore(saved.raw)).damage).toEqual([]);
  const { bare } = saved.raw.sealing;
  const chunk = hashes[1] as ContentHash;
  const stored = Buffer.from((await bare.readChunk(chunk)) ?? []);
  stored[stored.length - 20] = (stored.at(-20) ?? 0) ^ 1;
  await bare.replaceChunk({ hash: chunk, bytes: stored });
  await expect(bytesOf(saved, chunk)).rejects.toMatchObject({ code: "E_STORE_DAMAGED" });
});

test("D5: a salvage with the key knows what large sealed bodies began: an input of 300 KB that nobody took is in the queue again", async () => {
  const url = join(temporaryFolder(), "refloat.db");
  const key = keyOf("k1");
  const store = await openedHere({ url, open: {} }, { keys: [key] });
  const session = await store.begin(ME);
  await session.enqueue(SECRET.repeat(15_000));
  await session.release();
  await store.close();
  const queued = async (keys: readonly StoreKey[]): Promise<number> => {
    const to = join(temporaryFolder(), "salvaged.db");
    const result = await salvageStore(url, { to, clock: systemClock, keys: storeKeys(keys, {}) });
    expect(result.broken).toHaveLength(keys.length === 0 ? 1 : 0);
    const saved = await openedHere({ url: to, open: {} }, { keys: [key] });
    return (await saved.raw.open("s" as SessionId)).filter(({ what }) => what === "input").length;
  };
  expect([await queued([key]), await queued([])]).toEqual([1, 0]);
});

test("a file of keys that is empty, or has a line with one word, is refused, and what is in it is not shown", () => {
  const secret = randomBytes(32).toString("base64");
  for (const text of ["", "# none\n", `${secret}\n`, `k1 ${secret} more\n`, `k1 ${secret}\nk1 ${secret}\n`]) {
    const file = join(temporaryFolder(), "keys");
    writeFileSync(file, text);
    const error = (() => {
      try {
        return storeKeys(undefined, { REFLOAT_KEY_FILE: file });
      } catch (thrown) {
        return thrown as Error;
      }
    })();
    expect(error).toMatchObject({ code: "E_STORE_KEY" });
    expect(JSON.stringify([error, (error as Error).message])).not.toContain(secret);
  }
});

test("the command seals by the first key of REFLOAT_KEY_FILE, and every command opens by it; without the file it says which key is missing", async () => {
  const place = makePlace();
  const hash = await place.withStore(async (store) => {
    const session = await store.begin(ME);
    const content = await store.putContent(Buffer.from(SECRET));
    await session.record("t.named", {}, { contents: [content.hash] });
    await session.finish();
    return content.hash;
  });
  const file = join(place.home, "keys");
  const { id, secret } = keyOf("k1");
  writeFileSync(file, `# mine\n${id} ${secret}\n`, { mode: 0o600 });
  const env = { REFLOAT_KEY_FILE: file };
  expect(await place.json(["store", "rekey"], { env })).toMatchObject({
    code: 0,
    json: { key: "k1", chunks: 1, resealed: 1, damaged: 0 },
  });
  expect((await place.refloat(["store", "check"], { env })).code).toBe(0);
  const { json } = await place.json(["doctor"], { env });
  expect(json.findings).toContainEqual(
    expect.objectContaining({ check: "contents-sealed", severity: "info" }),
  );
  const without = await place.refloat(["store", "rekey"]);
  expect([without.code, without.stderr]).toEqual([1, expect.stringContaining("REFLOAT_KEY_FILE")]);
  const unread = await place.refloat(["store", "export"]);
  expect(unread.stderr).toContain("k1");
  expect(unread.code).toBe(1);
  await place.withStore((store) =>
    expect(bytesOf(store, hash)).rejects.toMatchObject({ code: "E_STORE_KEY" }),
  );
});
