/** Many writers on one store: nothing is lost, nobody starves, whoever is stopped, killed or slow. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { openStore, type RefloatStore } from "../../src/app/store/open-store.ts";
import type { SessionId } from "../../src/model/ids.ts";
import { checkStore } from "../../src/store/check.ts";
import { freshSchema } from "../support/postgres.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { journalOf } from "./check-records.ts";
import { BUILT, type StoreAddress } from "./run-writer.ts";
import { type Saturating, sharesOf, startSaturating } from "./saturating.ts";
import { sqliteStore } from "./sweep.ts";

/** A process with less than this part of the mean counts as starved. */
const LEAST_SHARE = 0.2;
const SATURATED_MS = 2500;
const LEAST_EACH = 25;

async function startAll(store: StoreAddress, count: number): Promise<Saturating[]> {
  const names = Array.from({ length: count }, (_, i) => `s${i}`);
  // All at once: on a new store they also race to make it.
  return Promise.all(names.map((name) => startSaturating(store, name)));
}

/** Every acknowledged record at its number, in its order, once; and the store sound. */
async function expectNothingLost(store: StoreAddress, all: readonly Saturating[]): Promise<void> {
  const opened = await openStore(store.url, { ...store.open, thread: false });
  try {
    for (const one of all) {
      const records = await journalOf(opened.raw, one.session);
      const written = records.filter(({ kind }) => kind === "message.added");
      const texts = new Map(written.map(({ seq, body }) => [seq, JSON.stringify(body.parts)]));
      const lost = one.acked.filter(
        ({ seq, number }) => !texts.get(seq)?.includes(`${one.session} ${number} `),
      );
      expect(lost, `lost by ${one.session}`).toEqual([]);
      expect(written.length).toBeLessThanOrEqual(one.acked.length + 1);
    }
    expect((await checkStore(opened.raw)).damage).toEqual([]);
  } finally {
    await opened.close();
  }
}

const onSqlite = (): StoreAddress => sqliteStore(true)(temporaryFolder());
function onPostgres(): StoreAddress {
  const { url, schema } = freshSchema();
  return { url, folder: "", open: { schema } };
}

test.each<[number, string, () => StoreAddress]>([
  [2, "SQLite", onSqlite],
  [8, "SQLite", onSqlite],
  [8, "PostgreSQL", onPostgres],
])(
  "%i processes saturating one new %s store lose nothing, and none of them starves",
  async (count, name, make) => {
    const store = make();
    const all = await startAll(store, count);
    for (const one of all) one.go();
    await sleep(SATURATED_MS);
    // On a busy machine one of them may have had no turn at all yet; one that starves never gets there.
    await Promise.all(all.map((one) => one.reached(LEAST_EACH)));
    await Promise.all(all.map((one) => one.stop()));
    const { shares, text } = sharesOf(all);
    process.stdout.write(`${text} (${name})\n`);
    await expectNothingLost(store, all);
    expect(Math.min(...shares)).toBeGreaterThan(LEAST_SHARE);
  },
);

test("8 processes, one stopped in the middle for two seconds and one killed: nothing is lost, the others go on, and the stopped one goes on afterwards", async () => {
  const store = onSqlite();
  const all = await startAll(store, 8);
  const [stopped, killed, ...others] = all as [Saturating, Saturating, ...Saturating[]];
  for (const one of all) one.go();
  await Promise.all(all.map((one) => one.reached(20)));
  process.kill(stopped.pid, "SIGSTOP");
  process.kill(killed.pid, "SIGKILL");
  await sleep(2000);
  process.kill(stopped.pid, "SIGCONT");
  const before = stopped.acked.length;
  const progress = others.map((one) => one.acked.length);
  await Promise.all([
    stopped.reached(before + 10),
    ...others.map((one, i) => one.reached((progress[i] ?? 0) + 10)),
  ]);
  await Promise.all(all.map((one) => one.stop()));
  const { shares, text } = sharesOf(others);
  process.stdout.write(`${text} (beside a stopped and a killed one)\n`);
  await expectNothingLost(store, all);
  expect(Math.min(...shares)).toBeGreaterThan(LEAST_SHARE);
});

