/**
 * The sweep's bookkeeping: how many kills, with which seed, and stories: one store through several lives of
 * a writer, each killed, with the checker in between.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CRASH_POINTS } from "../../src/platform/crash-point.ts";
import { isFull, seed } from "../support/seed.ts";
import { checkAfterKill, type Thoroughness } from "./check.ts";
import { newWorld, type World } from "./check-records.ts";
import { type Kill, runWriter, type StoreAddress, type WriterEnd, type WriterOrders } from "./run-writer.ts";

const WORKERS = 3;

/** One store and what its writers said so far. */
export class Story {
  readonly store: StoreAddress;
  readonly world: World;
  readonly #seed: number;

  constructor(store: StoreAddress, storySeed: number) {
    this.store = store;
    this.world = newWorld("main");
    this.#seed = storySeed;
  }

  /** One life of a writer, with its end. What it said is remembered for every later check. */
  async live(kill: Kill, more: Partial<WriterOrders> = {}): Promise<WriterEnd> {
    const number = this.world.lives.length;
    const { session } = this.world;
    const orders = { store: this.store, seed: this.#seed + number, life: number, session, kill, ...more };
    const end = await runWriter(orders);
    this.world.lives.push({ number, lines: end.lines });
    return end;
  }

  /** A story with a folder of its own, removed after it. */
  static async told<T>(
    address: (folder: string) => StoreAddress,
    storySeed: number,
    tell: (story: Story) => Promise<T>,
  ): Promise<T> {
    const folder = mkdtempSync(join(tmpdir(), "refloat-sweep-"));
    try {
      return await tell(new Story(address(folder), storySeed));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  check(how: Thoroughness): Promise<string[]> {
    return checkAfterKill(this.store, this.world, how);
  }
}

/** A kill from outside at a random moment: mostly at once after something was begun, sometimes a little later. */
export function randomKill(random: (below: number) => number): Kill {
  return { kind: "random", intent: 1 + random(80), delayUs: random(2) === 0 ? 0 : random(3000) };
}

/** How often each crash point is passed in one whole life. */
export function hitsIn(log: string): Map<string, number> {
  const hits = new Map<string, number>(Object.keys(CRASH_POINTS).map((point) => [point, 0]));
  for (const point of readFileSync(log, "utf8").trim().split("\n"))
    hits.set(point, (hits.get(point) ?? 0) + 1);
  return hits;
}

/** Says what cannot be seen from a failed assertion alone: how to run this very sweep again. */
export function report(title: string, lines: readonly string[]): void {
  const text = [
    `${title} (seed ${seed}, ${isFull ? "full" : "sample"}: REFLOAT_SEED=${seed} repeats it)`,
    ...lines,
  ];
  process.stdout.write(`${text.join("\n")}\n`);
}

/** A few at a time: each waits for syncs and for a child most of its life. */
export async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const waiting = items.values();
  const worker = async (): Promise<void> => {
    for (const item of waiting) await work(item);
  };
  await Promise.all(Array.from({ length: WORKERS }, worker));
}

export const describeEnd = ({ signal, status, errors, landing }: WriterEnd): string =>
  `ended by ${signal ?? `status ${status}`} at ${landing.op} ${landing.where}${errors ? `: ${errors}` : ""}`;

export const sqliteStore =
  (thread: boolean) =>
  (folder: string): StoreAddress => ({ url: join(folder, "refloat.db"), folder, open: { thread } });
