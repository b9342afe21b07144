/** What an agent said, as a session's story tells it. */
import type { FoldedItem } from "../../conversation/fold.ts";
import { isText } from "../../model/parts.ts";

export interface StoryMessage {
  readonly seq: number;
  readonly text: string;
}

/** Null: not the agent's, or without a word. */
export function storyMessage(item: FoldedItem): StoryMessage | null {
  if (item.kind !== "message" || item.role !== "assistant") return null;
  const text = item.parts.filter(isText).map((part) => part.text);
  return text.length > 0 ? { seq: item.seq, text: text.join("\n") } : null;
}
