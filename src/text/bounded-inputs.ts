/**
 * Inputs of calls as a response has them: bounded (T5) and without secrets (T4). A long one, a file's text as a rule,
 * becomes the beginning of its text; the whole is in the log.
 */
import type { Json } from "../model/json.ts";
import { cutToBytes } from "./cut-to-bytes.ts";
import { redactBeginnings } from "./redact-part.ts";
import { jsonOrText } from "./telling-text.ts";

const MAX_INPUT_BYTES = 4096;

export interface BoundedInput {
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
