/** Long waits say now and then that they still wait; a short one has said all at its beginning. */
import { durationText } from "../../../text/counting.ts";

/** A line of the countdown where nobody watches. */
const COUNTDOWN_EVERY_MS = 10 * 60_000;

export class Countdown {
  #lastMs: number | null = null;

  /** Null: nothing is to be said yet. */
  line(leftMs: number): string | null {
    const last = this.#lastMs;
    if (last !== null && last - leftMs < COUNTDOWN_EVERY_MS) return null;
    this.#lastMs = leftMs;
    return last === null ? null : `still waits: ${durationText(leftMs)} left`;
  }
}
