/**
 * Words of a command that is printed to be typed (T6), and what must not stand in a line that a terminal shows (T3). In the lowest room:
 * the catalogue's hints are commands, too. Pure.
 */

// Zl and Zp are U+2028 and U+2029, Cs a surrogate without its other half; invisible fillers that are letters
// to Unicode (U+3164 for one) are default-ignorable. What is looked ahead for first is the emoji selector.
const UNSAFE =
  /(?!(?<=\p{Extended_Pictographic})[\ufe0e\ufe0f]|(?<=[0-9#*])\ufe0f(?=\u20e3))[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

export const replaceUnsafe = (text: string, by: (found: string) => string): string =>
  text.replace(UNSAFE, by);

/** One word of a command that can be pasted into a shell. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * The same in one line, whatever is in it, and nothing in it that a terminal acts on or hides: by the quotes that know escapes, which every
 * shell that people type at has, where it must be.
 */
export function shellLineWord(text: string): string {
  const shown = replaceUnsafe(text.replace(/[\\']/g, "\\$&"), escapedInDollarQuotes);
  return shown === text.replace(/[\\']/g, "\\$&") ? shellWord(text) : `$'${shown}'`;
}

function escapedInDollarQuotes(character: string): string {
  if (character === "\n") return "\\n";
  return [...Buffer.from(character)].map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("");
}
