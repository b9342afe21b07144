/**
 * Every sentence an export adds of its own. They are said to the model only and never stored; square
 * brackets set them apart from what a person or a tool said.
 */
import type { Effect } from "../../model/record.ts";

export const FORGOTTEN = "[forgotten]";
export const EMPTY_RESULT = "(empty result)";

export const CUT_OFF_NOTE = "[Your answer above was cut off here. Go on from exactly where it stops.]";
export const GO_ON_NOTE = "[Go on from here. If nothing is left to do, say so.]";
export const STOPPED_NOTE = "[The person stopped this turn here; it was not finished.]";
export const NOTHING_TO_ANSWER = "[This turn was begun without a message.]";
export const EARLIER_NOTE = "[Earlier messages of this conversation are not shown.]";
export const BEGINS_NOTE = "[The conversation begins with the assistant.]";
export const SUMMARY_LABEL = "[Summary of the conversation before this point]";
export const SYSTEM_LABEL = "[System message, given at this point of the conversation]";

export const STILL_RUNNING = "[Still running: no result yet.]";
export const CANCELLED = "[Cancelled: the tool was stopped before it finished.]";
export const INTERRUPTED =
  "[Interrupted: the tool did not finish; what it did until then may have happened.]";
export const FAILED_PREFIX = "[The tool failed]";

/** What a model is told of a call nobody saw end (C4), graded by its effect. */
const byEffect = (why: string): Readonly<Record<Effect, string>> => ({
  none: `[Outcome unknown: ${why} It changes nothing, so it is safe to repeat.]`,
  idempotent: `[Outcome unknown: ${why} It may have run; running it again ends in the same state.]`,
  unknown: `[Outcome unknown: ${why} It may have run, in part or in full: inspect the state before you retry it.]`,
});

export const UNKNOWN_OUTCOME = byEffect("the session ended before the tool reported.");
/** It was no accident: whoever reads it must not take it for one. */
export const STOPPED_OUTCOME = byEffect("the person stopped this turn before the tool reported.");
