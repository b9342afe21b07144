/** Bytes of a terminal in raw mode as keys. Pure. What is pasted is no keys: nobody looked at a screen in between. */

/** A character as it was typed, or a name: up, down, page-up, page-down, home, end, enter, escape, interrupt, hang-up, suspend. */
export type Key = string;

export interface KeysRead {
  readonly keys: readonly Key[];
  /** The beginning of something whose end has not come yet. */
  readonly rest: string;
}

const PASTE_BEGINS = "\x1b[200~";
const PASTE_ENDS = "\x1b[201~";
/** A paste longer than this without an end is given up: its end was lost. Ctrl-C in it is no paste either way. */
const MAX_PASTE_CHARS = 1024 * 1024;

const NAMES: Readonly<Record<string, Key>> = {
  "\r": "enter",
  "\n": "enter",
  "\x03": "interrupt",
  "\x04": "hang-up",
  "\x1a": "suspend",
  "\x1b": "escape",
  "\x1b[A": "up",
  "\x1bOA": "up",
  "\x1b[B": "down",
  "\x1bOB": "down",
  "\x1b[5~": "page-up",
  "\x1b[6~": "page-down",
  "\x1b[H": "home",
  "\x1b[1~": "home",
  "\x1bOH": "home",
  "\x1b[F": "end",
  "\x1b[4~": "end",
  "\x1bOF": "end",
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with a control character.
const WHOLE = /^\x1b(?:\[[0-?]*[ -/]*[@-~]|O[ -~]|[^[O\x1b])/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above.
const BEGUN = /^\x1b(?:\[[0-?]*[ -/]*|O)?$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above.
const CONTROL = /^[\x00-\x1f\x7f]/;

export function readKeys(text: string): KeysRead {
  const keys: Key[] = [];
  let rest = text;
  while (rest !== "") {
    if (rest.startsWith(PASTE_BEGINS)) {
      const end = rest.indexOf(PASTE_ENDS);
      if (end === -1 && rest.includes("\x03")) return { keys: [...keys, "interrupt"], rest: "" };
      if (end === -1 && rest.length <= MAX_PASTE_CHARS) return { keys, rest };
      rest = end === -1 ? "" : rest.slice(end + PASTE_ENDS.length);
      continue;
    }
    if (BEGUN.test(rest)) return { keys, rest };
    const piece = WHOLE.exec(rest)?.[0] ?? String.fromCodePoint(rest.codePointAt(0) ?? 0);
    rest = rest.slice(piece.length);
    const key = NAMES[piece] ?? (CONTROL.test(piece) ? null : piece);
    if (key !== null) keys.push(key);
  }
  return { keys, rest };
}

/** No more came for a while: an escape on its own was the key, another beginning was nothing, a paste is waited for. */
export function withoutMore(rest: string): KeysRead {
  if (rest.startsWith(PASTE_BEGINS)) return { keys: [], rest };
  return { keys: rest === "\x1b" ? ["escape"] : [], rest: "" };
}
