/** Which part of a list is new against the one kept last. Pure: what is compared are hashes of what was written. */
import { hash } from "node:crypto";
import type { KeptValue, TypedText } from "./checkpoint-records.ts";

/** What a writer remembers of a list it wrote: enough to tell what is new in the next one, without its texts. */
export interface WrittenList {
  readonly seq: number;
  readonly start: number;
  readonly links: number;
  readonly hashes: readonly string[];
}

/** A chain this much longer than its list costs readers more than writing the list anew. */
const LINKS_PER_ITEM = 2;
const LINKS_ALWAYS = 64;

export type ListValue = Extract<KeptValue, { list: TypedText[] }>;

export const hashesOf = (items: readonly TypedText[]): string[] =>
  items.map(([type, text]) => hash("sha1", `${type}\n${text}`, "base64"));

export function growth(
  items: readonly TypedText[],
  hashes: readonly string[],
  before: WrittenList | null,
): ListValue {
  const keep = before ? sharedStart(before.hashes, hashes) : 0;
  const isWorthIt =
    before !== null && keep > 0 && before.links < LINKS_ALWAYS + LINKS_PER_ITEM * items.length;
  if (!isWorthIt) return { list: [...items], keep: 0, base: null, start: null, links: 0 };
  return { list: items.slice(keep), keep, base: before.seq, start: before.start, links: before.links + 1 };
}

function sharedStart(before: readonly string[], now: readonly string[]): number {
  const differs = now.findIndex((one, at) => one !== before[at]);
  return differs === -1 ? Math.min(now.length, before.length) : differs;
}
