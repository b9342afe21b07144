import { TRANSCRIPT_LINE_BYTES } from "../../model/limits.ts";

/** A text to its last line feed: behind it stands what somebody was still writing. Of a line that is too long for one nobody knows that: it stays. */
export async function* wholeLines(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  for await (const piece of pieces) {
    const end = piece.lastIndexOf(LINE_FEED) + 1;
    if (end > 0) {
      yield Buffer.concat([...held, piece.subarray(0, end)]);
      held = [];
    }
    if (end < piece.length) held.push(piece.subarray(end));
    if (held.reduce((sum, one) => sum + one.length, 0) <= TRANSCRIPT_LINE_BYTES) continue;
    yield Buffer.concat(held);
    held = [];
  }
}

const LINE_FEED = 10;
