/** The oldest git we work with: `core.fsync`, which makes what git writes durable, came with it (DESIGN 15). */
import { RefloatError } from "../../model/errors.ts";
import type { Environment } from "../../platform/places.ts";
import { runProgram } from "../../platform/run-program.ts";
import { gitEnvironment } from "./environment.ts";

const OLDEST: readonly [number, number] = [2, 36];
const MAX_VERSION_BYTES = 64 * 1024;
const VERSION_TIMEOUT_MS = 30_000;

/** One git per PATH and process: it is asked once. */
const answered = new Map<string, Promise<string>>();

export async function requireGit(env: Environment, cwd: string): Promise<void> {
  const key = env.PATH ?? "";
  const asked = answered.get(key) ?? askVersion(env, cwd);
  answered.set(key, asked);
  const text = await asked.catch((thrown: unknown) => {
    answered.delete(key); // it may be installed by the next time
    throw thrown;
  });
  const found = parseVersion(text);
  if (found === null || !isEnough(found)) {
    throw new RefloatError("E_GIT_TOO_OLD", {
      found: found?.join(".") ?? text.trim().slice(0, 80),
      needed: OLDEST.join("."),
    });
  }
}

function parseVersion(text: string): readonly [number, number] | null {
  const [, major, minor] = /^git version (\d{1,4})\.(\d{1,4})/.exec(text) ?? [];
  return major === undefined || minor === undefined ? null : [Number(major), Number(minor)];
}

function isEnough([major, minor]: readonly [number, number]): boolean {
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
}

async function askVersion(env: Environment, cwd: string): Promise<string> {
  const outcome = await runProgram("git", ["version"], {
    cwd,
    env: gitEnvironment(env, []),
    maxOutputBytes: MAX_VERSION_BYTES,
    timeoutMs: VERSION_TIMEOUT_MS,
  });
  if (outcome.kind === "ended" && outcome.code === 0) return outcome.stdout.toString("utf8");
  const why = outcome.kind === "not-started" ? outcome.error.message : `it ended with ${outcome.kind}`;
  throw new RefloatError("E_GIT_MISSING", { why });
}
