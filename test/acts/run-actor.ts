/** One life of the actor: started, killed as ordered, and what it said until then. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { DraftName, World } from "./world.ts";

const ACTOR = new URL("actor.mjs", import.meta.url).pathname;

export interface Job {
  readonly job: "capture" | "settle" | "act";
  readonly draft?: DraftName;
  readonly undoes?: string;
  /** As the commands do it: what stands of the newest plan, or what the newest undo took back. */
  readonly takes?: "undo" | "redo";
  /** Somebody else writes this file when the first path is swapped. */
  readonly spoil?: { readonly path: string; readonly text: string };
}

export type Kill =
  | { readonly kind: "none" }
  | { readonly kind: "point"; readonly at: string }
  /** So long after it began, or, if it says so first, after so many paths. */
  | { readonly kind: "random"; readonly delayMs: number; readonly afterPaths: number | null };

export interface Life {
  readonly signal: string | null;
  readonly isAcked: boolean;
  readonly said: readonly Said[];
  readonly errors: string;
  /** The crash points it passed, in order. */
  readonly passed: readonly string[];
}

interface Said {
  readonly k: "begin" | "progress" | "ack" | "refused";
  readonly done?: number;
  readonly plan?: string | null;
  readonly outcome?: string;
  readonly code?: string;
}

export async function runActor({ base, session }: World, job: Job, kill: Kill): Promise<Life> {
  const log = join(base, "passed");
  rmSync(log, { force: true });
  const orders = { base, session, ...job, waits: kill.kind === "random" };
  const child = spawn(process.execPath, [ACTOR, JSON.stringify(orders)], {
    env: {
      PATH: process.env.PATH,
      HOME: base,
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_CONFIG_GLOBAL: "/dev/null",
      REFLOAT_CRASH_LOG: log,
      ...(kill.kind === "point" ? { REFLOAT_CRASH_AT: kill.at } : {}),
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said: Said[] = [];
  let errors = "";
  child.stderr.on("data", (bytes) => {
    errors += String(bytes);
  });
  createInterface({ input: child.stdout }).on("line", (line) => {
    const one = JSON.parse(line) as Said;
    said.push(one);
    if (kill.kind !== "random") return;
    const isTime = one.k === "begin" && kill.afterPaths === null;
    const isFar = one.k === "progress" && kill.afterPaths !== null && (one.done ?? 0) >= kill.afterPaths;
    if (isTime || isFar) setTimeout(() => child.kill("SIGKILL"), kill.delayMs);
    else if (one.k === "ack" || one.k === "refused") child.kill("SIGKILL");
  });
  const [, signal] = (await once(child, "close")) as [number | null, string | null];
  return { signal, isAcked: said.some(({ k }) => k === "ack"), said, errors, passed: readLines(log) };
}

function readLines(path: string): string[] {
  try {
    return readFileSync(path, "utf8").split("\n").filter(Boolean);
  } catch (_none) {
    return []; // it was killed before the first one
  }
}
