/**
 * Keeps the end of what the agent prints, in the run folder, so that it is there when this process is killed: each
 * piece is with the kernel before the reader sees it. Lines of stdout and stderr are kept whole and never mixed: the
 * part of a line that has come so far waits here, because a line that was cut off is not kept anyway.
 */
import { ensureError } from "../model/errors.ts";
import { readTail, TAIL_PIECE_BYTES, TailFile } from "../platform/tail-file.ts";
import { tailWords } from "../session/run-folder.ts";
import { sizeMark, type TerminalSize } from "../text/screen-words.ts";

/** Of a line without an end only its last part is held (T5); more than is ever shown. */
const PART_BYTES = 32 * 1024;
const LINE_FEED = 0x0a;
const EMPTY = Buffer.alloc(0);

export type OutputStream = "stdout" | "stderr" | "terminal";

export class OutputKeeper {
  readonly #folder: string;
  readonly #onFailure: (error: Error) => void;
  readonly #words: ((text: string) => string) | null;
  readonly #parts: Record<"stdout" | "stderr", Buffer> = { stdout: EMPTY, stderr: EMPTY };
  #tail: TailFile | null;
  #bytesSeen = 0;

  /** `words`: what a stream of JSON says; null: what is printed is for people. */
  constructor(
    folder: string,
    onFailure: (error: Error) => void,
    words: ((text: string) => string) | null = null,
  ) {
    this.#folder = folder;
    this.#onFailure = onFailure;
    this.#words = words;
    this.#tail = new TailFile(folder);
  }

  get bytesSeen(): number {
    return this.#bytesSeen;
  }

  take(piece: Buffer, from: OutputStream): void {
    this.#bytesSeen += piece.length;
    if (from === "terminal") this.#append(piece);
    else this.#takeLines(piece, from);
  }

  /** Noted among what was printed: whoever reads it after a kill needs the size it was drawn for. */
  resized(size: TerminalSize): void {
    this.#append(Buffer.from(sizeMark(size)));
  }

  /**
   * `isEnded`: the agent ended by itself, so what it printed last is whole, with or without a line feed. `terminal`: the
   * size of the one it printed at; null: pipes.
   */
  lastLines({
    isEnded,
    terminal,
  }: {
    readonly isEnded: boolean;
    readonly terminal: TerminalSize | null;
  }): Promise<string | null> {
    const kept = readTail(this.#folder);
    const { stdout, stderr } = this.#parts;
    const lineBreak = stdout.length > 0 && stderr.length > 0 ? Buffer.from("\n") : EMPTY;
    const rest = isEnded ? [stderr, lineBreak, stdout] : [];
    const tail = { bytes: Buffer.concat([kept?.bytes ?? EMPTY, ...rest]), isCut: kept?.isCut ?? false };
    const words = this.#words ?? undefined;
    return tailWords(tail, { words, terminal, isEnded: isEnded || words !== undefined });
  }

  close(): void {
    this.#tail?.close();
    this.#tail = null;
  }

  #takeLines(piece: Buffer, from: "stdout" | "stderr"): void {
    const end = piece.lastIndexOf(LINE_FEED) + 1;
    if (end > 0) {
      // Of a piece that is larger than what is kept of one, the beginning is not kept, and nothing before it.
      if (this.#parts[from].length > 0 && end <= TAIL_PIECE_BYTES) this.#append(this.#parts[from]);
      this.#append(piece.subarray(0, end));
      this.#parts[from] = EMPTY;
    }
    if (end === piece.length) return;
    // A copy, and a bounded one: the piece is the stream's own memory.
    this.#parts[from] = Buffer.concat([this.#parts[from], piece.subarray(end)]).subarray(-PART_BYTES);
  }

  /** A full disk costs the kept lines, not the agent: said once, and the agent goes on. */
  #append(bytes: Buffer): void {
    try {
      this.#tail?.append(bytes);
    } catch (thrown) {
      this.close();
      this.#onFailure(ensureError(thrown));
    }
  }
}
