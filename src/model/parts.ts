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

export type TextPart = z.infer<typeof textPart>;
export type ThinkingPart = z.infer<typeof thinkingPart>;
export type MediaPart = z.infer<typeof mediaPart>;

/**
 * Of any other part: at run time its own name. To the compiler it is one that is none of ours, because only so does
 * `part.type === "text"` tell a text from it: a union with plain `string` in it cannot be narrowed.
 */
export type OtherType = "(any other type)";

export interface OtherPart {
  type: OtherType;
  [field: string]: unknown;
}

/** A part as it is read: what says that it is a text has one (`readParts`). */
export type Part = TextPart | ThinkingPart | MediaPart | OtherPart;

/** A part as it may be given: of whatever type. */
export type PartInput = TextPart | ThinkingPart | MediaPart | { type: string; [field: string]: unknown };

export const part = z.union([textPart, thinkingPart, mediaPart, otherPart]) as unknown as z.ZodType<Part>;

export const role = z.enum(["system", "user", "assistant"]);
export type Role = z.infer<typeof role>;

export const isText = (p: PartInput | Part): p is TextPart => p.type === "text" && typeof p.text === "string";
export const isThinking = (p: PartInput | Part): p is ThinkingPart =>
  p.type === "thinking" && typeof p.text === "string";
export const isMedia = (p: PartInput | Part): p is MediaPart =>
  p.type === "media" && typeof p.media_type === "string";

const OWN_TYPES: ReadonlySet<unknown> = new Set(["text", "thinking", "media"]);

/** What is no part at all is the store's to refuse. */
const isWhole = (p: PartInput | null): boolean =>
  !OWN_TYPES.has(p?.type) || p === null || isText(p) || isThinking(p) || isMedia(p);

/** What nobody of ours would read as the part it says it is. It keeps its fields (D5), and is told apart by this type. */
const MALFORMED = "malformed";

/** Parts out of a record, whoever wrote it: each is what its type says, or `malformed` with the type that it had as `was`. */
export function readParts(value: unknown): Part[] {
  if (!Array.isArray(value)) return [];
  return value
    .filter((one): one is Record<string, unknown> => typeof one === "object" && one !== null)
    .map((one) => {
      const isNamed = typeof one.type === "string" && isWhole(one as PartInput);
      return (isNamed ? one : { ...one, type: MALFORMED, was: one.type ?? null }) as Part;
    });
}

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
export type Input = string | PartInput | Part | readonly (PartInput | Part)[];

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
  const parts = Array.isArray(input) ? (input as readonly PartInput[]) : [input as PartInput];
  if (parts.length === 0) throw new RefloatError("E_USAGE", { why: "An input needs at least one part." });
  return parts.map(givenPart);
}

/** Refused here, where its author can still mend it: a text without text, a medium without its type. */
export function givenPart(given: PartInput | Part): Part {
  if (isWhole(given)) return given as Part;
  const field = given.type === "media" ? "media_type" : "text";
  throw new RefloatError("E_USAGE", { why: `A part of type ${given.type} needs \`${field}\`.` });
}
