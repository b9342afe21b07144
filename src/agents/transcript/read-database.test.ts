/** An agent's database is read from a copy: the original keeps every byte, what is only in its log is heard, and a broken one does no harm. */
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { makeDatabase } from "../../../test/agents/fixture-home.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { RefloatError } from "../../model/errors.ts";
import { pidNamespace, processStart } from "../../platform/identity.ts";
import { runScript } from "../../store/sqlite/connection.ts";
import type { AgentAdapter, DatabaseFormat } from "../words/adapter.ts";
import type { Heard } from "../words/heard.ts";
import { toEnd } from "./piece-by-piece.ts";
import { lookAtHeard, readDatabase, recognizeDatabase, sessionsInDatabase } from "./read-database.ts";

const FORMAT: DatabaseFormat = {
  storage: "database",
  kept: { tables: [], parent: null },
  recognizes: (tables) => tables.has("said"),
  sessions: (rows) =>
    [...rows("SELECT DISTINCT session FROM said ORDER BY session DESC")].map(({ session }) => ({
      nativeId: String(session),
      cwd: null,
      at: null,
      began: null,
    })),
  *read(rows, nativeId) {
    for (const row of rows("SELECT text FROM said WHERE session = ? ORDER BY rowid", nativeId))
      yield { kind: "unknown", type: String(row.text) };
  },
};
const ADAPTER = { name: "x", transcript: FORMAT } as AgentAdapter;

function database(rows: readonly Readonly<Record<string, unknown>>[] = TWO): string {
  const path = join(temporaryFolder(), "agent.db");
  makeDatabase(path, { said: { sql: "CREATE TABLE said (session text, text text)", rows } });
  return path;
}
const TWO = [
  { session: "a", text: "one" },
  { session: "b", text: "two" },
];

function heardOf(path: string, nativeId: string | null = null): { heard: Heard[]; damage: string[] } {
  const heard: Heard[] = [];
  const damage: string[] = [];
  toEnd(
    readDatabase(path, FORMAT, nativeId, {
      hear: (one) => heard.push(one),
      damaged: ({ kind }) => damage.push(kind),
    }),
  );
  return { heard, damage };
}

const filesAround = (path: string): unknown =>
  readdirSync(join(path, "..")).map((name) => {
    const file = join(path, "..", name);
    return [name, readFileSync(file).toString("base64"), statSync(file).mtimeMs];
  });

const OWN = `refloat-transcript-${pidNamespace().replaceAll(/\D/g, "")}-${process.pid}-`;

/** The folders of this process's copies that are there now. */
const scratch = (): string[] => readdirSync("/dev/shm").filter((name) => name.startsWith(OWN));
const added = (before: readonly string[]): string[] => scratch().filter((name) => !before.includes(name));

/** Nothing is remembered where there is no store. */
const NOWHERE = { REFLOAT_HOME: "/nonexistent" };

describe("copies of an agent's database", () => {
  it("are not made to look into one whose log is empty, and nothing is made beside it", () => {
    const path = database();
    runScript(path, "PRAGMA wal_checkpoint(TRUNCATE)");
    const before = [scratch(), filesAround(path)];
    expect(sessionsInDatabase(path, FORMAT, NOWHERE).map(({ nativeId }) => nativeId)).toEqual(["b", "a"]);
    expect(
      lookAtHeard(path, FORMAT, { nativeId: "a", what: "count", env: NOWHERE }, (heard) => [...heard].length),
    ).toBe(1);
    expect([scratch(), filesAround(path)]).toEqual(before);
  });

  it("are made once until it changes, and then anew; the old one is gone", () => {
    const path = database();
    const before = scratch();
    sessionsInDatabase(path, FORMAT, NOWHERE);
    const [first, ...others] = added(before);
    expect([heardOf(path, "a").heard.length, others]).toEqual([1, []]);
    expect(added(before)).toEqual([first]);
    const later = database([...TWO, { session: "c", text: "three" }]);
    for (const suffix of ["", "-wal", "-shm"]) copyFileSync(later + suffix, path + suffix);
    expect(sessionsInDatabase(path, FORMAT, NOWHERE)[0]?.nativeId).toBe("c");
    expect(added(before)).toHaveLength(1);
    expect(added(before)).not.toContain(first);
  });

  it("of a process that is proved dead are removed, a live one's and another namespace's are not (K2)", () => {
    const namespace = pidNamespace().replaceAll(/\D/g, "");
    const made = (name: string): string => {
      const folder = join("/dev/shm", `refloat-transcript-${name}-test`);
      mkdirSync(folder);
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
      return folder;
    };
    const dead = made(`${namespace}-4194998-1`);
    const live = made(`${namespace}-${process.pid}-${processStart(process.pid)}`);
    const elsewhere = made("1-4194998-1");
    sessionsInDatabase(database(), FORMAT, NOWHERE);
    expect([dead, live, elsewhere].map((folder) => existsSync(folder))).toEqual([false, true, true]);
  });
});

