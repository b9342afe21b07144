// biome-ignore-all lint/suspicious/noControlCharactersInRegex: taking control characters out is the point.
/**
 * The last whole lines of a terminal's or a pipe's output, as plain text: escape sequences are taken out whole,
 * wherever the pieces they came in were cut, a line that was drawn over (CR, backspace) is what stood there last,
 * and a jump of the cursor ends a line, because full-screen programs never print a line feed.
 */

export interface LastLinesOptions {
  readonly maxBytes: number;
  /** The writer ended by itself: what stands after the last line feed is a whole line. Else it was cut off in it. */
  readonly isEnded: boolean;
}

/** OSC, DCS, SOS, PM and APC carry text of their own up to ST or BEL; one that never ends stops at the line's end. */
const STRINGS =
  /(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c\n]*(?:\u0007|\u001b\\|\u009c)?/g;
/** CSI with its final byte; or cut off at the end of what was kept. */
const CONTROLS = /(?:\u001b\[|\u009b)[0-?]*[ -/]*([@-~]|$)/g;
const OTHERS = /\u001b[ -/]*(?:[0-~]|$)/g;
/** Cursor up, down, next line, previous line, to a place, to a row. */
const JUMPS = "ABEFHdf";
const REST = /[\u0000-\u0007\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;

/** Null when no whole line was printed. The final line feed is left out. */
export function lastWholeLines(bytes: Buffer, { maxBytes, isEnded }: LastLinesOptions): string | null {
  const lines = plainText(bytes.toString("utf8")).split("\n");
  const unfinished = lines.pop() ?? "";
  if (isEnded && unfinished !== "") lines.push(unfinished);
  while (lines.at(-1) === "") lines.pop();
  const last = lines.at(-1);
  if (last === undefined) return null;
  if (Buffer.byteLength(last) > maxBytes) return endOfLine(last, maxBytes);
  const kept: string[] = [];
  for (let at = lines.length - 1, room = maxBytes; at >= 0; at -= 1) {
    const line = lines[at] ?? "";
    room -= Buffer.byteLength(line) + (kept.length === 0 ? 0 : 1);
    if (room < 0) break;
    kept.unshift(line);
  }
  return kept.join("\n").replace(/^\n+/, "");
}

function plainText(text: string): string {
  return text
    .replace(STRINGS, "")
    .replace(CONTROLS, (_, final: string) => (final !== "" && JUMPS.includes(final) ? "\n" : ""))
    .replace(OTHERS, "")
    .replaceAll("\r\n", "\n")
    .split("\n")
    .map(drawnLine)
    .join("\n");
}

/** What stands on the line after everything that was drawn over it. */
function drawnLine(line: string): string {
  const drawn = line.includes("\r") ? (line.split("\r").findLast((part) => part !== "") ?? "") : line;
  const typed = drawn.includes("\b") ? withoutBackspaces(drawn) : drawn;
  return typed.replace(REST, "");
}

function withoutBackspaces(line: string): string {
  const kept: string[] = [];
  for (const char of line) {
    if (char === "\b") kept.pop();
    else kept.push(char);
  }
  return kept.join("");
}

/** A line longer than all there is room for: its end says more than nothing, and it says that it is an end. */
function endOfLine(line: string, maxBytes: number): string {
  const mark = "...";
  const end = Buffer.from(line).subarray(-(maxBytes - mark.length));
  // Cut inside a character, its rest is not text.
  const from = end.findIndex((byte) => (byte & 0xc0) !== 0x80);
  return mark + end.subarray(Math.max(0, from)).toString("utf8");
}
