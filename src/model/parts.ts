/**
 * The parts a message is made of. Loose objects: fields we do not know are kept (D5), so that a newer
 * refloat's parts survive an older one's rewrite.
 * What may be given as an input or a message: text, one part, or several.
 */
import { z } from "zod";
import { RefloatError } from "./errors.ts";

const textPart = z.looseObject({ type: z.literal("text"), text: z.string() });

/** A model's reasoning. `signature` (Anthropic) or `encrypted` (OpenAI) make it replayable; without, it is only shown. */
const thinkingPart = z.looseObject({
  type: z.literal("thinking"),
  text: z.string(),
  signature: z.string().optional(),
  encrypted: z.string().optional(),
});

/** An image or file: by data (base64), by address, or by content hash in the store. */
export const mediaPart = z.looseObject({
  type: z.literal("media"),
  media_type: z.string(),
  data: z.string().optional(),
  url: z.string().optional(),
  content: z.string().optional(),
  name: z.string().optional(),
});

/** Anything else: kept as it came, shown as a placeholder, left out of exports. */
const otherPart = z.looseObject({ type: z.string() });

export const part = z.union([textPart, thinkingPart, mediaPart, otherPart]);
export type Part = z.infer<typeof part>;
export type TextPart = z.infer<typeof textPart>;
export type ThinkingPart = z.infer<typeof thinkingPart>;
export type MediaPart = z.infer<typeof mediaPart>;

export const role = z.enum(["system", "user", "assistant"]);
export type Role = z.infer<typeof role>;

export const isText = (p: Part): p is TextPart => p.type === "text" && typeof p.text === "string";
export const isThinking = (p: Part): p is ThinkingPart => p.type === "thinking" && typeof p.text === "string";
export const isMedia = (p: Part): p is MediaPart => p.type === "media" && typeof p.media_type === "string";

// Deltas run together: readers see one text, not one per flush (C3).

/**
 * Adds a part to those before it. Only what has nothing but its text runs on, so that no field is lost (D5):
 * a signature or an encrypted form ends a stretch of reasoning, what a text is annotated with stays with it.
 */
export function appendPart(parts: Part[], part: Part): void {
  const last = parts.at(-1);
  if (last && isPlain(last) && isPlain(part) && isText(last) && isText(part)) {
    parts[parts.length - 1] = { ...last, text: last.text + part.text };
  } else if (last && isPlain(last) && isThinking(last) && isThinking(part)) {
    parts[parts.length - 1] = { ...last, ...part, text: last.text + part.text };
  } else {
    parts.push(part);
  }
}

/** Its type and its text are all it has. */
const isPlain = (part: Part): boolean => Object.keys(part).length === 2;

/** What may be given as an input or a message: text, one part, or several. */
export type Input = string | Part | readonly Part[];

/** The receipt of a durable input (C1, T1): handed out only after it is on disk. */
export interface Receipt {
  readonly id: string;
  readonly seq: number;
}

export interface QueuedInput extends Receipt {
  readonly parts: readonly Part[];
  readonly from: string | null;
}

export function partsOfInput(input: Input): Part[] {
  if (typeof input === "string") return [{ type: "text", text: input }];
  const parts = Array.isArray(input) ? (input as readonly Part[]) : [input as Part];
  if (parts.length === 0) throw new RefloatError("E_USAGE", { why: "An input needs at least one part." });
  return [...parts];
}
