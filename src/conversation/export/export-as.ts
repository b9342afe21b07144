/** The exporters by name. */
import { RefloatError } from "../../model/errors.ts";
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
  // A caller without types may ask for anything; a field every object has is no format either.
  if (!Object.hasOwn(EXPORTERS, format))
    throw new RefloatError("E_UNSUPPORTED", {
      what: `The export ${JSON.stringify(String(format))}`,
      why: "no such provider's format is known",
      instead: `Use one of: ${Object.keys(EXPORTERS).join(", ")}.`,
    });
  return EXPORTERS[format](view);
}
