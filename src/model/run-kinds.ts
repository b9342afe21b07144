/**
 * The kinds of record a supervisor adds: facts about the agent's process, as far as somebody saw them. What they
 * mean for the session (its state, the cause of its end) is computed from them and from what the kernel says.
 * With them the captures that go with an attempt, and what was committed as the session goes (docs/run.md).
 */
import { z } from "zod";
import { captureReason } from "./capture.ts";

/** The kinds of record that committing as the session goes adds (docs/run.md): what was committed, and why something was not. */
export const AS_IT_GOES_KINDS = {
  /** What ended operations left was judged safe and is a commit now, while the session lives. */
  "operations.committed": {
    by: "anyone",
    body: z.looseObject({
      commit: z.string(),
      plan: z.string(),
      /** Labels of the operations that had ended. */
      operations: z.array(z.string()),
      groups: z.array(z.string()),
      paths: z.number().int(),
    }),
    shape: ["commit", "plan", "paths"],
  },
  /** It could not be looked at or committed; said once for each cause. What is not safe needs no record: it is left for the end. */
  "operations.not-committed": {
    by: "anyone",
    body: z.looseObject({ code: z.string().nullable(), message: z.string() }),
    shape: ["code"],
  },
} as const;

/** The kinds of record that go with a session's own captures: one that could not be taken, and what was left at the end. */
export const CAPTURE_KINDS = {
  /** A capture the session would have taken by itself and could not: nothing is held of that moment, and this is why. */
  "capture.failed": {
    by: "anyone",
    body: z.looseObject({ reason: captureReason, code: z.string(), message: z.string() }),
    shape: ["reason", "code"],
  },
  /** The uncommitted changes that were the session's own at the end of an attempt (L6): none, or they are unsettled. */
  "session.left": {
    by: "anyone",
    body: z.looseObject({
      attempt: z.number().int(),
      /** The end capture they were found in. */
      capture: z.string(),
      changes: z.array(
        z.looseObject({
          path: z.string(),
          path_b64: z.string().optional(),
          /** The state when the session began, and when it ended: as `stateKey` writes them, or `clean`. */
          from: z.string(),
          to: z.string(),
        }),
      ),
    }),
    shape: ["attempt", "capture"],
  },
} as const;

const attempt = z.number().int();

/** How an agent's process came to its end, as its supervisor saw it. */
export const exitWhy = z.enum([
  /** It exited by itself, asked by nobody, with whatever code. */
  "exit",
  /** It was told to end by a signal that the supervisor had sent or passed on, or a key typed at its terminal, and did: by the signal or with whatever code (L7). */
  "signal-through-us",
  /** It died by a signal that came from elsewhere, its own included. */
  "signal",
  /** Our `--timeout` ended it, however it went. */
  "timeout",
  /** Somebody asked for the end with `refloat stop`. */
  "stopped",
  /** It reported a usage limit and ended. */
  "limit",
  /** Killed by the kernel for its memory, where the kernel's own count proves it. */
  "oom",
]);
export type ExitWhy = z.infer<typeof exitWhy>;

const leftoverEnds = z.array(
  z.looseObject({
    pid: z.number().int(),
    started: z.number().nullable(),
    command: z.string(),
    /** Why it is taken for ours: the exact mark, or the supervisor saw it descend from the agent. */
    evidence: z.enum(["mark", "descendant"]),
    outcome: z.enum(["stopped", "left"]),
    /** Why it was left: a multiplexer, a daemon, a listening server, another session's. */
    because: z.string().nullable(),
  }),
);

