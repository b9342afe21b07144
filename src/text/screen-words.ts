/**
 * The words on a terminal's screen after the bytes that were written to it. A program that draws (a TUI) writes the same
 * rows again and again, in pieces, wherever they changed: its words are what stands on the screen at the end, and only a
 * terminal knows that. So the bytes go through one without a window (docs/decisions/0020-a-screen-model.md), which is loaded here and at
 * no other time. What is given is bounded (the end of an output), and so is the work it can ask for.
 */
import type { IBuffer, Terminal } from "@xterm/headless";
import { tidyScreen } from "./tidy-screen.ts";

export interface TerminalSize {
  readonly cols: number;
  readonly rows: number;
}

export interface PrintedAtTerminal {
  readonly bytes: Buffer;
  /** Its size when nothing in the bytes says another one. */
  readonly size: TerminalSize;
  /** Its beginning is not there: what stands first may be the rest of a sequence or of a line. */
  readonly isCut: boolean;
  /** The program ended by itself: what it printed last is a whole line. */
  readonly isEnded: boolean;
}

/** Lines above the screen: more than is ever shown of an output. */
const SCROLLBACK = 1000;
/** No terminal is larger; a record may say so. */
const MAX_SIZE: TerminalSize = { cols: 500, rows: 300 };
/**
 * Rows that all sequences together may move or empty: a count may be any number, and the model does what it says. A busy
 * screen asks for some thousand (T5).
 */
const MAX_ROWS_MOVED = 100_000;

/** How a change of size is noted among the bytes: as a terminal is asked for it, so that no other reader stumbles. */
export const sizeMark = ({ cols, rows }: TerminalSize): string => `\x1b[8;${rows};${cols}t`;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences a terminal knows.
const SIZE_MARKS = /\x1b\[8;(\d{1,4});(\d{1,4})t/g;
/** To the other screen and back. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences a terminal knows.
const SWITCHES = /\x1b\[\?(?:\d+;)*(?:1049|1047|47)(?:;\d+)*([hl])/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences a terminal knows.
const MOVES = /\x1b\[[\d;]*[ABEFHdfGJKu]|\x1b[78M]|\r(?!\n)/;
const TO_OTHER_SCREEN = "\x1b[?1049h";

/**
 * Lines, oldest first. The other screen's last look stands where the program left it, or at the end if it never did.
 */
export async function screenWords(printed: PrintedAtTerminal): Promise<string> {
  const bytes = printed.isCut ? fromWhole(printed.bytes) : printed.bytes;
  const text = bytes.toString("latin1");
  const terminal = await makeTerminal(sizeOf(text, printed.size));
  try {
    const switches = [...text.matchAll(SWITCHES)];
    // Whoever comes back from the other screen was there, though its going is no longer among what was kept.
    if (switches[0]?.[1] === "l") await written(terminal, Buffer.from(TO_OTHER_SCREEN));
    const left = switches.findLast(([, to]) => to === "l");
    const at = left ? left.index : 0;
    await written(terminal, bytes.subarray(0, at));
    const shown = isOther(terminal) ? linesOf(terminal.buffer.active) : [];
    const back = left ? at + left[0].length : 0;
    await written(terminal, bytes.subarray(at, back));
    const here = isOther(terminal) ? undefined : terminal.registerMarker(0);
    await written(terminal, bytes.subarray(back));
    const lines = linesOf(terminal.buffer.normal);
    const place = Math.max(0, here?.line ?? 0);
    const now = isOther(terminal) ? linesOf(terminal.buffer.alternate) : [];
    if (!printed.isEnded && now.length === 0 && endsWithinLine(text)) lines.pop();
    return tidyScreen([...lines.slice(0, place), ...shown, "", ...lines.slice(place), ...now]).join("\n");
  } finally {
    terminal.dispose();
  }
}

async function makeTerminal({ cols, rows }: TerminalSize): Promise<Terminal> {
  const { default: xterm } = await import("@xterm/headless");
  const terminal = new xterm.Terminal({
    cols,
    rows,
    scrollback: SCROLLBACK,
    allowProposedApi: true,
    logLevel: "off",
  });
  boundWork(terminal);
  return terminal;
}

/** A handler that returns true keeps a sequence from being done. */
function boundWork({ parser, rows }: Terminal): void {
  let left = MAX_ROWS_MOVED;
  const costs = (moved: number): boolean => {
    if (moved > left) return true;
    left -= moved;
    return false;
  };
  const counted = ([count]: (number | number[])[]): boolean => costs(Math.max(1, Number(count) || 1));
  for (const final of "@ILMPSTXZb") parser.registerCsiHandler({ final }, counted);
  for (const intermediates of ["'", " "])
    for (const final of "}~@A") parser.registerCsiHandler({ intermediates, final }, () => costs(rows));
  for (const prefix of ["", "?"]) parser.registerCsiHandler({ prefix, final: "J" }, () => costs(rows));
  for (const final of "hl")
    parser.registerCsiHandler({ prefix: "?", final }, (modes) => modes.some(isSwitch) && costs(rows));
  parser.registerEscHandler({ final: "c" }, () => costs(rows));
  parser.registerEscHandler({ intermediates: "#", final: "8" }, () => costs(rows));
}

const isSwitch = (mode: number | number[]): boolean => mode === 1049 || mode === 1047 || mode === 47;

const isOther = (terminal: Terminal): boolean => terminal.buffer.active.type === "alternate";

const written = (terminal: Terminal, bytes: Uint8Array): Promise<void> =>
  new Promise((resolve) => {
    terminal.write(bytes, resolve);
  });

/** What a terminal broke at its edge is one line. */
function linesOf(buffer: IBuffer): string[] {
  const lines: string[] = [];
  for (let at = 0; at < buffer.length; at += 1) {
    const row = buffer.getLine(at);
    if (!row) continue;
    const text = row.translateToString(buffer.getLine(at + 1)?.isWrapped !== true);
    if (row.isWrapped && lines.length > 0) lines.push(lines.pop() + text);
    else lines.push(text);
  }
  while (lines.at(-1)?.trim() === "") lines.pop();
  return lines;
}

/** Of bytes whose beginning is gone: from where a sequence or a line begins. */
function fromWhole(bytes: Buffer): Buffer {
  const sequence = bytes.indexOf(0x1b);
  const feed = bytes.indexOf(0x0a);
  if (sequence < 0 && feed < 0) return bytes;
  return bytes.subarray(sequence < 0 || (feed >= 0 && feed < sequence) ? feed + 1 : sequence);
}

/** Cut off while it printed a line; whoever moves the cursor about prints no lines. */
function endsWithinLine(text: string): boolean {
  const last = text.slice(text.lastIndexOf("\n") + 1);
  return last !== "" && !MOVES.test(last);
}

function sizeOf(text: string, size: TerminalSize): TerminalSize {
  const [, rows = size.rows, cols = size.cols] = [...text.matchAll(SIZE_MARKS)].at(-1) ?? [];
  return {
    cols: Math.min(MAX_SIZE.cols, Math.max(2, Math.trunc(Number(cols)) || 80)),
    rows: Math.min(MAX_SIZE.rows, Math.max(2, Math.trunc(Number(rows)) || 24)),
  };
}
