/** Contents in a bucket beside Postgres, with the promises they have inside it (D1, D2, D5, D6; docs/decisions/0028). */
import { createHash, randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ContentHash, SessionId } from "../../src/model/ids.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { selfOwner } from "../../src/platform/identity.ts";
import { newRecord } from "../../src/session/new-record.ts";
import { openBucket } from "../../src/store/bucket/bucket.ts";
import { bucketPlace } from "../../src/store/bucket/bucket-address.ts";
import { withBucket } from "../../src/store/bucket/bucket-driver.ts";
import { checkStore } from "../../src/store/check.ts";
import type { StoreKey } from "../../src/store/contract/seal.ts";
import { deleteSession } from "../../src/store/delete-session.ts";
import { forget } from "../../src/store/forget.ts";
import { openRawStore } from "../../src/store/open-raw-store.ts";
import { openPostgresDriver } from "../../src/store/postgres/driver.ts";
import { rekeyStore } from "../../src/store/rekey.ts";
import type { Store } from "../../src/store/store.ts";
import { makePlace } from "../support/cli.ts";
import { testRepository } from "../support/git-repository.ts";
import { freshSchema } from "../support/postgres.ts";
import { type S3Server, startS3 } from "../support/s3-server.ts";

/** A schema for each test: what one harms no other finds. */
const schemas = Array.from({ length: 10 }, () => {
  const { url: address, schema } = freshSchema();
  return `${address}?schema=${schema}`;
});
let url = "";
beforeEach(() => {
  url = schemas.pop() ?? "";
});
const HOUR_MS = 3_600_000;
const BUCKET = "contents-of-tests";
const ADDRESS = `s3://${BUCKET}/team a/x`.replace("team a", "team_a");

let server: S3Server | null = null;
const opened: Store[] = [];
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
  await server?.stop();
  server = null;
});

async function withServer(): Promise<S3Server> {
  server = await startS3(BUCKET);
  return server;
}

async function open(
  env: Readonly<Record<string, string>>,
  isOn = true,
  keys: readonly StoreKey[] = [],
): Promise<Store> {
  const all = { ...process.env, ...(isOn ? { REFLOAT_CONTENTS: ADDRESS } : {}), ...env };
  const store = await openRawStore(url, { env: all, thread: false, keys });
  opened.push(store);
  return store;
}

async function named(store: Store, session: string, bytes: Uint8Array): Promise<ContentHash> {
  const { hash } = await store.putContent(bytes);
  const id = session as SessionId;
  const record = newRecord(store.clock, "session.began", {
    agent: "a",
    workspace: "/w",
    goal: null,
    name: null,
  });
  await store.take({
    ...{ session: id, seen: null, owner: selfOwner("test"), nowMs: systemClock.nowMs(), thresholdMs: 60_000 },
    records: [{ ...record, contents: [{ hash, path: "f" }] }],
  });
  await store.release(id, 1, [newRecord(store.clock, "claim.released", { attempt: 1 })]);
  return hash;
}

async function whole(store: Store, hash: ContentHash): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of store.readContent(hash)) pieces.push(piece);
  return Buffer.concat(pieces);
}

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "done",
    (thrown: { code?: string }) => thrown.code ?? String(thrown),
  );

const keyNamed = (id: string): StoreKey => ({ id, secret: randomBytes(32).toString("base64") });
const SECRET = "SECRET-IN-A-BUCKET-41d7";
const LARGE = Buffer.from(`${SECRET} `.repeat(60_000)); // two chunks

const lying = (s3: S3Server): string =>
  Buffer.concat([...s3.objects.values()].map(({ bytes }) => bytes)).toString("latin1");

