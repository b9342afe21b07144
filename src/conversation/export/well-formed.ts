/**
 * Text and JSON as a strict parser in another language takes them (C6). A lone surrogate is legal in a
 * JavaScript string and in JSON.stringify's output, and makes a provider refuse the whole request; it
 * becomes U+FFFD. Nothing else of a text is changed here.
 */
import { createHash } from "node:crypto";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { CallKey } from "./round.ts";

/**
 * Call ids and tool names in the letters a provider takes. What fits stays as it is; the rest becomes
 * `rf-<readable>-<hash>`. The mapping has no state and is injective: a name that begins with our own
 * mark never stays as it is, so it cannot equal a mapped one (but for a collision of 72 bits of SHA-256).
 */
const MARK = "rf-";
const HASH_CHARS = 12;
const TAKEN = /^[a-zA-Z0-9_-]+$/;

export function wireName(name: string, maxChars: number): string {
  return fits(name, maxChars) ? name : marked(name, name, maxChars);
}

export function wireCallId(key: CallKey, maxChars: number): string {
  if (key.occurrence === 1) return wireName(key.id, maxChars);
  return marked(key.id, [key.id, key.occurrence], maxChars);
}

function fits(name: string, maxChars: number): boolean {
  return name.length <= maxChars && TAKEN.test(name) && !name.startsWith(MARK);
}

function marked(name: string, identity: unknown, maxChars: number): string {
  // JSON keeps lone surrogates apart that UTF-8 would make equal, and a text apart from a pair.
  const hash = createHash("sha256").update(JSON.stringify(identity)).digest("base64url").slice(0, HASH_CHARS);
  const room = maxChars - MARK.length - HASH_CHARS - 1;
  const readable = name.replace(/[^a-zA-Z0-9_-]+/g, "_").slice(0, room);
  return `${MARK}${readable}-${hash}`;
}

/** A call's input as an object: Anthropic refuses anything else, and OpenAI's imitators parse the text into one. */
export function callInput(input: Json): JsonObject {
  const value = wellFormedJson(input ?? null);
  if (isJsonObject(value)) return value;
  return value === null ? {} : { value };
}

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
