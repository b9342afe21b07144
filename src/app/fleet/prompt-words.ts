/**
 * The prompt in a worker's command line: `{prompt}` is its text. Inside of a shell's script it is never put as text but as a variable
 * that the shell expands once and does not read again, as the brief is (T3).
 */
import { isShellScript } from "../handoff/brief-file.ts";

export const PROMPT_VARIABLE = "REFLOAT_PROMPT";

export function withPrompt(
  words: readonly string[],
  prompt: string,
): { readonly command: readonly string[] } {
  const command = words.map((word, at) =>
    word.replaceAll("{prompt}", () => (isShellScript(words, at) ? `\${${PROMPT_VARIABLE}-}` : prompt)),
  );
  return { command };
}
