/** Text made harmless for where it is put (T3): a terminal, HTML, a shell. */
import { replaceUnsafe } from "../model/shell-word.ts";

export { shellLineWord, shellWord } from "../model/shell-word.ts";

export interface TerminalOptions {
  /** `keep`: line feeds stay, for text of several lines. `show`: they become U+240A, for text on one line. */
  readonly newlines: "keep" | "show";
  /** `keep` where the reader is not a terminal and the exact bytes of code matter. */
  readonly tabs?: "spaces" | "keep";
}

const TAB_WIDTH = 4;
const PICTURE_OF_NUL = 0x2400;
const PICTURE_OF_DEL = "\u2421";

/**
 * Text for a terminal: whatever could move the cursor, change colours or titles, reach the clipboard
 * (OSC 52), plant links (OSC 8), reorder what is read or hide in it is made visible instead (T3).
 *
 *  - C0 controls and DEL become their picture: ESC is shown as U+241B, CR as U+240D. Without its ESC a
 *    sequence is plain letters, so no list of sequences is needed.
 *  - C1 controls, bidi controls, zero-width and tag characters, U+2028/9, lone surrogates and everything else
 *    that Unicode calls a format or default-ignorable character become <U+XXXX>.
 *  - A tab becomes TAB_WIDTH spaces: a real tab stop depends on the column, which the text does not know.
 *  - Kept: the emoji variation selector where it belongs to an emoji. The zero-width joiner is shown, even
 *    in an emoji family, because nothing tells it from one that hides text.
 */
export function escapeForTerminal(text: string, options: TerminalOptions): string {
  const tab = options.tabs === "keep" ? "\t" : " ".repeat(TAB_WIDTH);
  const newline = options.newlines === "keep" ? "\n" : picture(0x0a);
  return replaceUnsafe(text, (found) => {
    if (found === "\n") return newline;
    if (found === "\t") return tab;
    const code = found.codePointAt(0) ?? 0;
    if (code < 0x20) return picture(code);
    if (code === 0x7f) return PICTURE_OF_DEL;
    return `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
  });
}

/** Untrusted text on one line (T3): line breaks and runs of spaces become one space, the rest is made visible. */
export function oneLine(text: string): string {
  return escapeForTerminal(text.replace(/[ \t\r\n]+/g, " ").trim(), { newlines: "show" });
}

function picture(code: number): string {
  return String.fromCharCode(PICTURE_OF_NUL + code);
}

/**
 * Text into HTML, for element content and for attributes in single or double quotes (T3). Not for unquoted
 * attributes, URLs, scripts or styles: nothing untrusted goes there.
 */
const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
  // A parser drops NUL in some places and replaces it in others; we decide.
  "\0": "\ufffd",
};

export function escapeHtml(text: string): string {
  // A lone surrogate cannot be sent as UTF-8; toWellFormed puts U+FFFD in its place.
  return text.toWellFormed().replace(/[&<>"'\0]/g, (found) => ENTITIES[found] ?? found);
}
