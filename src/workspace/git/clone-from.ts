/**
 * A clone that nobody works in yet, from an address the user gave: git's own transport, with his configuration and without a terminal to
 * ask at. Nothing is checked out: whoever wanted it says what.
 */
import { RefloatError } from "../../model/errors.ts";
import type { Environment } from "../../platform/places.ts";
import { runProgram } from "../../platform/run-program.ts";
import { gitEnvironment } from "./environment.ts";
import { locateRepository } from "./locate.ts";
import { openRepository, type Repository } from "./repository.ts";

/** A large repository over a slow line. */
const CLONE_TIMEOUT_MS = 60 * 60_000;
const MAX_OUTPUT_BYTES = 1024 * 1024;

export interface CloneOrder {
  readonly url: string;
  /** A folder that is not there. */
  readonly to: string;
  /** Where the address is read from, if it is a path. */
  readonly place: string;
  readonly env: Environment;
}

/** A text: why there is none. */
export async function cloneFrom({ url, to, place, env }: CloneOrder): Promise<Repository | string> {
  // Everywhere else nothing is fetched; here the user says from where, by a protocol that runs nothing an address names.
  const own = { ...gitEnvironment(env, []), GIT_ALLOW_PROTOCOL: "file:git:http:https:ssh" };
  const outcome = await runProgram("git", ["clone", "--no-checkout", "--quiet", "--", url, to], {
    cwd: place,
    env: own,
    maxOutputBytes: MAX_OUTPUT_BYTES,
    timeoutMs: CLONE_TIMEOUT_MS,
    hasOwnSession: true,
  });
  if (outcome.kind !== "ended") return `git ${outcome.kind}`;
  if (outcome.code !== 0) return outcome.stderr.trim() || `git ended with ${outcome.code}`;
  const location = locateRepository(to);
  if (!location) throw new RefloatError("E_GIT_FAILED", { command: "clone", why: `${to} is no repository` });
  return openRepository(location, { env });
}
