/** Starts steppers and kills them as ordered. What they leave is looked at by check-state.ts. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Readable } from "node:stream";

const BUILT = join(import.meta.dirname, "../../dist");

export interface Line {
  readonly k: "intent" | "ack" | "refused";
  readonly op: string;
  readonly step?: string;
  readonly key?: string;
  readonly name?: string;
  readonly attempt?: number | null;
  readonly token?: string | null;
  readonly code?: string;
}

/** A file, or a schema of a server. */
export interface StateStore {
  readonly url: string;
  readonly schema?: string;
}

export interface StepperOrders {
  readonly store: StateStore;
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
