/**
 * Sessions at rest: ended, held by nobody, not suspended, with nothing open. Most that there ever were are such, so the engines leave
 * them out before a row is read (T5). Which of them depends on what is asked:
 *  - `left-nothing`: nothing of them is unsettled, by their rows alone: no capture was taken of them or is owed, or the one at the end
 *    of their last attempt found nothing. No list of what wants attention has one.
 *  - `never-seen`: nobody ever captured or heard of them, and they took nothing up from another. None of them claims a change: who
 *    claims shows two states of a path.
 */
export type Rest = "left-nothing" | "never-seen";

/** Facts that keep a session awake while they are there and not null. */
export const WAKING_FACTS: Readonly<Record<Rest, readonly string[]>> = {
  "left-nothing": ["suspended"],
  "never-seen": ["suspended", "capture", "owes_end_capture", "heard", "only_heard", "hooked", "continues"],
};
