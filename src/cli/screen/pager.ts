/**
 * Long results at a terminal go through the user's pager, so that their beginning, which says most, is not scrolled away.
 * Which one is his own word alone: REFLOAT_PAGER, GIT_PAGER, PAGER, else less. Never a repository's config, which may be
 * hostile (T2). Nobody is asked to page under an agent's mark, where the reader is no person, nor with --no-input.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Environment } from "../../platform/places.ts";
import { findProgram } from "../../platform/places.ts";

/** As git gives it to less: leave at once what fits, keep colours, leave it on the screen. */
const LESS_FLAGS = "FRX";
/** What a shell says of a command that is not there, or may not be run. */
const NOT_STARTED: ReadonlySet<number | null> = new Set([126, 127]);

/** Null: the text is written as it is. */
export function pagerFor(env: Environment): string | null {
  if (env.REFLOAT_SESSION || env.TERM === undefined || env.TERM === "dumb") return null;
  const asked = env.REFLOAT_PAGER ?? env.GIT_PAGER ?? env.PAGER;
  if (asked !== undefined) return ["", "cat"].includes(asked.trim()) ? null : asked;
  return findProgram("less", process.cwd(), env).kind === "found" ? "less" : null;
}

/** False: the pager could not be started, and nothing was shown. */
export async function page(text: string, pager: string, env: Environment): Promise<boolean> {
  const child = spawn("/bin/sh", ["-c", pager], {
    stdio: ["pipe", "inherit", "inherit"],
    env: { LESS: LESS_FLAGS, ...env },
  });
  // Ctrl-C in a pager is the pager's.
  const ignore = (): void => undefined;
  process.on("SIGINT", ignore);
  try {
    return await shown(child, text);
  } finally {
    process.off("SIGINT", ignore);
  }
}

async function shown(child: ChildProcess, text: string): Promise<boolean> {
  const { stdin } = child;
  // Who has read enough closes it; what was not read is not wanted.
  stdin?.on("error", () => undefined);
  stdin?.end(text);
  try {
    const [code] = (await once(child, "close")) as [number | null];
    return !NOT_STARTED.has(code);
  } catch (_notStarted) {
    return false; // there is no shell: the text is written as it is
  }
}