/** A process of its own that appends as many records to a session as it is told, and is gone again. */
const VISITOR = `
  const [built, url, session, records] = process.argv.slice(2);
  const { openStore } = await import(built);
  const store = await openStore(url, { thread: false });
  const visitor = await store.begin({ id: session, agent: "visitor", workspace: "/w" });
  for (let i = 0; i < Number(records); i++) await visitor.decide("visit", i);
  await visitor.finish();
  await store.close();
`;

async function visit(store: StoreAddress, session: string): Promise<void> {
  const program = join(store.folder, "visitor.mjs");
  writeFileSync(program, VISITOR);
  const built = pathToFileURL(join(BUILT, "index.js")).href;
  const child = spawn(process.execPath, [program, built, store.url, session, "20"], { stdio: "inherit" });
  expect(await once(child, "exit")).toEqual([0, null]);
}

/** Reads the store as a stranger would, after everybody is gone. */
async function headsOf(store: StoreAddress, ...sessions: string[]): Promise<(number | undefined)[]> {
  const opened = await openStore(store.url, { thread: false });
  const rows = await Promise.all(sessions.map((id) => opened.raw.session(id as SessionId)));
  await opened.close();
  return rows.map((row) => row?.head);
}

test.each(["inline", "on a worker thread"])(
  "%s, the process that made the store loses nothing to others that come and go while it writes (D1)",
  async (mode) => {
    const store = sqliteStore(mode !== "inline")(temporaryFolder());
    const maker = await startSaturating(store, "maker");
    maker.go();
    for (const round of [1, 2, 3]) {
      await maker.reached(maker.acked.length + 10);
      await visit(store, `visitor-${round}`);
    }
    await maker.reached(maker.acked.length + 10);
    process.kill(maker.pid, "SIGKILL");
    await maker.stop();
    await expectNothingLost(store, [maker]);
    expect(await headsOf(store, "visitor-1", "visitor-2", "visitor-3")).toEqual([24, 24, 24]);
  },
);

test("a store opened and closed a second time in one process leaves the first handle's records safe from others that come and go (D1)", async () => {
  const store = sqliteStore(false)(temporaryFolder());
  const first = await openStore(store.url, store.open);
  const session = await first.begin({ id: "first", agent: "first", workspace: "/w" });
  for (const round of [1, 2, 3]) {
    const second = await openStore(store.url, store.open);
    expect((await second.sessions()).map(({ id }) => id)).toContain("first");
    await second.close();
    await visit(store, `visitor-${round}`);
    for (let i = 0; i < 20; i++) await session.decide("round", `${round} ${i}`);
  }
  expect(session.head).toBe(62);
  await visit(store, "witness");
  // A third process reads: what only this one's memory holds would not be there.
  expect(await recordsSeenByAnother(store, "first")).toBe(62);
  await session.finish();
  await first.close();
});

async function recordsSeenByAnother(store: StoreAddress, session: string): Promise<number> {
  const program = join(store.folder, "reader.mjs");
  writeFileSync(
    program,
    `const { openStore } = await import(process.argv[2]);
     const store = await openStore(process.argv[3], { thread: false });
     console.log((await store.raw.session(process.argv[4])).head);
     await store.close();`,
  );
  const built = pathToFileURL(join(BUILT, "index.js")).href;
  return Number(execFileSync(process.execPath, [program, built, store.url, session], { encoding: "utf8" }));
}

test("a hundred sessions in one process share commit groups and lose nothing: each journal is gapless and in its own order (D1, D3)", async () => {
  const { url } = sqliteStore(false)(temporaryFolder());
  const store = await openStore(url, { thread: false });
  const names = Array.from({ length: 100 }, (_, i) => `session-${i}`);
  await Promise.all(names.map((name) => writeOne(store, name)));
  for (const name of names) {
    const records = await journalOf(store.raw, name);
    expect(records.map(({ seq }) => seq)).toEqual(records.map((_, i) => i + 1));
    const values = records.filter(({ kind }) => kind === "decided").map(({ body }) => body.value);
    expect(values).toEqual(Array.from({ length: 20 }, (_, i) => `${name} ${i}`));
  }
  expect((await checkStore(store.raw)).damage).toEqual([]);
  await store.close();
});

async function writeOne(store: RefloatStore, name: string): Promise<void> {
  const session = await store.begin({ id: name, agent: "many", workspace: "/w" });
  for (let i = 0; i < 20; i++) await session.decide("number", `${name} ${i}`);
  await session.finish();
}
