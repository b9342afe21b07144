/**
 * The own test of the sweep over killed runs (DESIGN 14): each law it guards is broken on purpose in what a real killed
 * run left, and its judge must say so. A sweep that cannot fail proves nothing.
 */
import { appendFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { newRecord } from "../../src/session/new-record.ts";
import { openDatabase } from "../../src/store/sqlite/load.ts";
import { inParallel } from "../chaos/sweep.ts";
import { until } from "../recover/supervised.ts";
import { type Break, foldersIn, type KillPlan, killedRun, type Remains } from "./killed-run.ts";
import { isAlive } from "./run-scene.ts";

const BEFORE_MS = 10 * 60_000;
/** In its tool, with a call on record and lines printed. */
const IN_TOOL = { after: "tool", delayMs: 200, isCleared: false } as const;

interface Case extends Break {
  readonly what: string;
  readonly victim: KillPlan["victim"];
  /** Null: nothing is broken. */
  readonly says: RegExp | null;
}

const CASES: readonly Case[] = [
  { what: "what both left, with nothing broken,", victim: "both", says: null },
  { what: "what a supervisor left, with nothing broken,", victim: "supervisor", says: null },
  {
    what: "a leftover nobody stops (S2)",
    victim: "both",
    isStopping: false,
    says: /^its tool still runs$/,
  },
  {
    what: "a recovery that kills what is not its own (S2)",
    victim: "both",
    remains: async ({ bystander }) => {
      process.kill(bystander, "SIGKILL");
      await until(() => !isAlive(bystander), "the bystander is gone");
    },
    says: /^somebody else's process was killed$/,
  },
  {
    what: "a session that is called dead while its agent lives (K2)",
    victim: "supervisor",
    survey: { liveness: () => ({ kind: "dead", because: "no-such-process" }) },
    says: /^its agent lives, and it is called interrupted$/,
  },
  {
    what: "a session that is called live when everybody is dead (K2)",
    victim: "both",
    survey: { liveness: () => ({ kind: "alive" }) },
    says: /^live, but its agent is dead$/,
  },
  {
    what: "a wrong cause",
    victim: "both",
    recovery: { oomRecord: () => "Out of memory: Killed process" },
    says: /^it is interrupted oom, not interrupted unknown$/,
  },
  {
    what: "a start that recovers nothing (C4)",
    victim: "both",
    recovery: null,
    says: /^1 calls, 0 results$/,
  },
  { what: "a turn left open (L1)", victim: "both", recovery: null, says: /^left open: / },
  {
    what: "an acknowledged call that is gone (C2)",
    victim: "both",
    remains: ({ home }) => forgetCalls(home),
    says: /^an acknowledged call is gone$/,
  },
  {
    what: "a call said to be done whose tool is not (C4)",
    victim: "both",
    remains: endCall,
    says: /^a call is done whose tool is not$/,
  },
  {
    what: "a tool that goes on writing (S2)",
    victim: "both",
    remains: ({ root }) => appendFileSync(join(root, "half.txt"), "end\n"),
    says: /^the tool went on writing$/,
  },
  {
    what: "lost output",
    victim: "both",
    remains: ({ home }) => eachTail(home, (path) => rmSync(path, { force: true })),
    says: /^the last line that passed is line \d+, the last one kept undefined$/,
  },
  {
    what: "output of which a line is missing",
    victim: "both",
    remains: ({ home }) => {
      eachTail(home, (path) => rmSync(path, { force: true }));
      const [folder = ""] = foldersIn(home);
      writeFileSync(join(folder, "tail.a"), "refloat tail 1 1\nline 1\nline 99999\n");
    },
    says: /^kept are not whole lines in order: line 1 \| line 99999$/,
  },
  {
    what: "a run folder that nobody removes (T5)",
    victim: "both",
    recovery: { home: join(tmpdir(), "refloat-no-such-home") },
    says: /^its run folder is left behind$/,
  },
];

const found = new Map<Case, readonly string[]>();

beforeAll(async () => {
  await inParallel(CASES, async (one) => {
    const { problems } = await killedRun({ ...IN_TOOL, victim: one.victim }, one);
    found.set(one, problems);
  });
}, BEFORE_MS);

test.each(CASES)("$what is judged as it is", (one) => {
  const problems = found.get(one);
  if (one.says === null) expect(problems).toEqual([]);
  else expect(problems).toContainEqual(expect.stringMatching(one.says));
});

function forgetCalls(home: string): void {
  const db = openDatabase(join(home, "refloat.db"));
  db.exec("DELETE FROM records WHERE kind = 'call.started'; DELETE FROM open WHERE what = 'call'");
  db.close();
}

async function endCall({ store, session }: Remains): Promise<void> {
  const body = { call: "slow", status: "done", output: "ok", synthetic: false } as const;
  await store.raw.append(session, { attempt: 1 }, [newRecord(store.raw.clock, "call.ended", body)]);
}

function eachTail(home: string, change: (path: string) => void): void {
  for (const folder of foldersIn(home)) for (const name of ["tail.a", "tail.b"]) change(join(folder, name));
}
