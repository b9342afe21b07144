/** `refloat/ai-sdk`: conversations of the AI SDK on a refloat store, resumable UI streams, tools that run once. docs/ai-sdk.md. */
import type { ModelMessage, UIMessage } from "ai";
import type { RefloatStore } from "../app/store/open-store.ts";
import { RefloatChat, type RefloatChatOptions } from "./ai-sdk/chat.ts";
import { MODEL_WORDS, UI_WORDS } from "./ai-sdk/words.ts";
import type { ItemWords } from "./shared/item-list.ts";

export { RefloatChat, type RefloatChatOptions } from "./ai-sdk/chat.ts";
export {
  createResumableStreamContext,
  type ResumableStreamOptions,
  type ResumableStreams,
} from "./ai-sdk/resumable-stream.ts";

/** A conversation of UI messages, as `useChat` shows and `toUIMessageStreamResponse` hands over. */
export function uiChat<Message extends UIMessage = UIMessage>(
  store: RefloatStore,
  options: RefloatChatOptions = {},
): RefloatChat<Message> {
  return new RefloatChat<Message>(store, UI_WORDS as ItemWords<never> as ItemWords<Message>, options);
}

/** A conversation of model messages, as `generateText` takes and its `response.messages` gives. */
export function modelChat(store: RefloatStore, options: RefloatChatOptions = {}): RefloatChat<ModelMessage> {
  return new RefloatChat(store, MODEL_WORDS, options);
}
