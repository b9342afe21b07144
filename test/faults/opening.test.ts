/**
 * Opening a store: whatever lies at its path is told by name before anything is changed, and a new store is
 * made only where nothing of an old one is (D5 to D7).
 */
import { execFileSync } from "node:child_process";
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { systemClock } from "../../dist/platform/clock.js";
import { backupStore } from "../../dist/store/backup.js";
import { runScript } from "../../dist/store/sqlite/connection.js";
import { openSqliteDriver } from "../../dist/store/sqlite/driver.js";
import {
  begun,
  child,
  codeOf,
  decided,
  open,
  type Place,
  sessionId,
  valuesOf,
} from "../conformance/harness.ts";
import { sqlitePlace } from "../conformance/places.ts";
import { startChild } from "../support/child.ts";
import { NOBODY, need } from "../support/needs.ts";

const inline = (): Place => sqlitePlace({ thread: false });

/** Name, mode and bytes of everything in the store's folder. */
function everything(folder: string): unknown {
  return readdirSync(folder)
    .sort()
    .map((name) => [
      name,
      statSync(join(folder, name)).mode,
      readFileSync(join(folder, name)).toString("hex"),
    ]);
}

/** A store with a few records, written by a process that is gone; its log is copied into the database first. */
async function written(place: Place, how: "closed" | "killed" = "closed"): Promise<void> {
  const writer = child(
    place,
    `const { attempt } = await takeClaim(store, { session: "s", owner: selfOwner(), records: () => [] });
     for (let value = 0; value < 20; value++)
       await store.append("s", { attempt }, [record("decided", { key: "k", value, reason: null, step: null })]);
     ${how === "closed" ? "await store.driver.gc(0); await store.close();" : 'process.kill(process.pid, "SIGKILL");'}`,
  );
  expect(await writer.ended()).toBe(how === "closed" ? 0 : "SIGKILL");
}

const twenty = Array.from({ length: 20 }, (_, value) => value);

test.each([
  ["a directory", "E_STORE_NOT_A_FILE", (path: string) => mkdirSync(path)],
  ["a pipe", "E_STORE_NOT_A_FILE", (path: string) => execFileSync("mkfifo", [path])],
  ["a text file", "E_STORE_NOT_OURS", (path: string) => writeFileSync(path, "dear diary, ".repeat(100))],
  ["a file of one byte", "E_STORE_NOT_OURS", (path: string) => writeFileSync(path, "S")],
  ["an empty file", "E_STORE_TRUNCATED", (path: string) => writeFileSync(path, "")],
  [
    "another program's database",
    "E_STORE_NOT_OURS",
    (path: string) => runScript(path, "CREATE TABLE t (x); INSERT INTO t VALUES (1)"),
  ],
  [
    "another program's database with a log",
    "E_STORE_NOT_OURS",
    (path: string) => runScript(path, "PRAGMA journal_mode = WAL; CREATE TABLE records (x)"),
  ],
])(
  "D5: %s in the place of the store is %s, and is left as it was with nothing beside it",
  async (_what, code, make) => {
    const place = inline();
    const folder = dirname(place.url);
    mkdirSync(folder);
    make(place.url);
    const names = readdirSync(folder);
    const isFile = statSync(place.url).isFile();
    const before = isFile ? everything(folder) : null;
    expect(await codeOf(open(place))).toBe(code);
    expect(await codeOf(open({ ...place, options: { thread: true } }))).toBe(code);
    expect(readdirSync(folder)).toEqual(names);
    if (isFile) expect(everything(folder)).toEqual(before);
  },
);

test("a path through a file, or to a folder that cannot be made, is an error of the catalogue and changes nothing", async () => {
  const place = inline();
  const file = join(dirname(dirname(place.url)), "file");
  writeFileSync(file, "mine");
  expect(await codeOf(open({ ...place, url: join(file, "refloat.db") }))).toBe("E_STORE_IO");
  expect(await codeOf(open({ ...place, url: join(file, "below", "refloat.db") }))).toBe("E_STORE_IO");
  expect(await codeOf(open({ ...place, url: "/proc/refloat/refloat.db" }))).toMatch(
    /^E_STORE_(IO|READ_ONLY)$/,
  );
  const link = join(dirname(file), "link.db");
  symlinkSync("nowhere", link);
  expect(await codeOf(open({ ...place, url: link }))).toBe("E_STORE_IO");
  expect(readFileSync(file, "utf8")).toBe("mine");
});

test("a store that belongs to another user is E_STORE_FOREIGN and is not touched", async () => {
  const place = inline();
  need("another user");
  await written(place);
  chownSync(place.url, NOBODY.uid, NOBODY.gid);
  const before = everything(dirname(place.url));
  expect(await codeOf(open(place))).toBe("E_STORE_FOREIGN");
  expect(everything(dirname(place.url))).toEqual(before);
});

test("a store on a network file system is E_STORE_FS_UNSAFE, and nothing is made there", async () => {
  const place = inline();
  const opening = openSqliteDriver({
    path: place.url,
    clock: systemClock,
    fileSystem: () => ({ name: "nfs", isSafeForWal: false }),
  });
  expect(await codeOf(opening)).toBe("E_STORE_FS_UNSAFE");
  expect(existsSync(place.url)).toBe(false);
});

test("a store inside the workspace is E_STORE_IN_WORKSPACE, and nothing is made there", async () => {
  const place = inline();
  const workspace = dirname(dirname(place.url));
  expect(await codeOf(open(place, { workspace }))).toBe("E_STORE_IN_WORKSPACE");
  expect(existsSync(dirname(place.url))).toBe(false);
  expect(await codeOf(open(place, { workspace: `${workspace}-other` }))).toMatch(/^no error/);
});

