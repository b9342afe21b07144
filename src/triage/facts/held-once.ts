/**
 * Both sides of a changed file are mostly alike: what is equal in what is known of them is held once, or ten thousand changed files
 * would not fit into 400 MB.
 */
import type { FileFacts } from "./known/file-facts.ts";

export function heldOnce(before: FileFacts, after: FileFacts): FileFacts {
  const facts = sharing(before, after);
  return before.source && after.source ? { ...facts, source: sharing(before.source, after.source) } : facts;
}

function sharing<T extends object>(old: T, now: T): T {
  const held = { ...now };
  for (const name of Object.keys(now) as (keyof T)[])
    if (areEqual(old[name], now[name])) held[name] = old[name];
  return held;
}

/** Plain JSON, as facts are. */
function areEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((one, at) => areEqual(one, b[at]));
  if (Array.isArray(a) || Array.isArray(b)) return false;
  const [left, right] = [a, b] as Readonly<Record<string, unknown>>[];
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length && names.every((name) => areEqual(left?.[name], right?.[name]))
  );
}
