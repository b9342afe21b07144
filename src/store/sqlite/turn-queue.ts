/** Who may commit next: first come, first served. Kept by the one process that arbitrates. */
export interface QueueMember {
  /** It is your turn. */
  granted(): void;
  /** Your wish was heard, others are before you. */
  heard(): void;
  /** Somebody else waits: give the turn back soon. */
  askedBack(): void;
}

/**
 * A slice and a slow commit on a very busy machine. Who keeps the turn longer while others wait is stopped or stuck, and
 * must not hold up everybody else: the next one has it then. Two may believe it is theirs; the file lock settles that.
 */
const LONGEST_TURN_MS = 250;

export class TurnQueue {
  #holder: QueueMember | null = null;
  #waiting: QueueMember[] = [];
  #timer: NodeJS.Timeout | null = null;

  want(member: QueueMember): void {
    const isKnown = this.#holder === member || this.#waiting.includes(member);
    if (!isKnown) this.#waiting.push(member);
    if (!this.#holder) {
      this.#next();
      return;
    }
    member.heard();
    if (isKnown) return;
    this.#holder.askedBack();
    this.#watch();
  }

  done(member: QueueMember): void {
    if (this.#holder === member) this.#next();
  }

  /** Its connection is gone: its place and, if it had one, its turn are free. */
  leave(member: QueueMember): void {
    this.#waiting = this.#waiting.filter((other) => other !== member);
    this.done(member);
  }

  #next(): void {
    this.#stopWatching();
    this.#holder = this.#waiting.shift() ?? null;
    this.#holder?.granted();
    if (this.#waiting.length === 0) return;
    this.#holder?.askedBack();
    this.#watch();
  }

  #watch(): void {
    if (this.#timer) return;
    this.#timer = setTimeout(() => this.#next(), LONGEST_TURN_MS);
    this.#timer.unref(); // fairness is no reason for a process to live on
  }

  #stopWatching(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
