/**
 * Finds the line in which a program says that its usage limit is reached, by a text its user gave, and the time in that
 * line at which it ends: seconds or milliseconds since 1970, or ISO 8601 with a zone. One search per piece of output.
 */

/** A line longer than this is no message; the text is looked for in its last part. */
const MAX_LINE_BYTES = 4096;
const LINE_FEED = 0x0a;

/** Null: nobody said when it ends. */
export interface FoundLimit {
  readonly kind: "limit";
  readonly resetsAtMs: number | null;
}

export class LimitReader {
  readonly #text: Buffer;
  /** The line that has not ended yet, from its beginning or its last 4 KiB. */
  #line = Buffer.alloc(0);

  constructor(text: string) {
    this.#text = Buffer.from(text);
  }

  read(piece: Buffer): readonly FoundLimit[] {
    const seen = Buffer.concat([this.#line, piece]);
    const end = seen.lastIndexOf(LINE_FEED);
    this.#line = Buffer.from(seen.subarray(end + 1).subarray(-MAX_LINE_BYTES));
    const at = seen.subarray(0, end + 1).indexOf(this.#text);
    return at < 0 ? [] : [this.#found(seen, at)];
  }

  /** Output is over: a last line without its end counts. */
  end(): readonly FoundLimit[] {
    const at = this.#line.indexOf(this.#text);
    return at < 0 ? [] : [this.#found(this.#line, at)];
  }

  #found(seen: Buffer, at: number): FoundLimit {
    const from = seen.lastIndexOf(LINE_FEED, at) + 1;
    const to = seen.indexOf(LINE_FEED, at);
    const line = seen.subarray(Math.max(from, at - MAX_LINE_BYTES), to < 0 ? seen.length : to);
    return { kind: "limit", resetsAtMs: timeIn(line.toString("utf8")) };
  }
}

const ISO = /\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)/;
/** Years 2017 to 2286; other numbers of ten digits are not times. */
const EPOCH = /(?<!\d)(1[5-9]\d{8}|[2-9]\d{9})(\d{3})?(?!\d)/;

export function timeIn(line: string): number | null {
  const iso = Date.parse(ISO.exec(line)?.[0] ?? "");
  if (!Number.isNaN(iso)) return iso;
  const [, seconds, millis] = EPOCH.exec(line) ?? [];
  return seconds === undefined ? null : Number(seconds) * 1000 + Number(millis ?? 0);
}
