/**
 * What a program has switched on at its terminal and not off again, told by the bytes that passed: whoever is killed
 * cannot put its terminal right. Looks at escape sequences only and skips the text between them, so that it costs a
 * relay next to nothing.
 */

const ESCAPE = 0x1b;
const LEFT_BRACKET = 0x5b;
const BELL = 0x07;
const COLON = 0x3a;
const SEMICOLON = 0x3b;
/** Both give up a sequence wherever it stands. */
const CANCEL = 0x18;
const SUBSTITUTE = 0x1a;

const STYLE = 0x6d;
/** Before the numbers of what looks like a style and says how keys are told. */
const PRIVATE_KEYS = 0x3e;
/** The other control sequences that switch something. */
const OURS: ReadonlySet<number> = new Set(Buffer.from("hlurq"));

/** A sequence of ours is some ten bytes; one that is longer says nothing we know (T5). */
const MAX_SEQUENCE = 256;
/** Keyboards nobody nests deeper; terminals forget more than that, too. */
const MAX_KEYBOARDS = 16;

/** Modes that are off at a terminal nobody has touched. */
const USUALLY_OFF: ReadonlySet<number> = new Set([
  ...[1, 5, 6, 66], // keys of the cursor, reverse video, origin, keypad
  ...[9, 1000, 1001, 1002, 1003, 1005, 1006, 1007, 1015, 1016], // mouse
  ...[1004, 2004, 2026, 2031, 2048], // focus, paste, synchronized output, colours' and size's changes
]);
/** Wrapping at the edge, the cursor. */
const USUALLY_ON: ReadonlySet<number> = new Set([7, 25]);
const ALTERNATE: ReadonlySet<number> = new Set([47, 1047, 1049]);

/** What a style's number begins and which one ends it. */
const STYLE_ENDS: readonly (readonly [from: number, to: number, end: number])[] = [
  [1, 2, 22],
  [3, 3, 23],
  [20, 20, 23],
  [4, 4, 24],
  [21, 21, 24],
  [5, 6, 25],
  [7, 7, 27],
  [8, 8, 28],
  [9, 9, 29],
  [11, 19, 10],
  [30, 38, 39],
  [90, 97, 39],
  [40, 48, 49],
  [100, 107, 49],
  [51, 52, 54],
  [53, 53, 55],
  [58, 58, 59],
];
/** By number: a bit for what it begins, and for what it ends. Looked up for every colour of a busy screen. */
const BEGINS = new Int32Array(108);
const ENDS = new Int32Array(108);
for (const [from, to, end] of STYLE_ENDS) {
  ENDS[end] ||= 1 << new Set(STYLE_ENDS.map(([, , one]) => one).filter((one) => one < end)).size;
  BEGINS.fill(ENDS[end] ?? 0, from, to + 1);
}
const UNDERLINE = 4;
const UNDERLINE_END = 24;
/** Colours whose own numbers follow: 5 and one, or 2 and three. */
const COLOURS: ReadonlySet<number> = new Set([38, 48, 58]);

/** Where the last piece ended: between sequences, within one, or within the text that some carry (a title). */
type Within = "text" | "sequence" | "string";

export class TerminalModes {
  readonly #modes = new Map<number, boolean>();
  /** Kitty's keyboards: each screen has its own. */
  readonly #keyboards = { main: 0, alternate: 0 };
  /** A bit for each style that has not ended. */
  #styles = 0;
  #within: Within = "text";
  #begun = "";
  #isKeypadOn = false;
  #isInserting = false;
  #hasLineDrawing = false;
  #hasCursorShape = false;
  #hasMargins = false;
  #hasKeyReports = false;
  #hasKeyboardFlags = false;

