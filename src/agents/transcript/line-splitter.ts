/**
 * Lines out of bytes as they come, with their places, in bounded memory: a line over the limit is passed over, not held (T5).
 * A line counts only when its line feed is there; what stands behind the last one is given at the end.
 */
import { TRANSCRIPT_LINE_BYTES } from "../../model/limits.ts";

export interface LinePlace {
  /** Counts from 1. */
  readonly line: number;
  /** Where it begins in the file. */
  readonly byte: number;
}

export interface SplitLine extends LinePlace {
  /** Null: longer than a line may be. A view of the splitter's memory: copy what is kept. */
  readonly bytes: Buffer | null;
  /** Of the line, without its line feed. */
  readonly length: number;
  /** False: the last one, and no line feed came. */
  readonly isEnded: boolean;
}

const LINE_FEED = 0x0a;
const NONE_PASSED = (): boolean => false;

export class LineSplitter {
  readonly #limit: number;
  #held: Buffer[] = [];
  #heldBytes = 0;
  #isOver = false;
  #line: number;
  #begins: number;

  /** `from`: where in the file the first byte stands that will be fed. */
  constructor(from: LinePlace = { line: 1, byte: 0 }, limit = TRANSCRIPT_LINE_BYTES) {
    this.#limit = limit;
    this.#line = from.line;
    this.#begins = from.byte;
  }

  /** Where the line begins that has not ended yet: reading can go on from here another time. */
  get place(): LinePlace {
    return { line: this.#line, byte: this.#begins };
  }

  /** What `take` throws costs the rest of the piece: who has no other copy of it catches that for each line. `isPassed`: a line that lies whole in the piece, from and to these places, is passed over: no memory is taken for it. */
  feed(
    piece: Buffer,
    take: (line: SplitLine) => void,
    isPassed: (piece: Buffer, from: number, to: number) => boolean = NONE_PASSED,
  ): void {
    let at = 0;
    for (let end = piece.indexOf(LINE_FEED); end >= 0; end = piece.indexOf(LINE_FEED, at)) {
      if (this.#heldBytes === 0 && isPassed(piece, at, end)) {
        this.#begins += end - at + 1;
        this.#line += 1;
        at = end + 1;
        continue;
      }
      const last = piece.subarray(at, end);
      const length = this.#heldBytes + last.length;
      const bytes = this.#isOver || length > this.#limit ? null : this.#joined(last);
      const line = { line: this.#line, byte: this.#begins, bytes, length, isEnded: true };
      // Before it is taken: whoever throws over one line finds the next one whole, and not behind the pieces of that one.
      this.#begins += length + 1;
      this.#line += 1;
      this.#forget();
      at = end + 1;
      take(line);
    }
    if (at < piece.length) this.#hold(piece.subarray(at));
  }

  /** What stands behind the last line feed, if anything. */
  end(take: (line: SplitLine) => void): void {
    if (this.#heldBytes === 0) return;
    const bytes = this.#isOver ? null : this.#joined(Buffer.alloc(0));
    take({ line: this.#line, byte: this.#begins, bytes, length: this.#heldBytes, isEnded: false });
  }

  #joined(last: Buffer): Buffer {
    return this.#heldBytes === 0 ? last : Buffer.concat([...this.#held, last]);
  }

  #hold(piece: Buffer): void {
    this.#heldBytes += piece.length;
    if (this.#heldBytes > this.#limit) {
      this.#isOver = true;
      this.#held = [];
    }
    // A copy: the piece is the reader's own memory and is filled again.
    if (!this.#isOver) this.#held.push(Buffer.from(piece));
  }

  #forget(): void {
    this.#held = [];
    this.#heldBytes = 0;
    this.#isOver = false;
  }
}
