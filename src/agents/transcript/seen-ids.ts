/**
 * The ids of a transcript that were seen, in bounded memory however long it is (T5): 64 bits of each. Two ids of a million are taken for
 * one once in many million transcripts, and then one line of a report is wrong.
 */

/** Room for so many before the older half is forgotten: half a gigabyte of short lines. Twice 16 MiB. */
const MAX_SLOTS = 2 ** 21;
const FIRST_SLOTS = 2 ** 12;
const FULL = 0.7;

export class SeenIds {
  readonly #maxSlots: number;
  #now: Generation;
  #before: Generation | null = null;
  #hasForgotten = false;

  constructor(maxSlots = MAX_SLOTS) {
    this.#maxSlots = maxSlots;
    this.#now = new Generation(Math.min(FIRST_SLOTS, maxSlots));
  }

  /** Some were forgotten: one that is not here may have been seen. */
  get hasForgotten(): boolean {
    return this.#hasForgotten;
  }

  has(id: string): boolean {
    const [high, low] = hashed(id);
    return this.#now.has(high, low) || this.#before?.has(high, low) === true;
  }

  /** False: it was there. */
  add(id: string): boolean {
    const [high, low] = hashed(id);
    if (this.#before?.has(high, low) === true || !this.#now.add(high, low)) return false;
    if (this.#now.isFull) this.#makeRoom();
    return true;
  }

  #makeRoom(): void {
    if (this.#now.slots < this.#maxSlots) {
      this.#now = this.#now.doubled();
      return;
    }
    this.#hasForgotten = this.#before !== null;
    this.#before = this.#now;
    this.#now = new Generation(Math.min(FIRST_SLOTS, this.#maxSlots));
  }
}

/** Open addressing; a pair of zeros is an empty slot. */
class Generation {
  readonly slots: number;
  readonly #pairs: Uint32Array;
  #count = 0;

  constructor(slots: number) {
    this.slots = slots;
    this.#pairs = new Uint32Array(2 * slots);
  }

  get isFull(): boolean {
    return this.#count >= FULL * this.slots;
  }

  has(high: number, low: number): boolean {
    return this.#pairs[2 * this.#slotOf(high, low)] !== 0;
  }

  /** False: it was there. */
  add(high: number, low: number): boolean {
    const slot = this.#slotOf(high, low);
    if (this.#pairs[2 * slot] !== 0) return false;
    this.#pairs[2 * slot] = high;
    this.#pairs[2 * slot + 1] = low;
    this.#count += 1;
    return true;
  }

  doubled(): Generation {
    const larger = new Generation(2 * this.slots);
    for (let at = 0; at < this.#pairs.length; at += 2) {
      const [high, low] = [this.#pairs[at] ?? 0, this.#pairs[at + 1] ?? 0];
      if (high !== 0) larger.add(high, low);
    }
    return larger;
  }

  /** Where it is, or the empty slot where it belongs. */
  #slotOf(high: number, low: number): number {
    let slot = low & (this.slots - 1);
    for (;;) {
      const found = this.#pairs[2 * slot];
      if (found === 0 || (found === high && this.#pairs[2 * slot + 1] === low)) return slot;
      slot = (slot + 1) & (this.slots - 1);
    }
  }
}

/** Two FNV-1a walks, mixed; the first is never 0. */
function hashed(id: string): readonly [number, number] {
  let [high, low] = [0x811c9dc5, 0x9e3779b9];
  for (let at = 0; at < id.length; at++) {
    const unit = id.charCodeAt(at);
    high = Math.imul(high ^ unit, 0x01000193);
    low = Math.imul(low ^ unit, 0x85ebca6b);
    low ^= low >>> 13;
  }
  high ^= high >>> 15;
  low ^= low >>> 16;
  return [high >>> 0 || 1, low >>> 0];
}
