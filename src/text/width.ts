/**
 * How many columns text takes on a terminal, and how to cut, pad and wrap it by columns instead of by
 * UTF-16 units. Graphemes are Intl.Segmenter's; East Asian wide and fullwidth characters and emoji take two
 * columns, combining, zero-width and control characters and ANSI styles none.
 *
 * For text of our own or text that went through `escapeForTerminal`: nothing here makes text harmless.
 */
/**
 * Intl.Segmenter's time grows with the square of the text, so it is given blocks of this many UTF-16 units;
 * also the longest grapheme known as one (real ones have a dozen; a thousand accents on one letter do not count).
 */
const BLOCK_UNITS = 256;
let segmenter: Intl.Segmenter | undefined;
/** Made when text needs it: its tables take longer to load than a whole short command runs. */
function graphemes(): Intl.Segmenter {
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  return segmenter;
}

/** CSI sequences (colours among them) and OSC sequences up to their end: they take no column. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with a control character.
const ANSI = /\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)/g;
const RESET = "\x1b[0m";
/** No terminal is wider; an endless or wrong width must not ask for endless padding (T5). */
const MAX_COLUMNS = 10_000;
/** Characters of one column each that join with nothing: no segmenter is asked. */
const PLAIN = /^[\x20-\x7e…]*$/;
const EMOJI = /\p{Emoji_Presentation}|\p{Emoji}\ufe0f|\p{Regional_Indicator}{2}/u;
const NO_WIDTH =
  /^[\p{Mn}\p{Me}\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u1160-\u11ff\ud7b0-\ud7ff]$/u;

const FIRST_WIDE = 0x1100;
/** East Asian Width W and F of Unicode's EastAsianWidth.txt, without the emoji (EMOJI knows them). */
const WIDE: readonly (readonly [number, number])[] = [
  [FIRST_WIDE, 0x115f],
  [0x2329, 0x232a],
  [0x2e80, 0x303e],
  [0x3041, 0x3247],
  [0x3250, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18d1e],
  [0x1aff0, 0x1b2fb],
  [0x1d300, 0x1d376],
  [0x1f200, 0x1f265],
  [0x20000, 0x3fffd],
];

export function displayWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  const bare = text.replace(ANSI, "");
  if (PLAIN.test(bare)) return bare.length;
  let width = 0;
  for (const { pieceWidth } of graphemesOf(bare)) width += pieceWidth;
  return width;
}

/**
 * The text if it fits, else its beginning and the ellipsis: together never more than `columns`. Styles are
 * kept, and closed when the cut would leave one open.
 */
export function truncateToWidth(text: string, columns: number, ellipsis = "…"): string {
  const room = boundedColumns(columns);
  if (displayWidth(text) <= room) return text;
  const ellipsisWidth = displayWidth(ellipsis);
  if (ellipsisWidth > room) return takeWidth(ellipsis, room);
  const taken = takeWidth(text, room - ellipsisWidth);
  const isStyled = taken.search(ANSI) !== -1;
  return isStyled ? `${taken}${ellipsis}${RESET}` : taken + ellipsis;
}

/** Of a name its beginning and, what tells it from others, its end: together with the ellipsis never more than `columns`. */
export function truncateMiddle(text: string, columns: number, ellipsis = "…"): string {
  const room = boundedColumns(columns);
  if (displayWidth(text) <= room) return text;
  const left = room - displayWidth(ellipsis);
  if (left < 2) return truncateToWidth(text, room, ellipsis);
  const head = takeWidth(text, Math.floor(left / 3));
  const pieces = [...piecesOf(text)];
  let width = displayWidth(head);
  let at = pieces.length;
  while (at > 0 && width + (pieces[at - 1]?.pieceWidth ?? 0) <= left) width += pieces[--at]?.pieceWidth ?? 0;
  return `${head}${ellipsis}${pieces
    .slice(at)
    .map(({ piece }) => piece)
    .join("")}`;
}

/** The text with spaces after it up to `columns`; wider text is left as it is. */
export function padToWidth(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, boundedColumns(columns) - displayWidth(text)));
}