  take(piece: Buffer): void {
    let at = 0;
    while (at < piece.length) {
      if (this.#within === "sequence") at = this.#goOn(piece, at);
      else if (this.#within === "string") at = this.#skipString(piece, at);
      else {
        const found = piece.indexOf(ESCAPE, at);
        if (found < 0) return;
        at = this.#control(piece, found) ?? this.#begin(found);
      }
    }
  }

  /** What puts the terminal right; empty: it is as it was. */
  reset(): string {
    const modes = [...this.#modes.keys()].filter((mode) => !ALTERNATE.has(mode));
    const screens = [...this.#modes.keys()].filter((mode) => ALTERNATE.has(mode));
    const { main, alternate } = this.#keyboards;
    return [
      // Within a sequence all that follows would be taken for a part of it.
      this.#within === "text" ? "" : "\x18\x1b\\",
      // First: until then the terminal may show nothing at all.
      ...modes.filter((mode) => mode === 2026).map(turned),
      // Setting margins moves the cursor.
      this.#hasMargins ? "\x1b7\x1b[r\x1b8" : "",
      ...modes.filter((mode) => mode !== 2026).map(turned),
      alternate > 0 && screens.length > 0 ? `\x1b[<${alternate}u` : "",
      ...screens.map(turned),
      main > 0 ? `\x1b[<${main}u` : "",
      this.#hasKeyboardFlags ? "\x1b[=0u" : "",
      this.#hasKeyReports ? "\x1b[>4;0m" : "",
      this.#isKeypadOn ? "\x1b>" : "",
      this.#isInserting ? "\x1b[4l" : "",
      this.#hasLineDrawing ? "\x1b(B" : "",
      this.#hasCursorShape ? "\x1b[0 q" : "",
      this.#styles !== 0 ? "\x1b[0m" : "",
    ].join("");
  }

  #begin(at: number): number {
    this.#within = "sequence";
    this.#begun = "";
    return at + 1;
  }

  /** The usual case, without a copy: a control sequence that is whole in its piece. Null: it is another one. */
  #control(piece: Buffer, from: number): number | null {
    if (piece[from + 1] !== LEFT_BRACKET) return null;
    const begin = from + 2;
    let end = begin;
    while (isParameter(piece[end])) end += 1;
    const final = piece[end];
    if (final === undefined || final < 0x40 || final > 0x7e || end - begin > MAX_SEQUENCE) return null;
    if (final === STYLE) this.#style(piece, begin, end);
    else if (OURS.has(final))
      this.#hearControl(piece.toString("latin1", begin, end), String.fromCharCode(final));
    return end + 1;
  }

  /** Within a sequence; returns where to look on. */
  #goOn(piece: Buffer, from: number): number {
    for (let at = from; at < piece.length; at += 1) {
      const byte = piece[at] as number;
      if (byte === ESCAPE) {
        this.#begun = "";
        continue;
      }
      if (byte === CANCEL || byte === SUBSTITUTE) return this.#over(at);
      // Other control characters are done where they stand, and belong to no sequence.
      if (byte < 0x20 || byte === 0x7f) continue;
      const isFirst = this.#begun === "";
      this.#begun += String.fromCharCode(byte);
      if (isFirst && isStringBegin(byte)) {
        this.#within = "string";
        return at + 1;
      }
      if (isFirst ? byte === 0x5b || byte < 0x30 : !isFinal(byte, this.#begun)) {
        if (this.#begun.length < MAX_SEQUENCE) continue;
        return this.#over(at);
      }
      this.#hear(this.#begun);
      return this.#over(at);
    }
    return piece.length;
  }

  #over(at: number): number {
    this.#within = "text";
    this.#begun = "";
    return at + 1;
  }

  /** It ends with a bell, or with an escape that begins the next sequence. */
  #skipString(piece: Buffer, from: number): number {
    for (let at = from; at < piece.length; at += 1) {
      const byte = piece[at];
      if (byte === ESCAPE) {
        this.#within = "text";
        return at;
      }
      if (byte === BELL || byte === CANCEL || byte === SUBSTITUTE) return this.#over(at);
    }
    return piece.length;
  }

  #hear(sequence: string): void {
    if (sequence.startsWith("[")) {
      this.#control(Buffer.from(`\x1b${sequence}`, "latin1"), 0);
      return;
    }
    switch (sequence) {
      case "=":
      case ">":
        this.#isKeypadOn = sequence === "=";
        return;
      case "(0":
      case "(B":
        this.#hasLineDrawing = sequence === "(0";
        return;
      case "c": // The whole terminal anew.
        this.#forget();
        return;
    }
  }

