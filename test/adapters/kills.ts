/**
 * An agent in its real framework, with a scripted model, killed with SIGKILL at random and started again, life after life. It says
 * what it begins, what has ended and what its framework acknowledged, a line of JSON each; its tool's effect on the world is a line of a
 * file. What was said is held against what is read after each death. A life that came to its end before its kill is none that was killed.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { openStore, type RefloatStore } from "../../src/app/store/open-store.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { report } from "../chaos/sweep.ts";
import { type FreshStore, STORES } from "../support/both-stores.ts";
import { randomFrom } from "../support/random-from.ts";
import { isFull, seed } from "../support/seed.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** 200 kills of each framework on each store; by default 20, 10 on each: a framework takes a second to load. */
const KILLS = isFull ? 200 : 10;
/** Of one story, so that a later life has much to go on with, and another story a new store. */
const KILLS_OF_STORY = isFull ? 4 : 5;
/** Stories that end before their kills do so by chance; more of them than this, and it kills nothing. */
const MAX_STORIES = KILLS;
/** Kills in the pauses prove little. Of the few of a sample a part may fall there. */
const LEAST_IN_FLIGHT = isFull ? 0.3 : 0.2;
/** A life begins some dozens of charges and saves; it is killed in, or soon after, one of the first. */
const MAX_BEGUN = 16;
const MAX_DELAY_MS = 25;
/** What one whole story charges. */
const ORDERS = 12;
const HERE = import.meta.dirname;
const SWEEP_MS = 3_600_000;
/**
 * Three deaths in a row in the same call, with nothing done between them, suspend a session (L2): many kills fall so by chance. Who
 * goes on all the same says why; where nothing is suspended it has no effect.
 */
const LIFT = "killed on purpose";

/** What a life says: what it begins and has ended, what its framework told it is saved, and what its model was told of a call. */
export interface Said {
  readonly begun?: Work;
  readonly ended?: Work;
  readonly acked?: string;
  readonly told?: { readonly order: number; readonly isUnknown: boolean };
}

/** A tool that changes the world, a write that the framework waits for, and what it goes on with: the first of a life recovers. */
const WORK = ["charge", "save", "read"] as const;
type Work = (typeof WORK)[number];

export interface KilledAgent {
  readonly framework: string;
  /** Beside this file. */
  readonly script: string;
  /** What was acknowledged, as the framework's own read gives it back now: in the very words it was acknowledged with. */
  read(store: RefloatStore, lift: string, place: FreshStore): Promise<ReadonlySet<string>>;
  /** Where it needs another Node than ours. */
  readonly runtime?: () => Runtime;
  /** After how many things begun at most it is killed, where it begins more of them than others. */
  readonly maxBegun?: number;
}