/**
 * Lines of at most `columns`, broken at spaces, or inside a word that is longer than a line. Line feeds in
 * the text stay breaks. Only a single character wider than `columns` can make a line wider.
 */
export function wrapToWidth(text: string, columns: number): string[] {
  const room = Math.max(1, boundedColumns(columns));
  return text.split("\n").flatMap((line) => wrapLine(line, room));
}

function boundedColumns(columns: number): number {
  return Number.isNaN(columns) ? 0 : Math.min(MAX_COLUMNS, Math.max(0, Math.floor(columns)));
}

function wrapLine(line: string, columns: number): string[] {
  if (displayWidth(line) <= columns) return [line];
  const lines: string[] = [];
  let current = "";
  let width = 0;
  // Words and the spaces between them: the spaces go where a line is broken.
  for (const piece of line.split(/( +)/)) {
    const pieceWidth = displayWidth(piece);
    if (width + pieceWidth <= columns) {
      current += piece;
      width += pieceWidth;
      continue;
    }
    if (current.trim() !== "") lines.push(current.trimEnd());
    const rest = piece.startsWith(" ") ? "" : breakWord(piece, columns, lines);
    current = rest;
    width = displayWidth(rest);
  }
  if (current.trim() !== "" || lines.length === 0) lines.push(current.trimEnd());
  return lines;
}

/** Puts whole lines of an over-long word into `lines` and gives back what is left of it. */
function breakWord(word: string, columns: number, lines: string[]): string {
  let current = "";
  let width = 0;
  for (const { piece, pieceWidth } of piecesOf(word)) {
    // A character wider than the line stands alone rather than never.
    if (width + pieceWidth > columns && width > 0) {
      lines.push(current);
      current = "";
      width = 0;
    }
    current += piece;
    width += pieceWidth;
  }
  return current;
}

/** The longest beginning of at most `columns`; escape sequences are never cut. */
function takeWidth(text: string, columns: number): string {
  let end = 0;
  let width = 0;
  for (const { piece, pieceWidth } of piecesOf(text)) {
    if (width + pieceWidth > columns) break;
    width += pieceWidth;
    end += piece.length;
  }
  return text.slice(0, end);
}

function* piecesOf(text: string): Generator<{ piece: string; pieceWidth: number }> {
  let from = 0;
  for (const sequence of text.matchAll(ANSI)) {
    yield* graphemesOf(text.slice(from, sequence.index));
    yield { piece: sequence[0], pieceWidth: 0 };
    from = sequence.index + sequence[0].length;
  }
  yield* graphemesOf(text.slice(from));
}

function* graphemesOf(text: string): Generator<{ piece: string; pieceWidth: number }> {
  if (PLAIN.test(text)) {
    for (const piece of text) yield { piece, pieceWidth: 1 };
    return;
  }
  for (let from = 0; from < text.length; ) {
    // A pair of surrogates is not cut: its first half would break a grapheme that goes on.
    const isPairAtEnd = (text.codePointAt(from + BLOCK_UNITS - 1) ?? 0) > 0xffff;
    const block = text.slice(from, from + BLOCK_UNITS - (isPairAtEnd ? 1 : 0));
    const isLast = from + block.length === text.length;
    for (const { segment, index } of graphemes().segment(block)) {
      // The last grapheme of a block may go on in the next one: the next block begins with it.
      if (!isLast && index > 0 && index + segment.length === block.length) break;
      from += segment.length;
      yield { piece: segment, pieceWidth: graphemeWidth(segment) };
    }
  }
}

function graphemeWidth(segment: string): number {
  if (EMOJI.test(segment)) return 2;
  let width = 0;
  for (const character of segment) width += characterWidth(character);
  // A cluster of several bases (Hangul, Indic conjuncts) is drawn in two columns at most.
  return Math.min(2, width);
}

function characterWidth(character: string): number {
  if (NO_WIDTH.test(character)) return 0;
  const code = character.codePointAt(0) ?? 0;
  if (code < FIRST_WIDE) return 1;
  return WIDE.some(([from, to]) => code >= from && code <= to) ? 2 : 1;
}
