/**
 * A reading that stops after each piece, so that whoever listens can put away what was heard before the next one comes: what is held at once
 * is bounded by a piece, not by the transcript (T5). Whoever breaks it off closes what it had opened.
 */
import type { Heard } from "../words/heard.ts";
import type { TranscriptEars } from "./ears.ts";

export type PieceReading<T> = Generator<undefined, T, undefined>;

/** All of it at once. */
export function toEnd<T>(reading: PieceReading<T>): T {
  for (;;) {
    const step = reading.next();
    if (step.done) return step.value;
  }
}

/** So many of what has no lines are a piece. */
const HEARD_AT_ONCE = 100;

export function* hearEach(all: Iterable<Heard>, ears: TranscriptEars): PieceReading<void> {
  let count = 0;
  for (const heard of all) {
    ears.hear(heard, null);
    count += 1;
    if (count % HEARD_AT_ONCE === 0) yield;
  }
}