export interface Runtime {
  readonly node: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export function describeKills(agent: KilledAgent): void {
  const { framework } = agent;
  describe(`an agent in ${framework}, killed at random`, () => {
    it.for(STORES)(
      "loses nothing acknowledged (D1), repeats no effect, and says where one may have happened (C4), on %s",
      { timeout: SWEEP_MS },
      async ([name, make]) => {
        const runtime = agent.runtime?.();
        const random = randomFrom(seed);
        const begun = systemClock.monotonicMs();
        const seen = { stories: 0, acked: 0, effects: 0, unknown: 0, lifted: 0 };
        const deaths: Death[] = [];
        while (deaths.length < KILLS) {
          expect(++seen.stories).toBeLessThanOrEqual(MAX_STORIES);
          const kills = Math.min(KILLS_OF_STORY, KILLS - deaths.length);
          const told = await tell(agent, make(), runtime, random, kills);
          deaths.push(...told.deaths);
          seen.acked += told.said.filter(({ acked }) => acked).length;
          seen.effects += told.effects.length;
          seen.unknown += told.unknown;
          seen.lifted += told.lifted;
        }
        const during = (work: Work): number => deaths.filter((open) => open.has(work)).length;
        const inFlight = deaths.filter((open) => open.size > 0).length;
        report(`${framework} on ${name}: ${deaths.length} kills`, [
          `in flight ${inFlight}: ${WORK.map((work) => `within a ${work} ${during(work)}`).join(", ")}`,
          `${seen.acked} acknowledgements held after every kill, ${seen.stories} stories`,
          `${seen.effects} effects, none twice; of ${seen.unknown} the model was told that they may have happened`,
          `suspended after three deaths in one call, and lifted: ${seen.lifted}`,
          `${Math.round((systemClock.monotonicMs() - begun) / 1000)} s`,
        ]);
        expect(inFlight / deaths.length).toBeGreaterThanOrEqual(LEAST_IN_FLIGHT);
      },
    );
  });
}

/** Of a life that SIGKILL ended: what it had begun and not ended. */
type Death = ReadonlySet<Work>;

/** Lives that are killed, and one that comes to the end: it can always go on. */
async function tell(
  agent: KilledAgent,
  place: FreshStore,
  runtime: Runtime | undefined,
  random: (below: number) => number,
  kills: number,
) {
  const ledger = join(temporaryFolder(), "ledger");
  const said: Said[] = [];
  const deaths: Death[] = [];
  let lifted = 0;
  for (let isOver = false; !isOver; ) {
    const kill =
      deaths.length < kills
        ? { after: random(agent.maxBegun ?? MAX_BEGUN), delayMs: random(2) * random(MAX_DELAY_MS) }
        : null;
    const life = await live(agent.script, runtime, place, ledger, kill);
    said.push(...life.said);
    isOver = !life.isKilled;
    if (life.isKilled) deaths.push(openAtTheEnd(life.said));
    lifted = await holds(place, agent.read, said);
  }
  const effects = effectsIn(ledger);
  expect(effects.length).toBeGreaterThan(0);
  expect(effects.length).toBe(new Set(effects).size);
  // Of each effect the model was told; of none that is not there without saying so.
  const told = new Map(said.flatMap(({ told }) => (told ? [[told.order, told.isUnknown] as const] : [])));
  expect(effects.filter((order) => !told.has(order))).toEqual([]);
  expect([...told].filter(([order, isUnknown]) => !isUnknown && !effects.includes(order))).toEqual([]);
  expect(told.size, "it came to the end of its work").toBe(ORDERS);
  const unknown = [...told.values()].filter((isUnknown) => isUnknown).length;
  return { said, deaths, effects, unknown, lifted };
}

function openAtTheEnd(said: readonly Said[]): Death {
  const open = { charge: 0, save: 0, read: 0 };
  for (const { begun, ended } of said) {
    if (begun) open[begun]++;
    if (ended) open[ended]--;
  }
  return new Set(WORK.filter((work) => open[work] > 0));
}

/** How often a suspended session was lifted so far. */
async function holds(place: FreshStore, read: KilledAgent["read"], said: readonly Said[]): Promise<number> {
  const store = await openStore(place.url, { thread: false, ...place.open });
  try {
    const there = await read(store, LIFT, place);
    expect(said.flatMap(({ acked }) => (acked && !there.has(acked) ? [acked] : []))).toEqual([]);
    let lifted = 0;
    for (const { id } of await store.sessions())
      for await (const _ of store.records(id, { kinds: ["session.lifted"] })) lifted++;
    return lifted;
  } finally {
    await store.close();
  }
}

/** One life, to its end or its kill. A line that was cut off was not said. */
async function live(
  script: string,
  runtime: Runtime | undefined,
  { url, open }: FreshStore,
  ledger: string,
  kill: { readonly after: number; readonly delayMs: number } | null,
): Promise<{ readonly said: Said[]; readonly isKilled: boolean }> {
  const child = spawn(runtime?.node ?? process.execPath, [...(runtime?.args ?? []), join(HERE, script)], {
    env: {
      ...process.env,
      ...runtime?.env,
      STORE: url,
      SCHEMA: open.schema ?? "",
      LEDGER: ledger,
      ORDERS: String(ORDERS),
      LIFT,
      NODE_ENV: "production",
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const closed = once(child, "close");
  let errors = "";
  child.stderr.on("data", (bytes) => {
    errors += String(bytes);
  });
  const said: Said[] = [];
  let left = kill?.after ?? Number.POSITIVE_INFINITY;
  for await (const line of createInterface({ input: child.stdout })) {
    const now = JSON.parse(line) as Said;
    said.push(now);
    if (now.begun && left-- === 0) void sleep(kill?.delayMs).then(() => child.kill("SIGKILL"));
  }
  const [code, signal] = await closed;
  if (signal !== "SIGKILL" && code !== 0)
    throw new Error(`${script} ended with ${code ?? signal}: ${errors}`);
  return { said, isKilled: signal === "SIGKILL" };
}

const effectsIn = (ledger: string): number[] =>
  existsSync(ledger) ? readFileSync(ledger, "utf8").trim().split("\n").map(Number) : [];
