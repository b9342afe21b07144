/** What a call's input is about, as one piece of text: the field a person would look for first, else all of it. */
import { isJsonObject, type Json } from "../model/json.ts";

/** Fields that say what a call is about, the telling ones first; tools of many agents use these names. */
const TELLING = [
  ...["command", "cmd", "file_path", "filePath", "absolute_path", "path", "pattern", "query", "url", "text"],
  ...["description", "prompt"],
] as const;

/** Untrusted as it came: whoever shows it escapes it (T3). */
export function tellingText(input: Json): string {
  if (isJsonObject(input)) {
    for (const field of TELLING) {
      const value = input[field];
      if (typeof value === "string" && value !== "") return value;
      if (Array.isArray(value)) return value.join(" ");
    }
  }
  return jsonOrText(input);
}

export function jsonOrText(value: Json): string {
  if (value === null) return "";
  if (typeof value === "string") return value;
  if (isJsonObject(value) && Object.keys(value).length === 0) return "";
  return JSON.stringify(value);
}

/** What a text says, sentence by sentence: a line is at least one, and marks of lists and headings are none of it. Pure. */
export const sentencesOf = (text: string): string[] =>
  text
    .split(/(?<=[.!?])\s+|(?<=[。！？])|\n+/)
    .map((one) => one.replace(/^[\s*_#>`-]+/, "").trim())
    .filter((one) => one !== "");
