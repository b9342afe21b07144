/**
 * The beginning or the end of a long text, without its secrets (T4). A secret is looked for with what stands around the
 * cut and taken out whole: half of one is found by no rule and gives away as much. Only what would have been shown of
 * the text is shown of it, however much shorter the markers made it; what lies further off is not searched (T5).
 */
import type { Json } from "../model/json.ts";
import { cutToBytes } from "./cut-to-bytes.ts";
import { type Redaction, redact, redactAll, render } from "./redact.ts";
import { jsonOrText } from "./telling-text.ts";

/** Read beyond the cut: twice the longest tokens, those identity providers sign. A private key is known by either end. */
export const MARGIN_CHARS = 4096;

export interface LongText {
  readonly text: string;
  /** How much of it is shown, in UTF-16 units. */
  readonly chars: number;
}

/** The first `chars` of each text, in few searches. `found` has what was taken out of them. */
export async function redactBeginnings(texts: readonly LongText[]): Promise<Redaction[]> {
  const seen = texts.map(({ text, chars }) => text.slice(0, chars + MARGIN_CHARS));
  const redacted = await redactAll(seen);
  return texts.map(({ chars }, at) => {
    const found = (redacted[at]?.found ?? []).filter(({ start }) => start < chars);
    const to = Math.max(chars, found.at(-1)?.end ?? 0);
    return { text: render((seen[at] ?? "").slice(0, to), found), found };
  });
}

/** The last `chars` of a text. */
export async function redactEnd({ text, chars }: LongText): Promise<Redaction> {
  const seen = text.slice(-(chars + MARGIN_CHARS));
  const [redacted] = await redactAll([seen]);
  const cut = Math.max(0, seen.length - chars);
  const shown = (redacted?.found ?? []).filter(({ end }) => end > cut);
  const from = Math.min(cut, shown[0]?.start ?? cut);
  const found = shown.map(({ rule, start, end }) => ({ rule, start: start - from, end: end - from }));
  return { text: render(seen.slice(from), found), found };
}

/**
 * Inputs of calls as a response has them: bounded (T5) and without secrets (T4). A long one, a file's text as a rule,
 * becomes the beginning of its text; the whole is in the log.
 */
const MAX_INPUT_BYTES = 4096;

interface BoundedInput {
  readonly input: Json;
  readonly isCut: boolean;
  /** How many secrets were taken out of what was cut; a short input is not searched here: its structure tells more. */
  readonly count: number;
}

/** `isRaw`: long ones are cut, nothing is taken out. */
export async function boundedInputs(inputs: readonly Json[], isRaw = false): Promise<BoundedInput[]> {
  const texts = inputs.map((input) => {
    const text = jsonOrText(input);
    return { text, chars: cutToBytes(text, MAX_INPUT_BYTES).length };
  });
  const long = texts.filter(({ text, chars }) => chars < text.length);
  const redacted = isRaw
    ? long.map(({ text, chars }) => ({ text: text.slice(0, chars), found: [] }))
    : await redactBeginnings(long);
  const beginnings = new Map(long.map((one, at) => [one, redacted[at]] as const));
  return inputs.map((input, at) => {
    const beginning = texts[at] && beginnings.get(texts[at]);
    if (!beginning) return { input, isCut: false, count: 0 };
    // A marker can be longer than what it stands for.
    const text = cutToBytes(beginning.text, MAX_INPUT_BYTES);
    return { input: text, isCut: true, count: beginning.found.length };
  });
}

// A command line as it may be kept and shown: its words, without what looks like a secret (T4).

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
