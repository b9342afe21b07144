/** A command line as it may be kept and shown: its words, without what looks like a secret (T4). */
import { redact } from "../text/redact.ts";

/** A prompt given on the command line can be a whole document; its beginning says what was asked. */
const MAX_WORD_CHARS = 2000;

const FLAG = /^--?[A-Za-z][\w-]*$/;

export async function redactCommand(command: readonly string[]): Promise<string[]> {
  const words = command.map((word) =>
    word.length > MAX_WORD_CHARS ? `${word.slice(0, MAX_WORD_CHARS)}...` : word,
  );
  const kept: string[] = [];
  for (const [at, word] of words.entries()) {
    const before = words[at - 1] ?? "";
    // Read with the flag it follows: `--token abc` tells by its name what `abc` alone does not.
    const prefix = FLAG.test(before) ? `${before}=` : "";
    const { text } = await redact(`${prefix}${word}`);
    kept.push(text.startsWith(prefix) ? text.slice(prefix.length) : text);
  }
  return kept;
}