  #hearControl(parameters: string, final: string): void {
    switch (final) {
      case "h":
      case "l":
        if (parameters === "4") this.#isInserting = final === "h";
        else if (parameters.startsWith("?"))
          for (const mode of parameters.slice(1).split(";")) this.#turn(Number(mode), final === "h");
        return;
      case "u":
        this.#keyboard(parameters);
        return;
      case "r":
        if (/^[\d;]*$/.test(parameters)) this.#hasMargins = parameters !== "";
        return;
      case "q":
        if (parameters.endsWith(" ")) this.#hasCursorShape = /[1-9]/.test(parameters);
        return;
    }
  }

  #turn(mode: number, isOn: boolean): void {
    if (ALTERNATE.has(mode)) {
      // Whichever of the three took the other screen, each of them gives it back.
      for (const one of ALTERNATE) this.#modes.delete(one);
      if (isOn) this.#modes.set(mode, true);
      else this.#keyboards.alternate = 0;
    } else if (USUALLY_OFF.has(mode) || USUALLY_ON.has(mode)) {
      if (isOn === USUALLY_ON.has(mode)) this.#modes.delete(mode);
      else this.#modes.set(mode, isOn);
    }
  }

  #style(piece: Buffer, begin: number, end: number): void {
    if (piece[begin] === PRIVATE_KEYS) {
      const parameters = piece.toString("latin1", begin, end);
      if (parameters.startsWith(">4")) this.#hasKeyReports = /^>4;[^0]/.test(parameters);
      return;
    }
    let toSkip = 0;
    for (let at = begin; at <= end; at += 1) {
      const [number, next, part] = numberAt(piece, at, end);
      if (toSkip < 0) toSkip = number === 2 ? 3 : 1;
      else if (toSkip > 0) toSkip -= 1;
      else {
        this.#turnStyle(number, part);
        if (COLOURS.has(number) && part === null) toSkip = -1;
      }
      at = next;
    }
  }

  #turnStyle(number: number, part: number | null): void {
    if (number === 0) this.#styles = 0;
    else if (number === UNDERLINE && part === 0) this.#styles &= ~(ENDS[UNDERLINE_END] ?? 0);
    else this.#styles = (this.#styles | (BEGINS[number] ?? 0)) & ~(ENDS[number] ?? 0);
  }

  #keyboard(parameters: string): void {
    const screen = [...ALTERNATE].some((mode) => this.#modes.has(mode)) ? "alternate" : "main";
    const count = Number(/^[<>=](\d*)/.exec(parameters)?.[1] || 0);
    const depth = this.#keyboards[screen];
    if (parameters.startsWith(">")) this.#keyboards[screen] = Math.min(depth + 1, MAX_KEYBOARDS);
    else if (parameters.startsWith("<")) this.#keyboards[screen] = Math.max(0, depth - (count || 1));
    else if (parameters.startsWith("=") && depth === 0) this.#hasKeyboardFlags = count > 0;
  }

  #forget(): void {
    this.#modes.clear();
    this.#styles = 0;
    this.#keyboards.main = 0;
    this.#keyboards.alternate = 0;
    this.#isKeypadOn = false;
    this.#isInserting = false;
    this.#hasLineDrawing = false;
    this.#hasCursorShape = false;
    this.#hasMargins = false;
    this.#hasKeyReports = false;
    this.#hasKeyboardFlags = false;
  }
}

const isParameter = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x20 && byte < 0x40;

/** A number, where it ends, and what follows it behind a colon: the first number there; null: there is no colon. */
function numberAt(piece: Buffer, from: number, end: number): [number, number, number | null] {
  let number = 0;
  let part: number | null = null;
  let colons = 0;
  let at = from;
  for (; at < end && piece[at] !== SEMICOLON; at += 1) {
    const byte = piece[at] as number;
    const digit = byte - 0x30;
    if (byte === COLON) {
      colons += 1;
      part ??= 0;
    } else if (digit >= 0 && digit < 10) {
      if (colons === 0) number = Math.min(number * 10 + digit, 9999);
      else if (colons === 1) part = (part ?? 0) * 10 + digit;
    }
  }
  return [number, at, part];
}

const turned = (mode: number): string => `\x1b[?${mode}${USUALLY_ON.has(mode) ? "h" : "l"}`;

/** DCS, SOS, OSC, PM, APC. */
const isStringBegin = (byte: number): boolean =>
  byte === 0x50 || byte === 0x58 || byte === 0x5d || byte === 0x5e || byte === 0x5f;

const isFinal = (byte: number, begun: string): boolean =>
  begun.startsWith("[") ? byte >= 0x40 : byte >= 0x30;
