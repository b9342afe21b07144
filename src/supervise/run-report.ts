/** What `run --report` says (docs/json.md): whose exit code it is, how the session ended, what is held and what was left. Pure. */

import type { RefloatError } from "../model/errors.ts";
import type { LeftoverEnd } from "../session/stop-leftovers.ts";
import { shellLineWord } from "../text/escape.ts";
import type { AsItGoes } from "./as-it-goes.ts";
import type { EndedRun } from "./end-run.ts";
import type { PreparedRun } from "./prepare-run.ts";
import type { RunCapture } from "./run-captures.ts";
import type { AgentLife } from "./supervise.ts";

export const RUN_SCHEMA = "refloat.run/1";

export interface RunReport {
  readonly schema: typeof RUN_SCHEMA;
  readonly exit_code: number;
  /** Whose the exit code is. */
  readonly whose: "agent" | "refloat";
  readonly why: string;
  readonly session: string | null;
  readonly attempt: number | null;
  readonly name: string | null;
  readonly agent: string | null;
  readonly workspace: string | null;
  readonly command: readonly string[];
  readonly code: number | null;
  readonly signal: string | null;
  readonly state: string | null;
  readonly cause: string | null;
  /** When the usage limit ends that the agent met, where it said so. */
  readonly resets_at: string | null;
  readonly started_at: string | null;
  readonly ended_at: string | null;
  readonly last_output: string | null;
  readonly captures: readonly RunCapture[];
  /** What was committed while it ran, where the config asks for that; oldest first. */
  readonly commits: AsItGoes["committed"];
  readonly leftovers: readonly Pick<LeftoverEnd, "pid" | "command" | "outcome" | "because">[];
  /** False: something of the end is not on disk; the next start finds it out for itself. */
  readonly recorded: boolean;
  readonly troubles: readonly string[];
  readonly error: { readonly code: string; readonly message: string; readonly hint: string } | null;
  /** What puts the tree back as it was when the agent began. */
  readonly undo: string | null;
  readonly next: readonly string[];
}

/** Nothing was started. */
export function failedReport(
  exitCode: number,
  error: Pick<RefloatError, "code" | "message" | "hint"> | null,
): RunReport {
  return {
    schema: RUN_SCHEMA,
    exit_code: exitCode,
    whose: "refloat",
    why: "not-started",
    session: null,
    attempt: null,
    name: null,
    agent: null,
    workspace: null,
    command: [],
    code: null,
    signal: null,
    state: null,
    cause: null,
    resets_at: null,
    started_at: null,
    ended_at: null,
    last_output: null,
    captures: [],
    commits: [],
    leftovers: [],
    recorded: false,
    troubles: [],
    error: error && { code: error.code, message: error.message, hint: error.hint },
    undo: null,
    next: [],
  };
}

export interface ReportParts {
  readonly about: { readonly name: string | null; readonly agent: string; readonly workspace: string };
  readonly run: PreparedRun;
  readonly life: AgentLife;
  /** Null: the end could not be gone through. */
  readonly ended: EndedRun | null;
  readonly startedMs: number;
  readonly endedMs: number;
}

export function endedReport({ about, run, life, ended, startedMs, endedMs }: ReportParts): RunReport {
  const { end, exit } = life;
  const begin = run.captures.taken.find(({ reason }) => reason === "begin");
  return {
    schema: RUN_SCHEMA,
    exit_code: end.exitCode,
    whose: end.whose,
    why: end.why,
    session: run.session,
    attempt: run.attempt,
    ...about,
    command: run.shownCommand,
    code: exit.code,
    signal: exit.signal,
    state: end.state,
    cause: end.cause,
    resets_at: life.resetsAtMs === null ? null : time(life.resetsAtMs),
    started_at: time(startedMs),
    ended_at: time(endedMs),
    last_output: ended?.lastOutput ?? null,
    captures: run.captures.taken,
    commits: run.asItGoes?.committed ?? [],
    leftovers: (ended?.leftovers ?? []).map(leftoverJson),
    recorded: ended?.isRecorded ?? false,
    troubles: run.troubles.all,
    error: null,
    undo: begin ? `refloat restore ${shellLineWord(begin.id)}` : null,
    next: [`refloat show ${shellLineWord(run.session)}`],
  };
}

const leftoverJson = ({ pid, command, outcome, because }: LeftoverEnd): RunReport["leftovers"][number] => ({
  pid,
  command,
  outcome,
  because,
});

const time = (ms: number): string => new Date(ms).toISOString();
