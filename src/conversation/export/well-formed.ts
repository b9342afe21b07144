/**
 * Text and JSON as a strict parser in another language takes them (C6). A lone surrogate is legal in a
 * JavaScript string and in JSON.stringify's output, and makes a provider refuse the whole request; it
 * becomes U+FFFD. Nothing else of a text is changed here.
 */
import { isJsonObject, type Json } from "../../model/json.ts";

/** Python's str.isspace() knows these too, trim() does not; providers were seen to refuse "blank" by either. */
const FOREIGN_SPACES = new Set(["\u001c", "\u001d", "\u001e", "\u001f", "\u0085"]);

export function isBlank(text: string): boolean {
  return trimEnd(text) === "";
}

/** By hand: a regular expression anchored at the end takes quadratic time on long runs of spaces. */
export function trimEnd(text: string): string {
  let end = text.length;
  while (end > 0 && isSpace(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

export function wellFormedJson(value: Json): Json {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return value.map(wellFormedJson);
  if (!isJsonObject(value)) return value;
  const taken = new Map<string, Json>();
  for (const [key, item] of Object.entries(value)) {
    if (item === undefined) continue;
    let name = key.toWellFormed();
    // Two keys may differ in their lone surrogates only: neither value is dropped.
    while (name !== key && (taken.has(name) || Object.hasOwn(value, name))) name += "_";
    taken.set(name, wellFormedJson(item));
  }
  return Object.fromEntries(taken);
}

function isSpace(character: string): boolean {
  return character.trim() === "" || FOREIGN_SPACES.has(character);
}
