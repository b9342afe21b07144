/**
 * Dirty ends of one conversation since it last made progress (L2). Every interrupted turn counts once, whether a
 * crash or a drain cut it off. Progress is a completed turn, a person's lift, or a finished call that is not one
 * finished before: a conversation that gets further each time is no loop. Pure.
 */
import { encodeJson } from "../model/json.ts";
import type { StoredRecord } from "../model/record.ts";

/** The kinds it looks at. */
export const PROGRESS_KINDS = ["turn.ended", "session.lifted", "call.started", "call.ended"] as const;

/** `oldestFirst`: the conversation's last records of those kinds (others are passed over). */
export function countDirtyEnds(oldestFirst: readonly StoredRecord[]): number {
  const started = new Map<string, string>();
  const finished = new Set<string>();
  let count = 0;
  for (const { kind, body } of oldestFirst) {
    if (kind === "call.started") started.set(String(body.call), callKey(body.tool, body.input));
    else if (kind === "session.lifted") count = 0;
    else if (kind === "turn.ended") {
      if (body.outcome === "completed") count = 0;
      else if (body.outcome === "interrupted") count++;
    } else if (kind === "call.ended" && body.status === "done" && body.synthetic !== true) {
      const key = started.get(String(body.call));
      if (key !== undefined && !finished.has(key)) count = 0;
      if (key !== undefined) finished.add(key);
    }
  }
  return count;
}

const callKey = (tool: unknown, input: unknown): string => encodeJson([tool ?? null, input ?? null]);
