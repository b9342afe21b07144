/** Processes that write to one store as fast as it lets them (saturate.mjs), and what they were told. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { expect, onTestFinished } from "vitest";
import { BUILT, type StoreAddress } from "./run-writer.ts";

export interface Acked {
  readonly seq: number;
  readonly number: number;
  readonly waitedMs: number;
}

export interface Saturating {
  readonly session: string;
  readonly pid: number;
  /** What it acknowledged, in this order. */
  readonly acked: readonly Acked[];
  go(): void;
  /** Ends its input; resolves when it is gone. */
  stop(): Promise<void>;
  /** Resolves when it has acknowledged so many records. */
  reached(count: number): Promise<void>;
}

export async function startSaturating(store: StoreAddress, session: string): Promise<Saturating> {
  const config = JSON.stringify({ built: BUILT, url: store.url, open: store.open, session });
  const child = spawn(process.execPath, [join(import.meta.dirname, "saturate.mjs"), config], {
    stdio: ["pipe", "ignore", "inherit", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const acked: Acked[] = [];
  const ready = watch(child, acked);
  const ended = once(child, "close");
  const isReady = await Promise.race([ready, ended.then(() => false)]);
  expect(isReady, `${session} began`).toBe(true);
  return {
    session,
    pid: pidOf(child),
    acked,
    go: () => void (child.stdin as Writable).write("go\n"),
    stop: async () => {
      (child.stdin as Writable).end();
      await ended;
    },
    reached: async (count) => {
      await expect.poll(() => acked.length, { timeout: 60_000, interval: 20 }).toBeGreaterThanOrEqual(count);
    },
  };
}

/** Never 0: a signal to that goes to ourselves. */
function pidOf(child: ChildProcess): number {
  if (child.pid === undefined) throw new Error("the process did not start");
  return child.pid;
}

function watch(child: ChildProcess, acked: Acked[]): Promise<boolean> {
  return new Promise((resolve) => {
    const lines = createInterface({ input: child.stdio[3] as Readable });
    lines.on("line", (line) => {
      if (line === "ready") resolve(true);
      const [seq, number, waitedMs] = line.split(" ").map(Number);
      if (seq !== undefined && number !== undefined && waitedMs !== undefined)
        acked.push({ seq, number, waitedMs });
    });
  });
}

/** Each one's part of the mean, and the longest wait of any: for people to read. */
export function sharesOf(all: readonly Saturating[]): { shares: number[]; text: string } {
  const mean = all.reduce((sum, one) => sum + one.acked.length, 0) / all.length;
  const shares = all.map((one) => one.acked.length / mean);
  const waits = all.flatMap((one) => one.acked.map(({ waitedMs }) => waitedMs)).toSorted((a, b) => a - b);
  const median = waits[Math.floor(waits.length / 2)] ?? 0;
  const said = shares.map((share) => share.toFixed(2)).join(" ");
  const worst = waits.at(-1) ?? 0;
  return {
    shares,
    text: `  ${all.length} processes, ${waits.length} records; shares of the mean: ${said}; median wait ${median.toFixed(1)} ms, worst ${worst.toFixed(0)} ms`,
  };
}
