/** A call's input or output on a screen: what a person would look for first, on one line. */
import { isJsonObject, type Json } from "../model/json.ts";
import { oneLine } from "./words.ts";

/** Fields that say what a call is about, the telling ones first; tools of many agents use these names. */
const TELLING = ["command", "cmd", "file_path", "path", "pattern", "query", "url", "text"] as const;
/** Nobody reads more than this of one line; longer text is not even escaped. */
const MAX_CHARS = 2000;

export function callInputText(input: Json): string {
  if (isJsonObject(input)) {
    for (const field of TELLING) {
      const value = input[field];
      if (typeof value === "string" && value !== "") return oneLine(value.slice(0, MAX_CHARS));
      if (Array.isArray(value)) return oneLine(value.join(" ").slice(0, MAX_CHARS));
    }
  }
  return oneLine(jsonOrText(input).slice(0, MAX_CHARS));
}

/** Output as text: a string as it is, what a tool wrapped in parts or fields by its text, else as JSON. */
export function callOutputText(output: Json): string {
  if (Array.isArray(output)) {
    const texts = (output as readonly Json[]).map((part) => (isJsonObject(part) ? part.text : null));
    if (texts.length > 0 && texts.every((one) => typeof one === "string")) return texts.join("\n");
  }
  return jsonOrText(output);
}

function jsonOrText(value: Json): string {
  if (value === null) return "";
  if (typeof value === "string") return value;
  if (isJsonObject(value) && Object.keys(value).length === 0) return "";
  return JSON.stringify(value);
}
