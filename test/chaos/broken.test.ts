/**
 * The sweep's own test: each law it guards is broken on purpose, once by a writer or a store that misbehaves
 * and once by hand in the store's files, and the checker must say so. A sweep that cannot fail proves nothing.
 */

import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openStore, type RefloatStore } from "../../src/app/store/open-store.ts";
import { RefloatError } from "../../src/model/errors.ts";
import type { RecordId, SessionId } from "../../src/model/ids.ts";
import type { RawRecord } from "../../src/store/contract/driver.ts";
import { openDatabase, type SqliteRow } from "../../src/store/sqlite/load.ts";
import { fromRecord, toRawRecord } from "../../src/store/sqlite/rows.ts";
import { checkOpened } from "./check.ts";
import { newWorld, type World } from "./check-records.ts";
import { callsOf, type Life } from "./ledger.ts";
import type { WriterOrders } from "./run-writer.ts";
import { describeEnd, Story, sqliteStore } from "./sweep.ts";

/** Any would do. */
const SEED = 7;

async function toldBy(breaking: NonNullable<WriterOrders["break"]>, at: string): Promise<string[]> {
  return Story.told(sqliteStore(true), SEED, async (story) => {
    const end = await story.live({ kind: "point", at }, { break: breaking });
    expect(end.signal, describeEnd(end)).toBe("SIGKILL");
    return story.check("take over");
  });
}

