/** Starts a writer (writer.mjs), reads its ledger, and kills it as ordered: at a crash point, or from outside. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { type Landing, type Line, landingOf, parseLedger } from "./ledger.ts";

/** What the sweep runs: the built package. REFLOAT_BUILT points at another build of it. */
export const BUILT = process.env.REFLOAT_BUILT ?? join(import.meta.dirname, "../../dist");

export interface StoreAddress {
  readonly url: string;
  /** Where backups go. */
  readonly folder: string;
  readonly open: { readonly thread?: boolean; readonly schema?: string };
}

export type Kill =
  | { readonly kind: "none" }
  /** `name` or `name#hit`, as REFLOAT_CRASH_AT takes it. */
  | { readonly kind: "point"; readonly at: string }
  /** SIGKILL so many microseconds after the intent with this number was read. */
  | { readonly kind: "random"; readonly intent: number; readonly delayUs: number }
  /** The server first, at that intent, and started again; then the writer, so many intents later. */
  | {
      readonly kind: "server";
      readonly intent: number;
      readonly server: { kill(): Promise<void>; start(): Promise<void> };
      readonly intentsAfter: number;
    };

export interface WriterOrders {
  readonly store: StoreAddress;
  readonly seed: number;
  readonly life: number;
  readonly session: string;
  readonly kill: Kill;
  /** Fewer than it takes to do everything once are never done. */
  readonly operations?: number;
  /** Breaks a law on purpose, for the sweep's own test. */
  readonly break?: "early-ack" | "two-step-take";
  readonly crashLog?: string;
}

export interface WriterEnd {
  readonly lines: readonly Line[];
  readonly signal: NodeJS.Signals | null;
  readonly status: number | null;
  /** Where the kill landed: the server's, if that was killed. */
  readonly landing: Landing;
  readonly errors: string;
}

/** An endless life for kills from outside: they choose when it ends. */
const UNTIL_KILLED = 100_000;
const DEFAULT_OPERATIONS = 40;
/** More than a line takes from the writer to us, however busy the machine. */
const DRAIN_MS = 50;

export async function runWriter(orders: WriterOrders): Promise<WriterEnd> {
  const { kill } = orders;
  const child = spawn(process.execPath, [join(import.meta.dirname, "writer.mjs"), configOf(orders)], {
    stdio: ["ignore", "ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      REFLOAT_CRASH_AT: kill.kind === "point" ? kill.at : "",
      REFLOAT_CRASH_LOG: orders.crashLog ?? "",
    },
  });
  const ended = once(child, "close") as Promise<[number | null, NodeJS.Signals | null]>;
  const errors = new Said(child.stderr as Readable);
  const ledger = new Said(child.stdio[3] as Readable);
  const struck = isFromOutside(kill) ? strike(child, kill, ledger, ended) : Promise.resolve(null);
  const [status, signal] = await ended;
  const landing = await struck;
  const lines = parseLedger(ledger.text);
  return { lines, signal, status, landing: landing ?? landingOf(lines), errors: errors.text };
}

type FromOutside = Extract<Kill, { kind: "random" | "server" }>;
const isFromOutside = (kill: Kill): kill is FromOutside => kill.kind === "random" || kill.kind === "server";

function configOf({ store, kill, operations = DEFAULT_OPERATIONS, ...orders }: WriterOrders): string {
  const { url, open, folder } = store;
  return JSON.stringify({
    built: BUILT,
    url,
    open,
    folder,
    seed: orders.seed,
    life: orders.life,
    session: orders.session,
    operations: isFromOutside(kill) ? UNTIL_KILLED : operations,
    break: orders.break ?? null,
  });
}

/** Where the server's kill landed; null for the writer's own, which the whole ledger tells. */
async function strike(
  child: ChildProcess,
  kill: FromOutside,
  ledger: Said,
  ended: Promise<unknown>,
): Promise<Landing | null> {
  await Promise.race([ledger.intents(kill.intent), ended]);
  if (kill.kind === "random") {
    // Waiting by spinning: a timer is a thousand times coarser than a commit.
    const untilNs = process.hrtime.bigint() + BigInt(kill.delayUs) * 1000n;
    while (process.hrtime.bigint() < untilNs);
    child.kill("SIGKILL");
    return null;
  }
  await kill.server.kill();
  await sleep(DRAIN_MS); // what was acknowledged before is in the pipe
  const landing = landingOf(parseLedger(ledger.text));
  await kill.server.start();
  await Promise.race([ledger.intents(ledger.intentCount + kill.intentsAfter), ended]);
  child.kill("SIGKILL");
  return landing;
}

/** All text of a stream so far, and a way to wait for it to hold so many intents. */
class Said {
  text = "";
  #waiting: { readonly count: number; readonly resolve: () => void } | null = null;

  constructor(stream: Readable) {
    stream.setEncoding("utf8");
    stream.on("data", (more: string) => {
      this.text += more;
      if (this.#waiting && this.intentCount >= this.#waiting.count) this.#waiting.resolve();
    });
  }

  get intentCount(): number {
    return this.text.split('{"k":"intent"').length - 1;
  }

  intents(count: number): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting = { count, resolve };
      if (this.intentCount >= count) resolve();
    });
  }
}