test("a store of a newer refloat is E_STORE_NEWER, and not a byte of it changes", async () => {
  const place = inline();
  await written(place);
  runScript(place.url, "PRAGMA user_version = 99");
  for (const beside of ["-wal", "-shm"]) rmSync(place.url + beside, { force: true });
  const before = everything(dirname(place.url));
  expect(await codeOf(open(place))).toBe("E_STORE_NEWER");
  expect(await codeOf(open({ ...place, options: { thread: true } }))).toBe("E_STORE_NEWER");
  expect(everything(dirname(place.url))).toEqual(before);
});

test("D7: a store whose file is gone while its log or its mark is still there is E_STORE_MISSING, never a fresh start", async () => {
  const place = inline();
  await written(place, "killed");
  const database = readFileSync(place.url);
  rmSync(place.url);
  const before = everything(dirname(place.url));
  expect(await codeOf(open(place))).toBe("E_STORE_MISSING");
  expect(everything(dirname(place.url))).toEqual(before);
  writeFileSync(place.url, database, { mode: 0o600 });
  expect(await valuesOf(await open(place), sessionId("s"))).toEqual(twenty);
  const closed = inline();
  await written(closed);
  for (const beside of ["", "-wal", "-shm"]) rmSync(closed.url + beside, { force: true });
  expect(existsSync(`${closed.url}-mark`)).toBe(true);
  expect(await codeOf(open(closed))).toBe("E_STORE_MISSING");
});

test("D7: a store cut to nothing by something else is E_STORE_TRUNCATED and its log is left for salvage", async () => {
  const place = inline();
  await written(place, "killed");
  truncateSync(place.url, 0);
  const before = everything(dirname(place.url));
  expect(await codeOf(open(place))).toBe("E_STORE_TRUNCATED");
  expect(everything(dirname(place.url))).toEqual(before);
});

test.each(["create.before-link", "create.after-link"])(
  "D1: a process killed at %s while it made the store leaves nothing that keeps the next one from making or using it",
  async (at) => {
    const place = inline();
    expect(await child(place, "", { REFLOAT_CRASH_AT: at }).ended()).toBe("SIGKILL");
    expect(existsSync(place.url)).toBe(at === "create.after-link");
    const store = await open(place);
    const { session, by } = await begun(store);
    await store.append(session, by, [decided("works")]);
    expect(await valuesOf(store, session)).toEqual(["works"]);
  },
);

test.each([0o000, 0o022, 0o077])(
  "T4: under the umask %o the store's folder is its owner's alone, and so is every file in it and its backup",
  async (umask) => {
    const place = inline();
    const backup = join(dirname(dirname(place.url)), "backup.db");
    const maker = child(
      { ...place, url: place.url },
      `await takeClaim(store, { session: "s", owner: selfOwner(), records: () => [] });
       await store.driver.backup?.(${JSON.stringify(backup)});
       await store.driver.gc(0);
       await takeClaim(store, { session: "t", owner: selfOwner(), records: () => [] });
       say("made"); setInterval(() => {}, 1000);`,
      { UMASK: String(umask) },
    );
    expect(await maker.said()).toBe("made");
    const folder = dirname(place.url);
    const modes = readdirSync(folder).map((name) => [name, statSync(join(folder, name)).mode & 0o777]);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(modes.length).toBeGreaterThanOrEqual(3);
    expect(modes).toEqual(modes.map(([name]) => [name, 0o600]));
    expect(statSync(backup).mode & 0o777).toBe(0o600);
  },
);

test("D1: a reopened store runs with synchronous=FULL, in write-ahead mode, with no checkpoint inside an append", async () => {
  const place = inline();
  await written(place);
  const text = `import { openStoreFile } from "./store/sqlite/open-file.js";
    const connection = openStoreFile(${JSON.stringify(place.url)});
    const ask = (pragma) => connection.text("PRAGMA " + pragma);
    console.log(JSON.stringify(["synchronous", "journal_mode", "wal_autocheckpoint", "busy_timeout"].map(ask)));`;
  expect(await startChild(text).said()).toEqual(["2", "wal", "0", "0"]);
});

test("a backup is a whole store of its own: it opens, runs in write-ahead mode, and is never written over something", async () => {
  const place = inline();
  const store = await open(place);
  const { session, by } = await begun(store);
  await store.append(session, by, [decided("a"), decided("b".repeat(400_000))]);
  const backup = join(dirname(dirname(place.url)), "backup", "refloat.db");
  mkdirSync(dirname(backup), { mode: 0o700 });
  await backupStore(store, backup);
  await store.append(session, by, [decided("later")]);
  expect(await codeOf(backupStore(store, backup))).toBe("E_EXISTS");
  const copy = await open({ ...place, url: backup });
  expect(await valuesOf(copy, session)).toEqual(["a", "b".repeat(400_000)]);
  await copy.append(session, by, [decided("on its own")]);
  expect(await valuesOf(copy, session)).toHaveLength(3);
  expect(existsSync(`${backup}-wal`)).toBe(true);
  expect(readdirSync(dirname(backup)).filter((name) => name.includes(".new-"))).toEqual([]);
});

test("a store reached through a symbolic link is the store itself, log and all", async () => {
  const place = inline();
  await written(place, "killed");
  const link = join(dirname(dirname(place.url)), "link.db");
  symlinkSync(place.url, link);
  const linked = await open({ ...place, url: link });
  expect(await valuesOf(linked, sessionId("s"))).toEqual(twenty);
  const direct = await open(place);
  await linked.append(sessionId("s"), { attempt: 1 }, [decided("through the link")]);
  expect(await valuesOf(direct, sessionId("s"))).toEqual([...twenty, "through the link"]);
});
