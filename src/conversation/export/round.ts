/**
 * The provider-neutral normal form of a conversation: what the three exporters have in common. Every
 * call has exactly one result, and it is in the same round (C6); nothing here is ever stored (C5).
 */
import type { Json } from "../../model/json.ts";

export interface TextContent {
  readonly kind: "text";
  readonly text: string;
}

export const IMAGE_TYPES = ["image/jpeg", "image/png", "image/gif", "image/webp"] as const;
export type ImageType = (typeof IMAGE_TYPES)[number];

/** An image every provider would take; anything else has already become its placeholder text. */
export interface ImageContent {
  readonly kind: "image";
  readonly source:
    | { readonly kind: "base64"; readonly mediaType: ImageType; readonly data: string }
    | { readonly kind: "url"; readonly url: string };
  /** For places where a provider takes text only. */
  readonly placeholder: string;
}

export type Content = TextContent | ImageContent;

export interface UserRound {
  readonly kind: "user";
  readonly content: readonly Content[];
  /** Made for this export, said by nobody. */
  readonly isNote: boolean;
}

export interface SystemRound {
  readonly kind: "system";
  readonly text: string;
}

export interface ThinkingBlock {
  readonly kind: "thinking";
  readonly text: string;
  readonly signature: string | null;
  readonly encrypted: string | null;
  /** The message it came in: a provider judges the thinking of one answer as a whole. */
  readonly message: string;
}

export interface AnswerText {
  readonly kind: "text";
  readonly text: string;
  readonly message: string;
}

/** A call's id is not unique in a journal (some models count `bash:0` anew each turn): with `occurrence` it is. */
export interface CallKey {
  readonly id: string;
  readonly occurrence: number;
}

export interface CallBlock {
  readonly kind: "call";
  readonly key: CallKey;
  readonly tool: string;
  readonly input: Json;
}

export type AssistantBlock = AnswerText | ThinkingBlock | CallBlock;

export interface RoundResult {
  readonly key: CallKey;
  /** Never empty. */
  readonly content: readonly Content[];
  readonly isError: boolean;
  /** The content begins with a sentence of ours on what became of the call. */
  readonly isTold: boolean;
  /** That sentence says that the person stopped the turn. */
  readonly isStop?: boolean;
}

export interface AssistantRound {
  readonly kind: "assistant";
  /** In journal order; never empty, never thinking alone. */
  readonly blocks: readonly AssistantBlock[];
  /** One for each call, in the calls' order. */
  readonly results: readonly RoundResult[];
  /** What arrived while calls were open: it follows the results, for no provider takes it between. */
  readonly meanwhile: readonly (UserRound | SystemRound)[];
  /** Its last message never reached its end. */
  readonly isCutOff: boolean;
}

export type Round = UserRound | SystemRound | AssistantRound;
