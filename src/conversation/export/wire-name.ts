/**
 * Call ids and tool names in the letters a provider takes. What fits stays as it is; the rest becomes
 * `rf-<readable>-<hash>`. The mapping has no state and is injective: a name that begins with our own
 * mark never stays as it is, so it cannot equal a mapped one (but for a collision of 72 bits of SHA-256).
 */
import { createHash } from "node:crypto";
import type { CallKey } from "./round.ts";

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