export const RUN_KINDS = {
  /** Written before the agent is started: a start that nobody saw succeed can be found by its mark (S2). */
  "agent.marked": {
    by: "owner",
    body: z.looseObject({
      attempt,
      /** The whole value of REFLOAT_SESSION in the agent's environment. */
      mark: z.string(),
      /** What is about to be started, secrets redacted (T4). */
      command: z.array(z.string()),
      /** Conversations of its agents that the session had before, the newest first; left out: it had none. */
      earlier: z.array(z.looseObject({ agent: z.string(), native_id: z.string() })).optional(),
      /** It goes on in a copy of this conversation, by its id or its file. */
      copies: z.string().optional(),
    }),
    shape: ["attempt", "mark"],
  },
  /** Written right after the agent was started, so that a later start can prove whether it still lives (K2, L1). */
  "agent.started": {
    by: "owner",
    body: z.looseObject({
      attempt,
      host: z.string(),
      boot: z.string(),
      pid_namespace: z.string(),
      pid: z.number().int(),
      started: z.number().nullable(),
      /** What was started, secrets redacted (T4). */
      command: z.array(z.string()),
      /** The whole value of REFLOAT_SESSION in the agent's environment (S2). */
      mark: z.string(),
      supervised: z.boolean(),
      pty: z.boolean(),
      /** The terminal's size, where it has one: what was drawn on it is read at that size. */
      cols: z.number().int().optional(),
      rows: z.number().int().optional(),
    }),
    shape: [
      ...["attempt", "host", "boot", "pid_namespace", "pid", "started", "mark", "supervised"],
      ...["pty", "cols", "rows"],
    ],
  },
  "agent.exited": {
    by: "owner",
    body: z.looseObject({
      attempt,
      /** Null: it died by a signal, or nobody saw how. */
      code: z.number().int().nullable(),
      signal: z.string().nullable(),
      why: exitWhy,
      /** What becomes of its open turn (L7); null: it is interrupted. */
      turn: z.enum(["completed", "failed", "cancelled"]).nullable().optional(),
      /** Told to end, and that was no crash (L2). */
      asked: z.boolean().optional(),
    }),
    shape: ["attempt", "code", "signal", "why"],
  },
  /** The last whole lines the agent printed; recovery writes it from the run folder when the supervisor could not. */
  "output.kept": {
    by: "owner",
    body: z.looseObject({ attempt, text: z.string(), bytes_seen: z.number().int().nullable() }),
    shape: ["attempt", "bytes_seen"],
  },
  /** Written before the stop ladder's first signal (L3): the end that follows was on its way. */
  "drain.marked": {
    by: "owner",
    body: z.looseObject({
      attempt,
      why: z.enum(["timeout", "signal", "stopped", "limit"]),
      /** The signal that reached the supervisor, if it was one. */
      signal: z.string().nullable(),
      drain_ms: z.number(),
    }),
    shape: ["attempt", "why", "signal", "drain_ms"],
  },
  /** It was told that its time is up soon. */
  "agent.warned": {
    by: "owner",
    body: z.looseObject({
      attempt,
      left_ms: z.number(),
      /** Null: by what it reads. */
      signal: z.string().nullable(),
    }),
    shape: ["attempt", "left_ms", "signal"],
  },
  /** Processes of this attempt that outlived the agent: what was done about each (S2). */
  "leftovers.found": {
    by: "owner",
    body: z.looseObject({
      attempt,
      processes: leftoverEnds,
    }),
    shape: ["attempt"],
  },
  /** The same of processes that were found only after the end was settled, by whoever stopped them: nobody holds the session then. */
  "leftovers.late": {
    by: "anyone",
    body: z.looseObject({ attempt, processes: leftoverEnds }),
    shape: ["attempt"],
  },
} as const;

/** What an end that a supervisor saw is called (DESIGN 9). A process that exits by itself ended cleanly, whatever its code. */
export const EXIT_CAUSES = {
  exit: "clean",
  "signal-through-us": "signal",
  signal: "crash",
  timeout: "timeout",
  stopped: "signal",
  limit: "limit",
  oom: "oom",
} as const satisfies Readonly<Record<ExitWhy, string>>;

/** The same as evidence, in words. */
export function seenEnd(
  why: ExitWhy,
  { code, signal }: { readonly code: number | null; readonly signal: string | null },
): string {
  const how = signal ?? `exit code ${code ?? "unknown"}`;
  return why === "signal-through-us"
    ? `its supervisor saw it end, told to: ${how}`
    : `its supervisor saw it end: ${how}`;
}
