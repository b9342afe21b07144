/**
 * Any program at all as an agent: it reports nothing of itself but text markers, hears no notice and knows no way back
 * into its conversation.
 */
import {
  type Agent,
  defaultLadder,
  type LimitSigns,
  type ObservedOutput,
  type OutputReader,
} from "./agent.ts";

const NO_LIMIT: LimitSigns = { reader: () => null, code: null };

/** `limit`: what its user says of it. */
export function genericAgent(name: string, limit: LimitSigns = NO_LIMIT): Agent {
  return {
    name,
    limit,
    reportsTurns: false,
    prepare: (command) => ({ command, env: {}, nativeId: null }),
    reader: () => new MarkerReader(),
    stopLadder: defaultLadder,
    notice: () => null,
    resume: () => null,
  };
}

// `# BEGIN: LABEL` and `# END: LABEL` alone on a line of the agent's own output (DESIGN 8). Looked for by searching
// for a line that begins with "# ", so that a flood of other output costs one search per piece.

/** A label is a name, not a text; a longer line is no marker. */
const MAX_LINE_BYTES = 300;

const LINE_FEED = 0x0a;
const HASH = 0x23;
const CANDIDATE = Buffer.from("\n# ");
const MARKER = /^# (BEGIN|END): (\S.*?)\s*$/;

export class MarkerReader implements OutputReader {
  /** The beginning of the line that has not ended yet, or null: it cannot be a marker any more. */
  #line: Buffer | null = Buffer.alloc(0);

  read(piece: Buffer): readonly ObservedOutput[] {
    const found: ObservedOutput[] = [];
    const firstEnd = piece.indexOf(LINE_FEED);
    if (firstEnd < 0) {
      this.#grow(piece);
      return found;
    }
    this.#grow(piece.subarray(0, firstEnd));
    add(found, this.#line);
    for (let at = piece.indexOf(CANDIDATE, firstEnd); at >= 0; at = piece.indexOf(CANDIDATE, at + 1)) {
      const end = piece.indexOf(LINE_FEED, at + 1);
      if (end < 0) break;
      add(found, piece.subarray(at + 1, end));
    }
    this.#line = Buffer.alloc(0);
    this.#grow(piece.subarray(piece.lastIndexOf(LINE_FEED) + 1));
    return found;
  }

  #grow(more: Buffer): void {
    if (this.#line === null) return;
    const isLong = this.#line.length + more.length > MAX_LINE_BYTES;
    const first = this.#line[0] ?? more[0];
    const canBe = !isLong && (first === undefined || first === HASH);
    // A copy: the piece is the stream's own memory, and larger than this line.
    this.#line = canBe ? Buffer.concat([this.#line, more]) : null;
  }
}

function add(found: ObservedOutput[], line: Buffer | null): void {
  if (line === null || line.length > MAX_LINE_BYTES) return;
  const [, word, label] = MARKER.exec(line.toString("utf8")) ?? [];
  if (label === undefined) return;
  found.push({ kind: word === "BEGIN" ? "operation-began" : "operation-ended", label });
}
