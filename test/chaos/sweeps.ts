/** The sweeps themselves, the same for every store: at a crash point, twice on one store; at random, life after life. */
import { join } from "node:path";
import { expect } from "vitest";
import { randomFrom } from "../support/random-from.ts";
import { seed } from "../support/seed.ts";
import { histogramOf, type Landing, shareInFlight } from "./ledger.ts";
import type { Kill, StoreAddress } from "./run-writer.ts";
import { describeEnd, hitsIn, inParallel, randomKill, report, Story } from "./sweep.ts";

type Address = (folder: string) => StoreAddress;

/** Lives on one store: enough for recoveries of recoveries, few enough that the last ones stay quick. */
const LIVES = 5;
/** DESIGN 14: a sweep whose kills fall between the operations proves little. */
const LEAST_IN_FLIGHT = 0.3;

/** One whole life that nobody ends: how often it passes each crash point. */
export function countHits(address: Address): Promise<Map<string, number>> {
  return Story.told(address, seed, async (story) => {
    const crashLog = join(story.store.folder, "hits");
    const end = await story.live({ kind: "none" }, { crashLog });
    expect(end.status, describeEnd(end)).toBe(0);
    expect(await story.check("take over")).toEqual([]);
    return hitsIn(crashLog);
  });
}

/** At its first hit on a new store; then, recovering from that, at a later one. True if that came. */
function killAtPoint(address: Address, point: string, hits: number, random: number): Promise<boolean> {
  return Story.told(address, seed, async (story) => {
    const first = await story.live({ kind: "point", at: point });
    expect(first.signal, `${point}: ${describeEnd(first)}`).toBe("SIGKILL");
    expect(await story.check("look"), point).toEqual([]);
    // A second life passes a point about as often, a little less when timers fall otherwise: it may live on.
    const later = 2 + (random % Math.max(1, Math.floor(hits * 0.8) - 1));
    const second = await story.live({ kind: "point", at: `${point}#${later}` });
    expect(second.signal ?? second.status, describeEnd(second)).toSatisfy(
      (end) => end === "SIGKILL" || end === 0,
    );
    expect(await story.check("take over"), `${point}#${later}, ${describeEnd(second)}`).toEqual([]);
    return second.signal === "SIGKILL";
  });
}

/** Every point of `hits`, a few at a time. Most later hits must come, or the second lives prove little. */
export async function killAtPoints(
  store: string,
  address: Address,
  hits: ReadonlyMap<string, number>,
): Promise<void> {
  const random = randomFrom(seed);
  const points = [...hits].map(([point, count]) => ({ point, count, random: random(2 ** 30) }));
  let again = 0;
  await inParallel(points, async ({ point, count, random }) => {
    if (await killAtPoint(address, point, count, random)) again++;
  });
  report(`Crash points, ${store}`, [
    ...[...hits].map(([point, count]) => `  ${point.padEnd(24)} ${count}`),
    `  killed at ${points.length} first hits and ${again} later ones`,
  ]);
  expect(again).toBeGreaterThan(points.length / 2);
}

/** Recovery is itself killed, again and again, before somebody gets through: still settled once, by one attempt each. */
export function killInRecovery(address: Address, points: readonly string[]): Promise<void> {
  return Story.told(address, seed, async (story) => {
    const first = await story.live({ kind: "point", at: "call.after-started" });
    expect(first.signal, describeEnd(first)).toBe("SIGKILL");
    for (const at of points) {
      const end = await story.live({ kind: "point", at });
      expect([end.signal, end.landing], `${at}: ${describeEnd(end)}`).toEqual([
        "SIGKILL",
        { op: "begin", where: "before its ack" },
      ]);
      expect(await story.check("look"), at).toEqual([]);
    }
    expect(await story.check("take over")).toEqual([]);
  });
}

export async function killAtRandom(
  store: string,
  kills: number,
  addressOf: (story: number) => Address,
): Promise<void> {
  const landings: Landing[] = [];
  const stories = Array.from({ length: Math.ceil(kills / LIVES) }, (_, number) => number);
  await inParallel(stories, async (number) => {
    const random = randomFrom(seed + 1000 * number);
    await Story.told(addressOf(number), seed + 100 * number, async (story) => {
      for (let life = 0; life < LIVES; life++) {
        const end = await story.live(randomKill(random));
        expect(end.signal, describeEnd(end)).toBe("SIGKILL");
        landings.push(end.landing);
        // Every second death is left for the next writer to find; the checker takes over after the others.
        const found = await story.check(life % 2 === 0 ? "look" : "take over");
        expect(found, `story ${number}, life ${life}: ${describeEnd(end)}`).toEqual([]);
      }
    });
  });
  report(`${landings.length} random kills on ${store}`, [histogramOf(landings)]);
  expect(shareInFlight(landings)).toBeGreaterThanOrEqual(LEAST_IN_FLIGHT);
}

/** The server under a working writer, life after life; the writer is killed a little later. */
export async function killServerAtRandom(
  kills: number,
  address: Address,
  server: Extract<Kill, { kind: "server" }>["server"],
): Promise<void> {
  const random = randomFrom(seed + 2);
  const landings: Landing[] = [];
  // One after the other: there is one server.
  while (landings.length < kills) {
    await Story.told(address, seed + landings.length, async (story) => {
      for (let life = 0; life < LIVES && landings.length < kills; life++) {
        const intents = { intent: 3 + random(70), intentsAfter: 1 + random(10) };
        const end = await story.live({ kind: "server", server, ...intents });
        expect(end.signal, describeEnd(end)).toBe("SIGKILL");
        landings.push(end.landing);
        const found = await story.check(life % 2 === 0 ? "look" : "take over");
        expect(found, `server kill ${landings.length}: ${describeEnd(end)}`).toEqual([]);
      }
    });
  }
  report(`${kills} kills of the PostgreSQL server`, [histogramOf(landings)]);
  expect(shareInFlight(landings)).toBeGreaterThanOrEqual(LEAST_IN_FLIGHT);
}
