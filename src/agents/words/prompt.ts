/** The prompt on an agent's command line: where it stands, and another in its place. All other words stay where the user put them. */
import { type FlagTakes, plainWordsAt } from "./command-line.ts";

export interface PromptGrammar {
  /** How many values each flag takes. */
  readonly flags: Readonly<Record<string, FlagTakes>>;
  /** Those whose value is the prompt. */
  readonly prompt: readonly string[];
}

interface PromptPlace {
  readonly at: number;
  readonly text: string;
  /** What stands before it in the same word: its flag. */
  readonly before: string;
}

/** The words with what `change` makes of the prompt in its place, as one word; null: there is none. */
export function withPrompt(
  words: readonly string[],
  grammar: PromptGrammar,
  change: (prompt: string) => string,
): readonly string[] | null {
  const places = promptPlaces(words, grammar);
  const [first, ...others] = places;
  if (first === undefined) return null;
  const put = `${first.before}${change(places.map(({ text }) => text).join(" "))}`;
  const gone = new Map(others.map((place) => [place.at, place]));
  return words.flatMap((word, at) => {
    if (at === first.at) return [put];
    const place = gone.get(at);
    if (place === undefined) return [word];
    // A flag of its own keeps an empty value.
    return place.before === "" ? [] : [place.before];
  });
}

/** Behind a flag of the prompt's, or what belongs to no flag. */
function promptPlaces(words: readonly string[], { flags, prompt }: PromptGrammar): readonly PromptPlace[] {
  const plain = plainWordsAt(words, { ...flags, ...Object.fromEntries(prompt.map((flag) => [flag, 1])) });
  const end = words.indexOf("--");
  const flagged = words.flatMap((word, at): PromptPlace[] => {
    if (end !== -1 && at > end) return [];
    const flag = prompt.find((one) => word === one || word.startsWith(`${one}=`));
    if (flag === undefined || isValueAt(words, at, flags)) return [];
    if (word !== flag) return [{ at, text: word.slice(flag.length + 1), before: `${flag}=` }];
    const text = words[at + 1];
    return text === undefined ? [] : [{ at: at + 1, text, before: "" }];
  });
  return [...flagged, ...plain.map((at) => ({ at, text: words[at] ?? "", before: "" }))].toSorted(
    (a, b) => a.at - b.at,
  );
}

/** The value of the flag before it, whatever it looks like. */
const isValueAt = (words: readonly string[], at: number, flags: PromptGrammar["flags"]): boolean => {
  const before = words[at - 1] ?? "";
  return Object.hasOwn(flags, before) && flags[before] === 1;
};
