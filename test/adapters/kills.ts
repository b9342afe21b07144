/**
 * An agent in its real framework, with a scripted model, killed with SIGKILL at random and started again, life after life. It says
 * what its framework acknowledged, a line of JSON each; its tool's effect on the world is a line of a file. What was said is held
 * against what is read after each death.
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
const STORIES = isFull ? 50 : 2;
const KILLS = isFull ? 4 : 5;
/** A life says some dozens of lines in this time. */
const MAX_LINES = 24;
const MAX_DELAY_MS = 25;
const HERE = import.meta.dirname;
const SWEEP_MS = 3_600_000;
/**
 * Three deaths in a row in the same call, with nothing done between them, suspend a session (L2): many kills fall so by chance. Who
 * goes on all the same says why; where nothing is suspended it has no effect.
 */
const LIFT = "killed on purpose";

/** What a life says: what its framework told it is saved, and what its model was told of a call. */
export interface Said {
  readonly acked?: string;
  readonly told?: { readonly order: number; readonly isUnknown: boolean };
}

export interface KilledAgent {
  readonly framework: string;
  /** Beside this file. */
  readonly script: string;
  /** What was acknowledged, as the framework's own read gives it back now: in the very words it was acknowledged with. */
  read(store: RefloatStore, lift: string, place: FreshStore): Promise<ReadonlySet<string>>;
  /** Where it needs another Node than ours. */
  readonly runtime?: () => Runtime;
  /** After how many lines at most it is killed, where it says more of them than others. */
  readonly maxLines?: number;
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
        const seen = { acked: 0, effects: 0, unknown: 0, lifted: 0 };
        for (let story = 0; story < STORIES; story++) {
          const { said, effects, unknown, lifted } = await tell(agent, make(), runtime, random);
          seen.acked += said.filter(({ acked }) => acked).length;
          seen.effects += effects.length;
          seen.unknown += unknown;
          seen.lifted += lifted;
        }
        report(`${framework} on ${name}: ${STORIES * KILLS} kills`, [
          `${seen.acked} acknowledgements held after every kill`,
          `${seen.effects} effects, none twice; of ${seen.unknown} the model was told that they may have happened`,
          `suspended after three deaths in one call, and lifted: ${seen.lifted}`,
          `${Math.round((systemClock.monotonicMs() - begun) / 1000)} s`,
        ]);
      },
    );
  });
}

/** Lives that are killed, and one that is left alone and comes to the end: it can always go on. */
async function tell(
  agent: KilledAgent,
  place: FreshStore,
  runtime: Runtime | undefined,
  random: (below: number) => number,
) {
  const ledger = join(temporaryFolder(), "ledger");
  const said: Said[] = [];
  let lifted = 0;
  for (let life = 0; life <= KILLS; life++) {
    const kill =
      life < KILLS ? { after: random(agent.maxLines ?? MAX_LINES), delayMs: random(MAX_DELAY_MS) } : null;
    said.push(...(await live(agent.script, runtime, place, ledger, kill)));
    lifted = await holds(place, agent.read, said);
  }
  const effects = effectsIn(ledger);
  expect(effects.length).toBeGreaterThan(0);
  expect(effects.length).toBe(new Set(effects).size);
  // Of each effect the model was told; of none that is not there without saying so.
  const told = new Map(said.flatMap(({ told }) => (told ? [[told.order, told.isUnknown] as const] : [])));
  expect(effects.filter((order) => !told.has(order))).toEqual([]);
  expect([...told].filter(([order, isUnknown]) => !isUnknown && !effects.includes(order))).toEqual([]);
  return { said, effects, unknown: [...told.values()].filter((isUnknown) => isUnknown).length, lifted };
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
): Promise<Said[]> {
  const child = spawn(runtime?.node ?? process.execPath, [...(runtime?.args ?? []), join(HERE, script)], {
    env: {
      ...process.env,
      ...runtime?.env,
      STORE: url,
      SCHEMA: open.schema ?? "",
      LEDGER: ledger,
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
    said.push(JSON.parse(line) as Said);
    if (left-- === 0) void sleep(kill?.delayMs).then(() => child.kill("SIGKILL"));
  }
  const [code, signal] = await closed;
  if (signal !== "SIGKILL" && code !== 0)
    throw new Error(`${script} ended with ${code ?? signal}: ${errors}`);
  return said;
}

const effectsIn = (ledger: string): number[] =>
  existsSync(ledger) ? readFileSync(ledger, "utf8").trim().split("\n").map(Number) : [];
