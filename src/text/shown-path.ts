/**
 * A name of a file for a person's eye, in one way everywhere (T3). A plain name stands as it is. One with characters that a
 * terminal could act on, that hide or reorder text, with bytes that are no text, or with spaces that a line would swallow, is
 * shown as bash writes it, `$'a\x1bb'`: harmless, and never the same for two names. What is shown is not touched by another
 * escaping, so a name in a sentence looks like the name on its own line.
 */
import { type PathName, pathToBytes } from "../model/path-name.ts";
import { escapeForTerminal } from "./escape.ts";

const SHORT: Readonly<Record<string, string>> = {
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\\": "\\\\",
  "'": "\\'",
};
/** Leading, trailing and second spaces: text on one line loses them. */
const SWALLOWED = /^ | $|(?<= ) /g;
const LAST_ASCII = 0x7f;

export function shownPath(path: PathName): string {
  if (isPlain(path)) return path;
  let inside = "";
  for (const character of path) inside += shownCharacter(character);
  return `$'${inside.replace(SWALLOWED, "\\x20")}'`;
}

const isPlain = (path: string): boolean =>
  !path.startsWith("$'") && path.search(SWALLOWED) === -1 && path === harmless(path);

const harmless = (text: string): string => escapeForTerminal(text, { newlines: "show" });

function shownCharacter(character: string): string {
  const short = SHORT[character];
  if (short !== undefined) return short;
  const code = character.codePointAt(0) ?? 0;
  if (!character.isWellFormed()) return hex("\\x", pathToBytes(character as PathName)[0] ?? 0, 2);
  if (harmless(character) === character) return character;
  if (code <= LAST_ASCII) return hex("\\x", code, 2);
  return code > 0xffff ? hex("\\U", code, 8) : hex("\\u", code, 4);
}

const hex = (lead: string, code: number, digits: number): string =>
  lead + code.toString(16).padStart(digits, "0");

/** Names of files as they stand in a sentence, each in the way it is shown; bytes that are no text never get out. */
export function withShownPaths(text: string, paths: Iterable<PathName>): string {
  let shown = text;
  for (const path of paths) shown = shown.replaceAll(path, () => shownPath(path));
  return shown.replace(/\p{Cs}/gu, shownCharacter);
}

/** Those of them that are not shown as they are; a longer name before the one it begins with. */
export const oddPaths = (paths: Iterable<PathName>): PathName[] =>
  [...paths].filter((path) => shownPath(path) !== path).sort((a, b) => b.length - a.length);
