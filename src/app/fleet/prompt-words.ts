/**
 * The prompt in a worker's command line: `{prompt}` is its text, as one word of its own. Inside of a shell's script it is never put as text but as
 * a variable that the shell expands once and does not read again, as the brief is (T3); in quotes, or the shell would make many words of it.
 */
import { RefloatError } from "../../model/errors.ts";
import { isBehindAnotherShell, isShellScript } from "../handoff/brief-file.ts";

export const PROMPT_VARIABLE = "REFLOAT_PROMPT";
const PROMPT = "{prompt}";
const QUOTED = `"${PROMPT}"`;
/** Alone, or as an option's value in the same word. */
const WHOLE = /^(?:--[a-z][\w-]*=)?\{prompt\}$/i;

/** Throws where the prompt would become a part of what some shell reads. */
export function assertPromptWords(words: readonly string[]): void {
  for (const [at, word] of words.entries()) {
    if (!word.includes(PROMPT)) continue;
    if (isBehindAnotherShell(words, at))
      throw refused("a shell on another machine, or of another user, would read it; start the worker there");
    if (isShellScript(words, at)) {
      if (word.replaceAll(QUOTED, "").includes(PROMPT))
        throw refused(`in a shell's script it stands in double quotes of its own: ${QUOTED}`);
    } else if (!WHOLE.test(word)) throw refused("it is a word of its own, or `--option={prompt}`");
  }
}

const refused = (why: string): RefloatError =>
  new RefloatError("E_USAGE", {
    why: `{prompt} cannot stand there: ${why}. A program of yours finds the text in ${PROMPT_VARIABLE}, a shell's script as "$${PROMPT_VARIABLE}".`,
  });

export interface PromptedCommand {
  readonly command: readonly string[];
  /** Places of the words that hold the prompt's text: what looks like a place for the brief in them is not one (T3). */
  readonly verbatim: ReadonlySet<number>;
}

export function withPrompt(words: readonly string[], prompt: string): PromptedCommand {
  assertPromptWords(words);
  const isText = (word: string, at: number): boolean => word.includes(PROMPT) && !isShellScript(words, at);
  const command = words.map((word, at) =>
    word.replaceAll(PROMPT, () => (isText(word, at) ? prompt : `\${${PROMPT_VARIABLE}-}`)),
  );
  return { command, verbatim: new Set(words.flatMap((word, at) => (isText(word, at) ? [at] : []))) };
}
