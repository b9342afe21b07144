/**
 * How an attempt ended that is proved dead (DESIGN 9): pure, one row of a table per answer. A cause is said only with
 * evidence, and the evidence is said with it; else it is `unknown`.
 */

import type { Cause } from "../model/causes.ts";
import type { TurnOutcome } from "../model/record.ts";
import { EXIT_CAUSES, seenEnd } from "../model/run-kinds.ts";
import type { AttemptStory } from "./attempt-story.ts";

/** A mark may be followed by its whole drain and the ladder's last steps; a heartbeat later than that disowns it. */
export const MARK_GRACE_MS = 60_000;

export interface DeathFacts {
  readonly death: "reboot" | "lost" | "no-such-process" | "pid-reused" | "released" | "given-back";
  readonly story: AttemptStory;
  /** The owner's last sign of life, by its own clock. */
  readonly heartbeatAtMs: number | null;
  /** The kernel's own words that it killed the agent or its supervisor for memory; null: none. */
  readonly oomRecord: string | null;
}

export interface NamedEnd {
  readonly cause: Cause;
  /** What becomes of the turn that was open. */
  readonly outcome: TurnOutcome;
  /** It had come to its end (it exited, or somebody asked for it): the session is finished, not interrupted. */
  readonly isFinished: boolean;
  /** Told to end, and that was no crash: it is not counted (L2). */
  readonly isAsked?: boolean;
  /** A person stopped it: by `stop`, or by Ctrl-C. */
  readonly isStopped?: boolean;
  readonly evidence: readonly string[];
}

/** Of the session, where it is finished by this end: `stop` finishes it, whatever its process had died of before. */
export const finishCause = ({ outcome, cause }: NamedEnd): Cause =>
  outcome === "cancelled" ? "signal" : cause;

export function nameEnd(facts: DeathFacts): NamedEnd {
  const { story, death } = facts;
  if (story.exit) return nameExit(story.exit, story.drain);
  // Proved before the mark is looked at: one from an earlier boot says what was meant to happen, not what did.
  if (death === "reboot")
    return interrupted(
      "reboot",
      "the machine has been started again since",
      ...ignored(facts, "it is from an earlier start of the machine"),
    );
  if (death === "lost") return interrupted("lost", "its heartbeat stopped on another machine");
  const mark = story.drain;
  if (mark && !isMarkStale(facts)) return nameDrain(mark);
  const stale = mark ? ignored(facts, "its owner was heard of long after it") : [];
  if (story.isStopAsked && !story.isStopLate)
    return nameAsked(story, stopped("it had been asked to stop", ...stale));
  // By its own word: no dirty end, though its turn is as cut off as it left it (L2).
  if (death === "given-back" && !story.isStopAsked)
    return interrupted("clean", "its owner gave it back with this open", ...stale);
  const unseen =
    facts.oomRecord === null
      ? interrupted("unknown", "nobody saw its end", ...closed(story), ...stale)
      : interrupted("oom", `the kernel says: ${facts.oomRecord}`, ...closed(story), ...stale);
  return story.isStopAsked ? nameAsked(story, stoppedAfter(unseen)) : unseen;
}

/** When, where nobody else saw it: its agent let go of its connection to us then, at the latest. */
const closed = ({ disconnected }: AttemptStory): string[] =>
  disconnected
    ? [`its agent's connection to refloat was closed at ${new Date(disconnected.atMs).toISOString()}`]
    : [];

/** An agent under a supervisor is asked once and for all; a conversation of a gateway goes on with the next input. */
const nameAsked = ({ mark }: AttemptStory, end: NamedEnd): NamedEnd =>
  mark === null ? { ...end, isFinished: false } : end;

/** T1: stopped when it was dead already. Its turn is cancelled; what it died of is what it was. */
const stoppedAfter = ({ cause, evidence }: NamedEnd): NamedEnd => ({
  ...stopped(...evidence, "it was asked to stop only after that"),
  cause,
});

function nameExit(exit: NonNullable<AttemptStory["exit"]>, drain: AttemptStory["drain"]): NamedEnd {
  const saw = seenEnd(exit.why, exit);
  const cause = EXIT_CAUSES[exit.why];
  switch (exit.why) {
    case "exit":
      // L7: once its end was on its way, its exit code says nothing. A supervisor of today says so itself.
      if (drain) return nameDrain(drain, saw);
      return { cause, outcome: exitOutcome(exit), isFinished: true, evidence: [saw] };
    case "stopped":
      return stopped(saw);
    case "signal-through-us":
      return {
        ...interrupted(cause, saw),
        isAsked: exit.asked === true,
        isStopped: exit.asked === true && (drain?.signal ?? exit.signal ?? "SIGINT") === "SIGINT",
      };
    case "signal":
    case "timeout":
    case "limit":
    case "oom":
      return interrupted(cause, saw);
    default:
      return exit.why satisfies never;
  }
}

/** As its supervisor said; where it said nothing, no code but 0 is taken for an end. */
const exitOutcome = ({ code, turn }: NonNullable<AttemptStory["exit"]>): "completed" | "failed" =>
  (turn === undefined ? code === 0 : turn === "completed") ? "completed" : "failed";

function nameDrain({ why, signal }: NonNullable<AttemptStory["drain"]>, ...more: string[]): NamedEnd {
  switch (why) {
    case "timeout":
      return interrupted("timeout", "our timeout had begun to end it", ...more);
    case "signal":
      return { ...interrupted("signal", "a signal had begun to end it", ...more), ...byPerson(signal) };
    case "limit":
      return interrupted("limit", "it had reached its usage limit", ...more);
    case "stopped":
      return stopped("`stop` had begun to end it", ...more);
    default:
      return why satisfies never;
  }
}

/** A person's Ctrl-C is no crash, also where we died of it ourselves (L2). */
const byPerson = (signal: string | null | undefined): Pick<NamedEnd, "isAsked" | "isStopped"> =>
  signal === "SIGINT" ? { isAsked: true, isStopped: true } : {};

function isMarkStale({ story: { drain }, heartbeatAtMs }: DeathFacts): boolean {
  return (
    drain !== null && heartbeatAtMs !== null && heartbeatAtMs - drain.atMs > drain.drainMs + MARK_GRACE_MS
  );
}

const ignored = ({ story }: DeathFacts, why: string): string[] =>
  story.drain ? [`the mark of its stop is ignored: ${why}`] : [];

const interrupted = (cause: Cause, ...evidence: string[]): NamedEnd => ({
  cause,
  outcome: "interrupted",
  isFinished: false,
  evidence,
});

/** L4: asked to stop, its turn is cancelled; it is finished and never resumed by itself. */
const stopped = (...evidence: string[]): NamedEnd => ({
  cause: "signal",
  outcome: "cancelled",
  isFinished: true,
  isAsked: true,
  isStopped: true,
  evidence,
});
