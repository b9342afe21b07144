/**
 * T2: the judged may not write the judge. Whose process this is, told by its mark; by the mark that it began with, or that a
 * process began with that it descends from, because a variable is taken out of an environment by one word, and the library
 * is handed whatever environment its caller likes; or by the note of a check or a hook, in which the code
 * of whoever is judged runs outside any mark. It keeps an agent from calling its own work safe by the way. It is no jail: a
 * process that takes pains to lose its parents is the user's like any other.
 */
import { RefloatError } from "../../model/errors.ts";
import type { SessionId } from "../../model/ids.ts";
import type { Environment } from "../../platform/places.ts";
import { inheritedValues, valuesFrom } from "../../platform/process-list.ts";
import { markedSession } from "../sessions/capture-session.ts";

const MARK_VARIABLE = "REFLOAT_SESSION";
/** In the environment of checks and hooks: the session whose work is tried there. */
const TRIAL_VARIABLE = "REFLOAT_TRIAL";

/** A store, or what can be asked of one that is not opened. */
interface KnownSessions {
  session(id: SessionId): Promise<unknown>;
}

export const inTrial = (env: Environment, session: string): Environment => ({
  ...env,
  [TRIAL_VARIABLE]: session,
});

/** Any session's process; null: nobody's who is judged. Of what is only inherited, sessions of other stores do not count. */
export async function judgedSession(env: Environment, store: KnownSessions | null): Promise<string | null> {
  const marked = markedSession(env);
  if (marked !== null) return marked;
  for (const one of judgedSessions(env)) if (await store?.session(one as SessionId)) return one;
  return null;
}

/** The same where only the session's own process is kept from something. */
export function judgedAs(env: Environment, session: string | null | undefined): string | null {
  return judgedSessions(env).find((one) => one === session) ?? null;
}

/** For what no session's process does, whosoever it is about. */
export async function assertNotJudged(
  env: Environment,
  store: KnownSessions | null,
  what: string,
): Promise<void> {
  const session = await judgedSession(env, store);
  if (session !== null) throw new RefloatError("E_UNDER_MARK", { session, what });
}

/** For what everybody may do but the session's own process. */
export function assertNotJudgedAs(env: Environment, session: string | null, what: string): void {
  const marked = judgedAs(env, session);
  if (marked !== null) throw new RefloatError("E_UNDER_MARK", { session: marked, what });
}

/** The sessions under whose marks a process was started, or one above it; asked of whoever asks us by a connection. */
export const judgedAbove = (pid: number): string[] =>
  sessionsOf(valuesFrom(pid, MARK_VARIABLE), valuesFrom(pid, TRIAL_VARIABLE));

/** It may have given itself another's mark, or none: the one it began with and its parents' count as well. */
export function judgedSessions(env: Environment): string[] {
  const marks = [env[MARK_VARIABLE], ...inheritedValues(MARK_VARIABLE)];
  const trials = [env[TRIAL_VARIABLE], ...inheritedValues(TRIAL_VARIABLE)];
  return sessionsOf(marks, trials);
}

const sessionsOf = (
  marks: readonly (string | undefined)[],
  trials: readonly (string | undefined)[],
): string[] => [
  ...marks.flatMap((mark) => markedSession({ [MARK_VARIABLE]: mark }) ?? []),
  ...trials.flatMap((session) => session || []),
];
