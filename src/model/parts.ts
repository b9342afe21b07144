/**
 * The parts a message is made of. Loose objects: fields we do not know are kept (D5), so that a newer
 * refloat's parts survive an older one's rewrite.
 */
import { z } from "zod";

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
