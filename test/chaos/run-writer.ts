/** Starts a writer (writer.mjs), reads its ledger, and kills it as ordered: at a crash point, or from outside. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Readable } from "node:stream";
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
  /** Calls this after that intent instead of killing the writer: the server is killed. */
  | { readonly kind: "other"; readonly intent: number; readonly act: () => Promise<void> };

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
  readonly landing: Landing;
  readonly errors: string;
}

/** An endless life for kills from outside: they choose when it ends. */
const UNTIL_KILLED = 100_000;
const DEFAULT_OPERATIONS = 40;

export async function runWriter(orders: WriterOrders): Promise<WriterEnd> {
  const { kill, store } = orders;
  const isEndless = kill.kind === "random" || kill.kind === "other";
  const config = {
    built: BUILT,
    url: store.url,
    open: store.open,
    folder: store.folder,
    seed: orders.seed,
    life: orders.life,
    session: orders.session,
    operations: isEndless ? UNTIL_KILLED : (orders.operations ?? DEFAULT_OPERATIONS),
    break: orders.break ?? null,
  };
  const child = spawn(process.execPath, [join(import.meta.dirname, "writer.mjs"), JSON.stringify(config)], {
    stdio: ["ignore", "ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      REFLOAT_CRASH_AT: kill.kind === "point" ? kill.at : "",
      REFLOAT_CRASH_LOG: orders.crashLog ?? "",
    },
  });
  const ended = once(child, "close") as Promise<[number | null, NodeJS.Signals | null]>;
  const errors = collect(child.stderr as Readable, () => undefined);
  let done: Promise<void> | null = null;
  const ledger = collect(child.stdio[3] as Readable, (text) => {
    if (done === null && isEndless && intentsIn(text) >= kill.intent) done = strike(child, kill);
  });
  const [status, signal] = await ended;
  await done;
  const lines = parseLedger(ledger());
  return { lines, signal, status, landing: landingOf(lines), errors: errors() };
}

async function strike(child: ChildProcess, kill: Extract<Kill, { kind: "random" | "other" }>): Promise<void> {
  if (kill.kind === "other") return kill.act();
  // Waiting by spinning: a timer is a thousand times coarser than a commit.
  const untilNs = process.hrtime.bigint() + BigInt(kill.delayUs) * 1000n;
  while (process.hrtime.bigint() < untilNs);
  child.kill("SIGKILL");
}

function collect(stream: Readable, onText: (all: string) => void): () => string {
  let text = "";
  stream.setEncoding("utf8");
  stream.on("data", (more: string) => {
    text += more;
    onText(text);
  });
  return () => text;
}

const intentsIn = (text: string): number => text.split('{"k":"intent"').length - 1;