describe("reading an agent's database", () => {
  it("hears what stands only in its log, and changes no byte, time or name beside it", () => {
    const path = database();
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(0);
    const before = filesAround(path);
    expect(heardOf(path, "a").heard).toEqual([{ kind: "unknown", type: "one" }]);
    expect(sessionsInDatabase(path, FORMAT, NOWHERE).map(({ nativeId }) => nativeId)).toEqual(["b", "a"]);
    expect(recognizeDatabase(path, [ADAPTER])).toBe(ADAPTER);
    expect(filesAround(path)).toEqual(before);
  });

  it("takes the newest session where none is named, and says nothing of one that is not there", () => {
    const path = database();
    expect(heardOf(path).heard).toEqual([{ kind: "unknown", type: "two" }]);
    expect(heardOf(path, "nobody").heard).toEqual([]);
  });

  it("reads up to the last whole transaction of a log with a torn end", () => {
    const path = database();
    const log = `${path}-wal`;
    truncateSync(log, statSync(log).size - 100);
    expect(heardOf(path, "a").heard).toEqual([{ kind: "unknown", type: "one" }]);
    expect(heardOf(path, "b").heard).toEqual([]);
    appendFileSync(log, Buffer.alloc(5000, 7));
    expect(heardOf(path, "a").heard).toEqual([{ kind: "unknown", type: "one" }]);
  });

  it("names a damaged one and takes a file that is none for nobody's", () => {
    const path = join(temporaryFolder(), "agent.db");
    writeFileSync(path, `SQLite format 3\0${"x".repeat(5000)}`);
    expect(heardOf(path)).toEqual({ heard: [], damage: ["torn"] });
    expect(recognizeDatabase(path, [ADAPTER])).toBeNull();
    expect(sessionsInDatabase(path, FORMAT, NOWHERE)).toEqual([]);
  });

  it("counts a schema it does not know as unknown, and never asks a view", () => {
    const path = join(temporaryFolder(), "agent.db");
    makeDatabase(path, { said: { sql: "CREATE TABLE said (session text, words text)", rows: [] } });
    expect(heardOf(path, "a").heard).toEqual([
      { kind: "unknown", type: expect.stringContaining("no such column") },
    ]);
    const view = join(temporaryFolder(), "agent.db");
    makeDatabase(view, {
      said: {
        sql: `CREATE VIEW said AS WITH RECURSIVE n(session) AS (SELECT 1 UNION ALL SELECT session + 1 FROM n)
              SELECT session, 'x' AS text FROM n`,
        rows: [],
      },
    });
    expect(heardOf(view)).toEqual({ heard: [], damage: [] });
    expect(recognizeDatabase(view, [ADAPTER])).toBeNull();
  });

  it("says which file is not there", () => {
    const path = join(temporaryFolder(), "agent.db");
    expect(() => heardOf(path)).toThrow(RefloatError);
    expect(existsSync(path)).toBe(false);
  });
});
