/**
 * Both sides of a changed file are mostly alike: what is equal in what is known of them is held once, or ten thousand changed files
 * would not fit into 400 MB.
 */
import { isDeepStrictEqual } from "node:util";
import type { FileFacts } from "./file-facts.ts";

export function heldOnce(before: FileFacts, after: FileFacts): FileFacts {
  const facts = sharing(before, after);
  return before.source && after.source ? { ...facts, source: sharing(before.source, after.source) } : facts;
}

function sharing<T extends object>(old: T, now: T): T {
  const held = { ...now };
  for (const name of Object.keys(now) as (keyof T)[])
    if (isDeepStrictEqual(old[name], now[name])) held[name] = old[name];
  return held;
}
