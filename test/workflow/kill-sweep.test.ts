/**
 * The kill sweep over the state file (DESIGN 14): a process that steps and decides is killed at every crash point and
 * at random, life after life on the same file. File, .bak and handoff are each whole at once, and agree after the next command.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { STATE_CRASH_POINTS } from "../../src/platform/crash-point.ts";
import { inParallel, report } from "../chaos/sweep.ts";
import { freshSchema } from "../support/postgres.ts";
import { randomFrom } from "../support/random-from.ts";
import { isFull, seed } from "../support/seed.ts";
import { disagreements, tornFiles, wrongAfterNextCommand } from "./check-state.ts";
import { type Line, runStepper, type StateStore } from "./run-stepper.ts";

const KILLS = isFull ? 300 : 40;
const LIVES = 5;
const LEAST_IN_FLIGHT = 0.3;
const LIMIT_MS = 60 * 60_000;

interface Place {
  readonly store: StateStore;
  readonly file: string;
  readonly folder: string;
}

const onSqlite = (folder: string): StateStore => ({ url: join(folder, "home", "refloat.db") });
const STORES: Record<string, (folder: string) => StateStore> = {
  SQLite: onSqlite,
  PostgreSQL: () => freshSchema(),
};

async function inPlace<T>(use: (place: Place) => Promise<T>, storeIn = onSqlite): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "refloat-state-sweep-"));
  try {
    return await use({
      folder,
      store: storeIn(folder),
      file: join(folder, "ws", "00-session-state.json"),
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test.each(Object.entries(STORES))(
  "on %s, killed at each crash point, first and later: the next command finds file, ring and handoff whole and as the store has them, every acknowledged step, decision and token there (T1, K1)",
  async (_name, storeIn) => {
    const hits = await inPlace(async ({ folder, ...place }) => {
      const crashLog = join(folder, "hits");
      const end = await runStepper({ ...place, owner: "a", seed, rounds: 2, mode: "sweep", crashLog });
      expect(end.code, end.errors).toBe(0);
      expect(await wrongAfterNextCommand(place.store, place.file, end.lines)).toEqual([]);
      return readFileSync(crashLog, "utf8").split("\n");
    }, storeIn);
    const points = Object.keys(STATE_CRASH_POINTS);
    const counted = points.map((point) => [point, hits.filter((hit) => hit === point).length] as const);
    report(
      "Crash points of the state file",
      counted.map(([point, count]) => `  ${point.padEnd(24)} ${count}`),
    );
    expect(counted.filter(([, count]) => count === 0)).toEqual([]);
    await inParallel(points, (point) =>
      inPlace(async ({ store, file }) => {
        const lines: Line[] = [];
        for (const [life, at] of [point, `${point}#2`].entries()) {
          const end = await runStepper({
            store,
            file,
            owner: "a",
            seed: life,
            rounds: 2,
            mode: "sweep",
            crashAt: at,
          });
          expect(end.signal, `${at}: ${end.errors}`).toBe("SIGKILL");
          lines.push(...end.lines);
          expect(tornFiles(file), at).toEqual([]);
          expect(await wrongAfterNextCommand(store, file, lines), at).toEqual([]);
        }
      }, storeIn),
    );
  },
  LIMIT_MS,
);

test(
  `${KILLS} kills at random leave whole files that agree after the next command, at least 30 % of them before an acknowledgement (T1, K1)`,
  async () => {
    const inFlight: string[] = [];
    let landed = 0;
    const stories = Array.from({ length: Math.ceil(KILLS / LIVES) }, (_, number) => number);
    await inParallel(stories, (number) =>
      inPlace(async ({ store, file }) => {
        const random = randomFrom(seed + 1000 * number);
        const lines: Line[] = [];
        for (let life = 0; life < LIVES; life++) {
          const kill = { intent: 1 + random(12), delayUs: random(2) === 0 ? 0 : random(8000) };
          const end = await runStepper({
            store,
            file,
            owner: "a",
            seed: life,
            rounds: 1000,
            mode: "sweep",
            kill,
          });
          expect(end.signal, end.errors).toBe("SIGKILL");
          lines.push(...end.lines);
          landed++;
          const last = end.lines.at(-1);
          if (last?.k === "intent") inFlight.push(last.op);
          expect(tornFiles(file), `story ${number}, life ${life}`).toEqual([]);
          // Every second death is left for the next life to find.
          if (life % 2 === 1)
            expect(await wrongAfterNextCommand(store, file, lines), `story ${number}`).toEqual([]);
        }
        expect(await wrongAfterNextCommand(store, file, lines), `story ${number}`).toEqual([]);
      }),
    );
    const ops = [...new Set(inFlight)].map(
      (op) => `  ${op.padEnd(8)} ${inFlight.filter((one) => one === op).length}`,
    );
    report(`${landed} random kills on the state file, ${inFlight.length} in flight`, ops);
    expect(inFlight.length / landed).toBeGreaterThanOrEqual(LEAST_IN_FLIGHT);
  },
  LIMIT_MS,
);

test("a torn file and a companion of another version would be seen: the checks can fail", () =>
  inPlace(async ({ store, file }) => {
    await runStepper({ store, file, owner: "a", seed: 1, rounds: 1, mode: "sweep" });
    const text = readFileSync(file, "utf8");
    writeFileSync(file, text.slice(0, 100));
    expect(tornFiles(file)).toHaveLength(1);
    writeFileSync(file, text.replace(/"updated": "[^"]*"/, '"updated": "2031-01-01T00:00:00Z"'));
    expect(disagreements(file)).not.toEqual([]);
    const made = { op: "decide", key: "never-made" };
    const lost = [
      { ...made, k: "intent" },
      { ...made, k: "ack" },
    ] as const;
    expect(await wrongAfterNextCommand(store, file, lost)).toContain(
      "the decision never-made is there 0 times",
    );
  }));

test("a step that went back, a token of another attempt and a ring that skips a version would be seen", () =>
  inPlace(async ({ store, file }) => {
    const { lines } = await runStepper({ store, file, owner: "a", seed: 0, rounds: 3, mode: "sweep" });
    expect(await wrongAfterNextCommand(store, file, lines)).toEqual([]);
    const undone = { op: "reset", step: "1" };
    const story = [...lines, { ...undone, k: "intent" }, { ...undone, k: "ack", attempt: 99 }] as const;
    const wrong = await wrongAfterNextCommand(store, file, story);
    expect(wrong).toContainEqual(expect.stringContaining("step 1 is"));
    expect(wrong).toContainEqual(expect.stringContaining("forgotten attempt 99"));
    writeFileSync(`${file}.bak`, readFileSync(`${file}.bak.1`));
    expect(await wrongAfterNextCommand(store, file, lines)).toEqual([".bak is wrong"]);
  }));
