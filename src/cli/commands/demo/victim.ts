/** Starts the demo's agent, listens to what it was promised, and kills it in the middle of its third call. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { RefloatError } from "../../../model/errors.ts";
import { builtFile } from "../../../platform/own-files.ts";
import { DEMO } from "./script.ts";

export interface KeptPromise {
  readonly kept: string;
  readonly value: unknown;
}

export interface Victim {
  readonly pid: number;
  readonly signal: NodeJS.Signals | null;
  /** Everything the library had promised it before it died. */
  readonly promises: readonly KeptPromise[];
}

/** A scripted agent that has not come this far by then never will. */
const PATIENCE_MS = 60_000;

export async function runAndKill(store: string, workspace: string): Promise<Victim> {
  const child = spawn(
    process.execPath,
    [fileURLToPath(builtFile("cli/commands/demo/child.js")), store, workspace],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  const died = once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
  const timer = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS);
  try {
    const promises = await listen(child);
    child.kill("SIGKILL");
    const [, signal] = await died;
    if (child.pid === undefined || promises.length === 0) throw failed();
    return { pid: child.pid, signal, promises };
  } finally {
    clearTimeout(timer);
    child.kill("SIGKILL");
  }
}

/** Until the fatal step, or the end of its output. */
async function listen(child: ChildProcess): Promise<KeptPromise[]> {
  const promises: KeptPromise[] = [];
  if (!child.stdout) return promises;
  let steps = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    const one = JSON.parse(line) as KeptPromise;
    promises.push(one);
    if (one.kept === "progress" && ++steps === DEMO.fatalStep) break;
  }
  return promises;
}

const failed = (): RefloatError => new RefloatError("E_INTERNAL", { why: "the demo's agent did not start" });
