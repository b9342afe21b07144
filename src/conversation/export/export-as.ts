/** The exporters by name. */
import type { View } from "../../model/view.ts";
import { type AnthropicExport, exportAnthropic } from "./anthropic.ts";
import { type ChatExport, exportOpenAiChat } from "./openai-chat.ts";
import { exportOpenAiResponses, type ResponsesExport } from "./openai-responses.ts";

export interface Exports {
  readonly anthropic: AnthropicExport;
  readonly "openai-chat": ChatExport;
  readonly "openai-responses": ResponsesExport;
}
export type ExportFormat = keyof Exports;

const EXPORTERS: { readonly [F in ExportFormat]: (view: View) => Exports[F] } = {
  anthropic: exportAnthropic,
  "openai-chat": exportOpenAiChat,
  "openai-responses": exportOpenAiResponses,
};

export function exportAs<F extends ExportFormat>(format: F, view: View): Exports[F] {
  return EXPORTERS[format](view);
}
