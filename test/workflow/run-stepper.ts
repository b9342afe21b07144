/** Starts steppers, kills them as ordered, and looks at what they left. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { systemClock } from "../../src/platform/clock.ts";
import { openRawStore } from "../../src/store/open-raw-store.ts";
import { changeState } from "../../src/workflow/change-state.ts";
import { decisionsIn } from "../../src/workflow/decision-log.ts";
import { readHandoff } from "../../src/workflow/read-handoff.ts";
import { own, timeOf } from "../../src/workflow/state-doc.ts";
import { BACKUP_SUFFIXES, handoffOf } from "../../src/workflow/state-paths.ts";
import { validateFiles } from "../../src/workflow/validate-files.ts";

const BUILT = join(import.meta.dirname, "../../dist");

export interface Line {
  readonly k: "intent" | "ack" | "refused";
  readonly op: string;
  readonly step?: string;
  readonly key?: string;
  readonly attempt?: number | null;
  readonly token?: string | null;
  readonly code?: string;
}

export interface StepperOrders {
  readonly store: string;
  readonly file: string;
  readonly owner: string;
  readonly seed: number;
  readonly rounds: number;
  readonly mode: "sweep" | "share";
  readonly crashAt?: string;
  readonly crashLog?: string;
  /** SIGKILL so many microseconds after this intent was read. */
  readonly kill?: { readonly intent: number; readonly delayUs: number };
}

export interface StepperEnd {
  readonly lines: readonly Line[];
  readonly signal: NodeJS.Signals | null;
  readonly code: number | null;
  readonly errors: string;
}

export async function runStepper({ crashAt, crashLog, kill, ...orders }: StepperOrders): Promise<StepperEnd> {
  const config = JSON.stringify({ built: BUILT, ...orders });
  const child = spawn(process.execPath, [join(import.meta.dirname, "stepper.mjs"), config], {
    stdio: ["ignore", "ignore", "pipe", "pipe"],
    env: { ...process.env, REFLOAT_CRASH_AT: crashAt ?? "", REFLOAT_CRASH_LOG: crashLog ?? "" },
  });
  let text = "";
  let errors = "";
  child.stderr?.on("data", (piece) => {
    errors += String(piece);
  });
  (child.stdio[3] as Readable).setEncoding("utf8").on("data", (piece: string) => {
    text += piece;
    if (kill && text.split('{"k":"intent"').length - 1 >= kill.intent) {
      const untilNs = process.hrtime.bigint() + BigInt(kill.delayUs) * 1000n;
      while (process.hrtime.bigint() < untilNs);
      child.kill("SIGKILL");
    }
  });
  const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
  const lines = text
    .split("\n")
    .filter((line) => line.endsWith("}"))
    .map((line) => JSON.parse(line) as Line);
  return { lines, signal, code, errors };
}

/** What is wrong right after a kill, before anything was run: every file must be whole. */
export function tornFiles(file: string): string[] {
  return [file, ...BACKUP_SUFFIXES.map((suffix) => file + suffix)]
    .filter((path) => existsSync(path))
    .flatMap((path) => {
      try {
        JSON.parse(readFileSync(path, "utf8"));
        return [];
      } catch (_torn) {
        return [`${path} is torn`];
      }
    });
}

/** What is wrong once the next command has run: state and companion agree, nothing acknowledged is gone. */
export async function wrongAfterNextCommand(
  store: string,
  file: string,
  lines: readonly Line[],
): Promise<string[]> {
  const raw = await openRawStore(store, { thread: false });
  try {
    await changeState(raw, file, async () => ({ doc: null, what: "look", result: null }));
  } finally {
    await raw.close();
  }
  if (!existsSync(file)) return lines.some(({ k }) => k === "ack") ? ["the file is gone"] : [];
  return [...tornFiles(file), ...disagreements(file), ...lostOf(file, lines)];
}

export function disagreements(file: string): string[] {
  const doc: unknown = JSON.parse(readFileSync(file, "utf8"));
  const handoff = existsSync(handoffOf(file)) ? readHandoff(readFileSync(handoffOf(file), "utf8")) : null;
  const agree = handoff?.updatedMs === timeOf(own(doc, "updated"));
  const findings = validateFiles([file], { clock: systemClock }).filter(({ rule }) => !MAY_BE.has(rule));
  return [
    ...(agree ? [] : ["state and handoff disagree"]),
    ...findings.map(({ rule, path, message }) => `${rule} ${path} ${message}`),
  ];
}

/** The sweep works on the steps in any order, and a killed owner's claim grows stale: both are as they should be. */
const MAY_BE: ReadonlySet<string> = new Set(["gap", "stale-claim", "current-step"]);

function lostOf(file: string, lines: readonly Line[]): string[] {
  const doc: unknown = JSON.parse(readFileSync(file, "utf8"));
  const keys = decisionsIn(doc).map((decision) => decision?.key);
  return lines
    .filter(({ k, op }) => k === "ack" && op === "decide")
    .flatMap(({ key }) => {
      const times = keys.filter((one) => one === key).length;
      return times === 1 ? [] : [`the decision ${key} is there ${times} times`];
    });
}
