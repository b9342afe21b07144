/**
 * D1, counted by the kernel: one sync of the log per commit group before the append resolves, no more and no
 * less. What comes besides is counted apart by file: the log's header when a log begins, its folder, and the
 * copying of the log into the database.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "./support/temporary-folder.ts";
import { traced } from "./support/traced.ts";

const SYNC = "trace=fsync,fdatasync";

/** A program that begins a session and runs the lines; a line said is a place in the order of the calls. */
const program = (path: string, lines: string): string => `
  import { openRawStore } from "./store/open-raw-store.js";
  import { selfOwner } from "./platform/identity.js";
  const store = await openRawStore(${JSON.stringify(path)}, { thread: false });
  const sessions = Number(process.env.SESSIONS ?? 1);
  for (let s = 0; s < sessions; s++)
    await store.take({ session: "s" + s, seen: null, owner: selfOwner(), nowMs: 1, thresholdMs: 1, records: [] });
  const append = (s, value, size = 1000) => store.append("s" + s, { attempt: 1 }, [{ id: String(value), kind: "decided", atMs: 1, body: { key: "x".repeat(size), value, reason: null, step: null } }]);
  const mark = () => process.chdir("/"); // found again in the list of system calls
  mark();
  ${lines}
  mark();
  process.kill(process.pid, "SIGKILL");`;

interface Counts {
  readonly log: number;
  readonly database: number;
  readonly folder: number;
  readonly other: readonly string[];
}

/** The syncs between the two marks, by file. */
function counted(path: string, lines: string, env: NodeJS.ProcessEnv = {}): Counts {
  const { calls } = traced(["-e", `${SYNC},chdir`], program(path, lines), env);
  const first = calls.findIndex((call) => call.includes("chdir("));
  const last = calls.findLastIndex((call) => call.includes("chdir("));
  expect(last).toBeGreaterThan(first);
  const syncs = calls.slice(first + 1, last).filter((call) => /f(data)?sync\(/.test(call));
  const of = (file: string): number => syncs.filter((call) => call.includes(`<${file}>`)).length;
  const known = [`${path}-wal`, path, join(path, "..")];
  return {
    log: of(`${path}-wal`),
    database: of(path),
    folder: of(join(path, "..")),
    other: syncs.filter((call) => !known.some((file) => call.includes(`<${file}>`))),
  };
}

const storePath = (): string => join(temporaryFolder(), "home", "refloat.db");

test("D1: two hundred appends one after the other are two hundred syncs of the log and nothing else", () => {
  const path = storePath();
  const counts = counted(path, "for (let i = 0; i < 200; i++) await append(0, i, 10);");
  console.log("200 sequential appends:", counts);
  expect(existsSync(`${path}-wal`)).toBe(true);
  expect(counts).toEqual({ log: 200, database: 0, folder: 0, other: [] });
});

test("D1: a hundred appends of one tick, of one session or of a hundred, are one sync of the log", () => {
  const together = "await Promise.all(Array.from({ length: 100 }, (_, i) => append(i % sessions, i, 10)));";
  const one = counted(storePath(), together);
  const many = counted(storePath(), together, { SESSIONS: "100" });
  console.log("100 appends in one tick, one session:", one, "100 sessions:", many);
  expect(one).toEqual({ log: 1, database: 0, folder: 0, other: [] });
  expect(many).toEqual({ log: 1, database: 0, folder: 0, other: [] });
});

test("D1: small contents and the record that names them are one sync of the log", () => {
  const lines = `
    const { createHash } = await import("node:crypto");
    const contents = Array.from({ length: 20 }, (_, i) => Buffer.from("content " + i)).map((bytes) => ({ bytes, hash: createHash("sha256").update(bytes).digest("hex") }));
    await store.assertRoom();
    const put = store.putForNext(contents);
    const kept = store.append("s0", { attempt: 1 }, [{ id: "names", kind: "x.named", atMs: 1, body: {}, contents: contents.map(({ hash }) => ({ hash })) }]);
    await Promise.all([put, kept]);`;
  const counts = counted(storePath(), lines);
  expect(counts).toEqual({ log: 1, database: 0, folder: 0, other: [] });
});

test("D1: over many checkpoints each append is still one sync, and the copying adds a bounded number, counted apart", () => {
  const lines =
    "for (let i = 0; i < 1500; i++) { await append(0, i, 3500); await new Promise(setImmediate); }";
  const counts = counted(storePath(), lines);
  console.log("1500 appends of 3.5 KB over several checkpoints:", counts);
  const checkpoints = counts.database;
  expect(checkpoints).toBeGreaterThanOrEqual(2);
  // Each checkpoint syncs the log before and the database after it; the log that begins anew syncs its header.
  expect(counts.log - 1500).toBeGreaterThanOrEqual(checkpoints);
  expect(counts.log - 1500).toBeLessThanOrEqual(2 * checkpoints + 2);
  expect(counts.other).toEqual([]);
});

test("D1: an append is not answered before its sync: a process killed in that sync has acknowledged nothing of it", () => {
  const path = storePath();
  const lines = 'for (let i = 0; i < 50; i++) { await append(0, i, 10); process.stdout.write(i + "\\n"); }';
  const { said, ended } = traced(
    ["-e", SYNC, "-e", "inject=fsync,fdatasync:signal=SIGKILL:when=30"],
    program(path, lines),
  );
  expect(ended).toBe("SIGKILL");
  expect(said.length).toBeGreaterThan(5);
  expect(said.length).toBeLessThan(30);
});
