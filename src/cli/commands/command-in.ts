/** Which command somebody typed, right or wrong, as far as one can tell: its page is where a usage error points to. Pure. */
import { GRAMMAR } from "./specs.ts";

const COMMANDS: readonly (readonly string[])[] = GRAMMAR.commands.map(({ words }) => words.split(" "));

/** Its words; none: no command is in it. `argv`: everything after the program's name. */
export function commandIn(argv: readonly string[]): string[] {
  const typed = argv.slice(0, argv.includes("--") ? argv.indexOf("--") : argv.length);
  const isBegun = (words: readonly string[]): boolean =>
    COMMANDS.some((command) => words.every((word, at) => command[at] === word));
  const first = typed.findIndex((word) => isBegun([word]));
  const words = first === -1 ? [] : typed.slice(first, first + 1);
  for (const word of first === -1 ? [] : typed.slice(first + 1)) {
    if (!isBegun([...words, word])) break;
    words.push(word);
  }
  return words;
}
