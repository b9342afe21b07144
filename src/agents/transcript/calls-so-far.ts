/**
 * The calls that were heard, as many as are listed (T5): the newest, and of the older ones those that are still open. They are forgotten by
 * generations, so that a call of a long transcript costs its own entry and no walk over the others.
 */
import { TRANSCRIPT_CALLS_LISTED } from "../../model/limits.ts";
import type { HeardCall, HeardResult } from "../words/heard.ts";

export interface CallSoFar {
  tool: string;
  readonly proof: HeardCall["proof"];
  /** Its turn was over before a result came: none will. */
  isLeft: boolean;
  result: Pick<HeardResult, "status" | "origin"> | null;
}

export class CallsSoFar {
  readonly #most: number;
  #now = new Map<string, CallSoFar>();
  #before = new Map<string, CallSoFar>();
  /** Open ones of generations that are forgotten. */
  readonly #left = new Map<string, CallSoFar>();
  readonly #open = new Map<string, CallSoFar>();
  #leftOut = 0;

  constructor(most = TRANSCRIPT_CALLS_LISTED) {
    this.#most = most;
  }

  /** Calls that were heard and are not listed. */
  get leftOut(): number {
    return this.#leftOut;
  }
  /** Those of an unfinished turn that have no result. */
  get open(): ReadonlyMap<string, CallSoFar> {
    return this.#open;
  }

  get(id: string): CallSoFar | undefined {
    // Nearly every result is of a call that is open.
    return this.#open.get(id) ?? this.#now.get(id) ?? this.#before.get(id) ?? this.#left.get(id);
  }

  add(id: string, call: CallSoFar): void {
    this.#now.set(id, call);
    if (call.result === null) this.#open.set(id, call);
    if (2 * this.#now.size >= this.#most - this.#left.size) this.#forget();
  }

  close(id: string): void {
    this.#open.delete(id);
  }

  /** Their turn is over. */
  leaveOpen(): void {
    for (const call of this.#open.values()) call.isLeft = true;
    this.#open.clear();
  }

  /** The oldest that are over go first; where half of all are open, the oldest of those. */
  #forget(): void {
    for (const [id, call] of this.#before) {
      if (this.#open.get(id) === call) this.#left.set(id, call);
      else this.#leftOut += 1;
    }
    for (const id of this.#left.keys()) {
      if (2 * this.#left.size <= this.#most) break;
      this.#left.delete(id);
      this.#open.delete(id);
      this.#leftOut += 1;
    }
    this.#before = this.#now;
    this.#now = new Map();
  }

  *[Symbol.iterator](): Generator<readonly [string, CallSoFar]> {
    yield* this.#left;
    yield* this.#before;
    yield* this.#now;
  }
}