test("a writer that acknowledges before it commits is caught: its acknowledged records are lost (D1)", async () => {
  const found = await toldBy("early-ack", "append.before-commit#12");
  expect(found).toContainEqual(expect.stringMatching(/was acknowledged as #\d+ and is lost/));
  expect(found).toContainEqual(expect.stringMatching(/was acknowledged and is not true/));
});

test("a writer that takes an input from the queue in two steps is caught between them (C1)", async () => {
  // The second step passes the point; so do other turns, one of which may come first.
  const isCaught = (what: string) => /is 0 times in the queue, 0 times in the conversation/.test(what);
  let found: string[] = [];
  for (let hit = 1; hit <= 8 && !found.some(isCaught); hit++)
    found = await toldBy("two-step-take", `queue.before-take#${hit}`);
  expect(found).toSatisfy((all: string[]) => all.some(isCaught));
});

/** One store, killed once, for all the breaks by hand: each works on a copy of it. */
let folder: string;
let life: Life;

beforeAll(async () => {
  for (let seed = SEED; ; seed++) {
    folder = mkdtempSync(join(tmpdir(), "refloat-broken-"));
    const story = new Story(sqliteStore(false)(folder), seed);
    const end = await story.live({ kind: "point", at: "call.after-started#6" }, { operations: 200 });
    expect(end.signal, describeEnd(end)).toBe("SIGKILL");
    life = { number: 0, lines: end.lines };
    if (hasQueuedAndTaken(life)) return;
    rmSync(folder, { recursive: true, force: true });
  }
});
/** The breaks need something to break: an input that waits and one that was taken. A call is open anyway. */
function hasQueuedAndTaken(one: Life): boolean {
  const inputs = (isTake: boolean) =>
    callsOf(one).filter(({ op, about }) => "input" in about && (op !== "enqueue") === isTake);
  return inputs(true).length > 0 && inputs(false).length > inputs(true).length;
}
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let copies = 0;
async function checked(
  breakIt: (path: string) => void,
  wrap = (store: RefloatStore) => store,
): Promise<string[]> {
  const path = join(folder, `copy-${++copies}`, "refloat.db");
  mkdirSync(dirname(path), { mode: 0o700 });
  for (const suffix of ["", "-wal"]) copyFileSync(join(folder, `refloat.db${suffix}`), path + suffix);
  breakIt(path);
  const store = wrap(await openStore(path, { thread: false }));
  try {
    return await checkOpened(store, worldOf(life), "take over");
  } finally {
    await store.close();
  }
}

function worldOf(...lives: Life[]): World {
  return { ...newWorld("main"), lives };
}

const sql =
  (...statements: string[]) =>
  (path: string): void => {
    const db = openDatabase(path);
    for (const statement of statements) db.exec(statement);
    db.close();
  };

test("the unbroken store of these tests passes", async () => {
  expect(await checked(() => undefined)).toEqual([]);
});

test.each([
  [
    "an acknowledged record that is gone",
    "DELETE FROM records WHERE session = 'main' AND seq = 9",
    /and is lost/,
  ],
  [
    "a body that changed",
    "UPDATE records SET body = '{}' WHERE session = 'main' AND kind = 'decided'",
    /is damaged/,
  ],
  [
    "a record nobody meant to write",
    "UPDATE records SET id = 'somebody else' WHERE session = 'main' AND kind = 'decided' AND seq = (SELECT max(seq) FROM records WHERE session = 'main' AND kind = 'decided')",
    /nobody meant to write it/,
  ],
  [
    "an input that is back in the queue after it was taken",
    "INSERT INTO open (session, what, id, seq) SELECT session, 'input', substr(id, 7), seq FROM records WHERE session = 'main' AND kind = 'input.queued' AND NOT EXISTS (SELECT 1 FROM open WHERE open.session = 'main' AND what = 'input' AND open.id = substr(records.id, 7)) LIMIT 1",
    /is 1 times in the queue, 1 times in the conversation/,
  ],
  [
    "an input that fell out of the queue",
    "DELETE FROM open WHERE session = 'main' AND what = 'input'",
    /is 0 times in the queue, 0 times in the conversation/,
  ],
  [
    "an open call nobody settles",
    "DELETE FROM open WHERE session = 'main' AND what = 'call'",
    /call .* has 0 ends/,
  ],
  [
    "a claim that lost its number",
    "UPDATE sessions SET attempt = attempt + 5 WHERE id = 'main'",
    /attempts are recorded, the claim says/,
  ],
])("%s is reported", async (_what, statements, expected) => {
  const found = await checked(sql(statements));
  expect(found).toContainEqual(expect.stringMatching(expected));
});

test("two acknowledged records that changed places, each sound in itself, are reported (D3)", async () => {
  const found = await checked(swap(9, 10));
  expect(found).toContainEqual(expect.stringMatching(/was acknowledged as #9 and is #10/));
  expect(found.join()).not.toMatch(/damaged/);
});

/** Everything but the numbers changes places, and the checksums with it. */
const swap = (a: number, b: number) => (path: string) => {
  const db = openDatabase(path);
  const read = (seq: number) =>
    toRawRecord(db.prepare("SELECT * FROM records WHERE session = 'main' AND seq = ?").get(seq) as SqliteRow);
  const [first, second] = [read(a), read(b)];
  const write = (seq: number, row: RawRecord, id: string) => {
    const [, , ...values] = fromRecord({ ...row, id: id as RecordId, seq });
    const columns =
      "id = ?, kind = ?, attempt = ?, at_ms = ?, body = ?, spilled = ?, forgotten = ?, checksum = ?";
    db.prepare(`UPDATE records SET ${columns} WHERE session = 'main' AND seq = ?`).run(...values, seq);
  };
  write(a, second, "for a moment");
  write(b, first, first.id);
  write(a, second, second.id);
  db.close();
};

test("a store that takes a dead owner's late write is reported (K1)", async () => {
  const found = await checked(() => undefined, unfenced);
  expect(found).toContainEqual(expect.stringMatching(/a late append of the dead attempt 1 was accepted/));
  expect(found).toContainEqual(expect.stringMatching(/a late write of the dead left a trace/));
});

/** Puts every append under whatever attempt is current. */
function unfenced(store: RefloatStore): RefloatStore {
  const { raw } = store;
  const append = raw.append.bind(raw);
  raw.append = async (session, by, records, options) => {
    const row = await raw.session(session as SessionId);
    if (!row) throw new RefloatError("E_NO_SESSION", { what: session });
    return append(session, by === "anyone" ? by : { attempt: row.claim.attempt }, records, options);
  };
  return store;
}

test("a recovery that settles nothing is reported (C4)", async () => {
  const found = await checked(() => undefined, unsettling);
  expect(found).toContainEqual(expect.stringMatching(/has 0 ends/));
});

/** Hides what is open from whoever takes the claim. */
function unsettling(store: RefloatStore): RefloatStore {
  const { raw } = store;
  const open = raw.open.bind(raw);
  raw.open = async (session) => (await open(session)).filter(({ what }) => what === "input");
  return store;
}