describe("contents in a bucket", () => {
  it("are in the bucket before their row, come back with every byte by any process that knows of it, each once, and one that does not is told (D1, D5)", async () => {
    const s3 = await withServer();
    const store = await open(s3.env);
    const bytes = randomBytes(2_500_000);
    const hash = await named(store, "bucket-whole", bytes);
    expect([...s3.objects.values()].map(({ bytes: one }) => one.length).sort((a, b) => a - b)).toEqual([
      402_848, 1_048_576, 1_048_576,
    ]);
    expect((await whole(store, hash)).equals(bytes)).toBe(true);
    const puts = s3.asked.filter((one) => one.startsWith("PUT")).length;
    await (await open(s3.env)).putContent(bytes);
    expect(s3.asked.filter((one) => one.startsWith("PUT")).length, "what is held is not put again").toBe(
      puts,
    );
    const without = await open({}, false);
    expect(await codeOf(whole(without, hash))).toBe("E_BUCKET_UNSET");
    const elsewhere = await open({ ...s3.env, REFLOAT_CONTENTS: `s3://${BUCKET}/other` });
    expect(await codeOf(whole(elsewhere, hash)), "not looked for where it never was").toBe("E_BUCKET_UNSET");
    expect(await codeOf(forget(elsewhere, { session: "bucket-whole" }))).toBe("E_BUCKET_UNSET");
    expect((await whole(store, hash)).equals(bytes), "nothing was erased").toBe(true);
    const inside = await without.putContent(Buffer.from("in the database"));
    expect((await whole(store, inside.hash)).toString(), "both ways in one store").toBe("in the database");
    expect((await checkStore(store)).damage).toEqual([]);
    const rows = await store.driver.readChunk(hash === inside.hash ? hash : inside.hash);
    expect(rows?.byteLength).toBe(15);
  }, 120_000);

  it("are named by no record when the bucket did not take them: gone, forbidden, sick or silent, each says so, and the next goes through (D6)", async () => {
    const s3 = await withServer();
    const store = await open(s3.env);
    const put = (): Promise<string> => codeOf(store.putContent(randomBytes(100)));
    s3.hasBucket = false;
    expect(await put()).toBe("E_BUCKET_GONE");
    s3.hasBucket = true;
    expect(
      await codeOf((await open({ ...s3.env, AWS_SECRET_ACCESS_KEY: "wrong" })).putContent(randomBytes(9))),
    ).toBe("E_BUCKET_FORBIDDEN");
    s3.trouble = () => ({ status: 503, code: "SlowDown" });
    expect(await put()).toBe("E_BUCKET_IO");
    expect(s3.objects.size, "nothing came").toBe(0);
    let times = 0;
    s3.trouble = () => (times++ < 2 ? { status: 500, code: "InternalError" } : null);
    expect(await put(), "what passes is waited for").toBe("done");
    const { hash } = await store.putContent(Buffer.from("read in two goes"));
    let cuts = 0;
    s3.trouble = () => (cuts++ < 1 ? "cut off" : null);
    expect((await whole(store, hash)).toString(), "a body that is cut off is asked for again").toBe(
      "read in two goes",
    );
    s3.trouble = () => "never";
    const impatient = openBucket(bucketPlace(ADDRESS, s3.env), systemClock, 50);
    expect(await codeOf(impatient.put("chunks/x", randomBytes(9)))).toBe("E_BUCKET_SLOW");
    s3.trouble = null;
    await s3.stop();
    expect(await put()).toBe("E_BUCKET_IO");
    expect(
      await codeOf(openRawStore(url, { env: { ...process.env, REFLOAT_CONTENTS: "s3://x" }, thread: false })),
    ).toBe("E_BUCKET_ADDRESS");
  }, 120_000);

  it("that came to harm in the bucket, or are gone from it, are damage and an error, never other bytes (D5)", async () => {
    const s3 = await withServer();
    const store = await open(s3.env);
    const hash = await named(store, "bucket-harmed", Buffer.from("as it was"));
    const [[key, object] = []] = [...s3.objects];
    if (!key || !object) throw new Error("nothing was put");
    s3.objects.set(key, { ...object, bytes: Buffer.from("otherwise") });
    expect(await codeOf(whole(store, hash))).toBe("E_STORE_DAMAGED");
    expect((await checkStore(store)).damage).toMatchObject([{ kind: "content", where: hash }]);
    s3.objects.delete(key);
    expect(await codeOf(whole(store, hash))).toBe("E_NO_CONTENT");
    await store.putContent(Buffer.from("as it was"));
    expect((await whole(store, hash)).toString(), "put again it is there again (D1)").toBe("as it was");
    expect((await checkStore(store)).damage).toEqual([]);
  }, 120_000);

  it("are there when a put is answered that was stopped for longer than an object without a row is left alone (D1)", async () => {
    const s3 = await withServer();
    let aheadMs = 0;
    const clock = { ...systemClock, nowMs: () => systemClock.nowMs() + aheadMs };
    const place = bucketPlace(ADDRESS, { ...process.env, ...s3.env });
    const database = await openPostgresDriver({ ...freshSchema(), clock });
    const driver = withBucket(database, openBucket(place, clock), clock);
    const bytes = Buffer.from("closed lid");
    const hash = createHash("sha256").update(bytes).digest("hex") as ContentHash;
    // Stopped between the object and its row; meanwhile another machine's gc takes it.
    s3.trouble = (method) => {
      if (method === "HEAD" && aheadMs === 2 * HOUR_MS) s3.objects.clear();
      if (method === "PUT") aheadMs += 2 * HOUR_MS;
      return null;
    };
    try {
      await driver.putChunks([{ hash, bytes }], { hash, bytes: bytes.length, chunks: [hash] }, clock.nowMs());
      expect(Buffer.from((await driver.readChunk(hash)) ?? []).toString()).toBe("closed lid");
      expect(s3.objects.size).toBe(1);
    } finally {
      await driver.close();
    }
  }, 120_000);

  it("go from the bucket with gc when nobody names them, and with what is forgotten; what is being put, or named, stays (D2)", async () => {
    const s3 = await withServer();
    const store = await open(s3.env);
    const kept = await named(store, "bucket-kept", Buffer.from("kept"));
    const gone = await named(store, "bucket-forgotten", Buffer.from("to be forgotten"));
    const keysOf = (hash: ContentHash): string[] =>
      [...s3.objects.keys()].filter((key) => key.includes(hash));
    await forget(store, { session: "bucket-forgotten" });
    expect(keysOf(gone), "out of the bucket when it is answered").toEqual([]);
    const removed = await named(store, "bucket-deleted", Buffer.from("to be deleted"));
    const order = { force: false, factFor: null };
    await deleteSession(store, { session: "bucket-deleted" as SessionId, ...order });
    expect(keysOf(removed), "with a whole session, too").toEqual([]);
    const stuck = await named(store, "bucket-stuck", Buffer.from("the bucket keeps it"));
    s3.trouble = (method) => (method === "DELETE" ? { status: 403, code: "AccessDenied" } : null);
    expect(await codeOf(deleteSession(store, { session: "bucket-stuck" as SessionId, ...order }))).toBe(
      "E_BUCKET_LEFT",
    );
    expect(await store.session("bucket-stuck" as SessionId)).toBeNull();
    s3.trouble = null;
    const { hash: loose } = await store.putContent(Buffer.from("nobody names it"));
    // A put that was killed between the object and its row; and one that is on its way right now.
    const at = (ms: number) => ({ bytes: Buffer.from("x"), modifiedMs: Date.now() - ms });
    const { storeId } = await store.driver.info();
    const key = (name: string): string => `team_a/x/${storeId}/chunks/${loose.slice(0, 2)}/${loose}/${name}`;
    s3.objects.set(key("old"), at(2 * HOUR_MS));
    s3.objects.set(key("new"), at(1000));
    s3.objects.set(key("timeless"), at(Number.NaN));
    await store.driver.gc(Date.now() - HOUR_MS);
    expect(
      keysOf(loose).length,
      "the old orphan went; on its way, named, or of no known time they stay",
    ).toBe(3);
    for (const [name, object] of s3.objects)
      s3.objects.set(name, { ...object, modifiedMs: Date.now() - 2 * HOUR_MS });
    await store.driver.gc(Date.now() + 1);
    expect([...keysOf(loose), ...keysOf(stuck)], "and what a deletion had to leave").toEqual([]);
    expect((await whole(store, kept)).toString()).toBe("kept");
    expect((await checkStore(store)).damage).toEqual([]);
  }, 120_000);

  it("of two stores on one prefix are each its own: a gc of one leaves the other's (D2)", async () => {
    const s3 = await withServer();
    const first = await open(s3.env);
    const theirs = await named(first, "bucket-first", Buffer.from("of the first"));
    url = schemas.pop() ?? "";
    const second = await open(s3.env);
    const own = await named(second, "bucket-second", Buffer.from("of the second"));
    for (const [name, object] of s3.objects)
      s3.objects.set(name, { ...object, modifiedMs: Date.now() - 2 * HOUR_MS });
    await second.driver.gc(Date.now() + 1);
    expect((await whole(first, theirs)).toString()).toBe("of the first");
    expect((await whole(second, own)).toString()).toBe("of the second");
  }, 120_000);

  it("hold a session's captures by the command line, proved whole, and off where nobody said so (D1)", async () => {
    const s3 = await withServer();
    const place = makePlace();
    const repo = testRepository(place.workspace);
    repo.write("a.txt", "one\n");
    repo.commit("base");
    repo.write("a.txt", "two\n");
    repo.write("large.bin", "y".repeat(1_500_000));
    const on = { env: { ...s3.env, REFLOAT_STORE: url, REFLOAT_CONTENTS: ADDRESS } };
    const before = s3.objects.size;
    const taken = await place.json(["capture"], on);
    expect(taken.code, JSON.stringify(taken.json)).toBe(0);
    expect(s3.objects.size).toBeGreaterThan(before);
    expect((await place.json(["prove"], on)).code).toBe(0);
    const off = await place.json(["prove"], { env: { REFLOAT_STORE: url } });
    expect(off.json.code).toBe("E_BUCKET_UNSET");
    const killed = { env: { ...on.env, REFLOAT_CRASH_AT: "content.after-chunk" } };
    repo.write("b.txt", `another ${Date.now()}\n`);
    expect((await place.refloat(["capture"], killed)).signal, "between the object and its row").toBe(
      "SIGKILL",
    );
    expect((await place.json(["prove"], on)).code, "no record names what is not there").toBe(0);
    expect((await place.json(["capture"], on)).code).toBe(0);
  }, 120_000);

  it("sealed by a key lie there sealed; a rekey puts the new object, then its row, then the old one goes, and none is lost when that fails (D1, S6)", async () => {
    const s3 = await withServer();
    const [first, second] = [keyNamed("k1"), keyNamed("k2")];
    const hash = await named(await open(s3.env), "bucket-opened", LARGE);
    expect(lying(s3)).toContain(SECRET);
    const open1 = [...s3.objects.keys()];
    expect(await codeOf(rekeyStore(await open({}, false, [first])))).toBe("E_BUCKET_UNSET");
    expect([...s3.objects.keys()], "nothing was touched").toEqual(open1);
    const store = await open(s3.env, true, [first]);
    s3.asked.length = 0;
    expect(await rekeyStore(store)).toEqual({ key: "k1", chunks: 2, resealed: 2, damaged: 0 });
    const changes = s3.asked.map((one) => one.split(" ")[0]).filter((one) => one !== "GET");
    expect(changes).toEqual(["PUT", "DELETE", "PUT", "DELETE"]);
    expect(lying(s3)).not.toContain(SECRET);
    expect(s3.objects.size).toBe(2);
    const added = await named(store, "bucket-sealed", Buffer.from(`${SECRET} added`));
    expect(lying(s3), "what is put is sealed before it goes").not.toContain(SECRET);
    expect((await whole(store, added)).toString()).toBe(`${SECRET} added`);
    expect((await whole(store, hash)).equals(LARGE)).toBe(true);
    expect((await checkStore(store)).damage).toEqual([]);
    expect(await codeOf(whole(await open(s3.env), hash))).toBe("E_STORE_KEY");
    const both = await open(s3.env, true, [second, first]);
    for (const method of ["PUT", "DELETE"]) {
      s3.trouble = (asked) => (asked === method ? { status: 403, code: "AccessDenied" } : null);
      expect(await codeOf(rekeyStore(both)), method).toBe("E_BUCKET_FORBIDDEN");
      expect((await whole(both, hash)).equals(LARGE), "readable by one of the two").toBe(true);
      expect((await checkStore(both)).damage).toEqual([]);
    }
    expect(s3.objects.size, "one is left that no row names").toBe(4);
    s3.trouble = null;
    for (const [name, object] of s3.objects)
      s3.objects.set(name, { ...object, modifiedMs: Date.now() - 2 * HOUR_MS });
    expect(await rekeyStore(both)).toEqual({ key: "k2", chunks: 3, resealed: 2, damaged: 0 });
    expect(s3.objects.size, "and the next rekey removed it").toBe(3);
    const rotated = await open(s3.env, true, [second]);
    expect((await whole(rotated, hash)).equals(LARGE)).toBe(true);
    expect((await checkStore(rotated)).damage).toEqual([]);
  }, 120_000);

  it("are read by who found the old name when a rekey has just replaced it, and a rekey that is killed between object and row goes on (D5, S6)", async () => {
    const s3 = await withServer();
    const key = keyNamed("k1");
    const store = await open(s3.env, true, [key]);
    const hash = await named(await open(s3.env), "bucket-raced", Buffer.from(SECRET));
    const bucket = openBucket(bucketPlace(ADDRESS, s3.env), systemClock);
    const asked: string[] = [];
    const bare = await openPostgresDriver({ url, clock: systemClock, connections: 1 });
    const reader = withBucket(
      bare,
      {
        ...bucket,
        get: async (name) => {
          if (asked.push(name) === 1) await rekeyStore(store);
          return bucket.get(name);
        },
      },
      systemClock,
    );
    const stored = await reader.readChunk(hash).finally(() => bare.close());
    expect(asked.length, "the old name was gone, the new one was asked").toBe(2);
    expect(Buffer.from(stored ?? []).equals([...s3.objects.values()][0]?.bytes ?? Buffer.from("none"))).toBe(
      true,
    );
    const place = makePlace();
    const file = join(place.home, "keys");
    const next = keyNamed("k2");
    writeFileSync(file, [next, key].map(({ id, secret }) => `${id} ${secret}\n`).join(""), { mode: 0o600 });
    const env = { ...s3.env, REFLOAT_STORE: url, REFLOAT_CONTENTS: ADDRESS, REFLOAT_KEY_FILE: file };
    const killed = { env: { ...env, REFLOAT_CRASH_AT: "content.after-chunk" } };
    expect((await place.refloat(["store", "rekey"], killed)).signal).toBe("SIGKILL");
    expect((await whole(store, hash)).toString(), "the row still names the old one").toBe(SECRET);
    expect(await place.json(["store", "rekey"], { env })).toMatchObject({
      json: { key: "k2", chunks: 1, resealed: 1 },
    });
    expect((await whole(await open(s3.env, true, [next]), hash)).toString()).toBe(SECRET);
  }, 120_000);
});
