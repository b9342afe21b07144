/** Who may commit next: first come, first served. Pure bookkeeping, kept by the one process that arbitrates. */
export interface Member {
  /** It is your turn. */
  granted(): void;
  /** Somebody else waits: give the turn back soon. */
  askedBack(): void;
}

export class TurnQueue {
  #holder: Member | null = null;
  #waiting: Member[] = [];

  want(member: Member): void {
    if (this.#holder === member || this.#waiting.includes(member)) return;
    this.#waiting.push(member);
    if (this.#holder) this.#holder.askedBack();
    else this.#next();
  }

  done(member: Member): void {
    if (this.#holder !== member) return;
    this.#holder = null;
    this.#next();
  }

  /** Its connection is gone: its place and, if it had one, its turn are free. */
  leave(member: Member): void {
    this.#waiting = this.#waiting.filter((other) => other !== member);
    this.done(member);
  }

  #next(): void {
    const next = this.#waiting.shift();
    if (!next) return;
    this.#holder = next;
    next.granted();
    if (this.#waiting.length > 0) next.askedBack();
  }
}
