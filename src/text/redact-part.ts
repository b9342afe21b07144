/**
 * The beginning or the end of a long text, without its secrets (T4). A secret is looked for with what stands around the
 * cut and taken out whole: half of one is found by no rule and gives away as much. Only what would have been shown of
 * the text is shown of it, however much shorter the markers made it; what lies further off is not searched (T5).
 */
import { type Redaction, redactAll, render } from "./redact.ts";

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
