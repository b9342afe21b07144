/** A command line as it may be kept and shown: its words, without what looks like a secret (T4). */
import { redact, render } from "../text/redact.ts";
import { redactBeginnings } from "../text/redact-part.ts";

/** A prompt given on the command line can be a whole document; its beginning says what was asked. */
const MAX_WORD_CHARS = 2000;

const FLAG = /^--?[A-Za-z][\w-]*$/;

export async function redactCommand(command: readonly string[]): Promise<string[]> {
  // Each read with the flag it follows: `--token abc` tells by its name what `abc` alone does not.
  const prefixes = command.map((_, at) => (FLAG.test(command[at - 1] ?? "") ? `${command[at - 1]}=` : ""));
  const redacted = await redactBeginnings(
    command.map((word, at) => ({
      text: `${prefixes[at]}${word}`,
      chars: (prefixes[at]?.length ?? 0) + Math.min(word.length, MAX_WORD_CHARS),
    })),
  );
  const words = command.map((word, at) => {
    const [text, prefix] = [redacted[at]?.text ?? "", prefixes[at] ?? ""];
    const kept = text.startsWith(prefix) ? text.slice(prefix.length) : text;
    return word.length > MAX_WORD_CHARS ? `${kept}...` : kept;
  });
  return redactTogether(words);
}

/** Read as the line they were typed as: what `-u` or `-p` gives is told by the program's name (`curl -u me:...`). */
async function redactTogether(words: readonly string[]): Promise<string[]> {
  const { found } = await redact(words.join(" "));
  let from = 0;
  return words.map((word) => {
    const [start, end] = [from, from + word.length];
    from = end + 1;
    const own = found
      .filter((one) => one.start < end && one.end > start)
      .map((one) => ({
        ...one,
        start: Math.max(one.start, start) - start,
        end: Math.min(one.end, end) - start,
      }));
    return render(word, own);
  });
}
