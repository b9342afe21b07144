/** A call's input or output on a screen: what a person would look for first, on one line. */

import { isJsonObject, type Json } from "../../model/json.ts";
import { jsonOrText, tellingText } from "../../text/telling-text.ts";
import { oneLine } from "./words.ts";

/** Nobody reads more than this of one line; longer text is not even escaped. */
export const MAX_INPUT_CHARS = 2000;

export const callInputText = (input: Json): string => oneLine(tellingText(input).slice(0, MAX_INPUT_CHARS));

/** Output as text: a string as it is, what a tool wrapped in parts or fields by its text, else as JSON. */
export function callOutputText(output: Json): string {
  if (Array.isArray(output)) {
    const texts = (output as readonly Json[]).map((part) => (isJsonObject(part) ? part.text : null));
    if (texts.length > 0 && texts.every((one) => typeof one === "string")) return texts.join("\n");
  }
  return jsonOrText(output);
}
