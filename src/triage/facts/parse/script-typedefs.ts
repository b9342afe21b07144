/**
 * Types that a script defines in its comments, `@typedef {...} Name`, `@typedef Name`, `@callback Name`, or takes there,
 * `@import {Name} from "x"`. Pure.
 */
const TAG = /^[ \t]*(?:\/\*\*|\*)[ \t]*@(?:typedef|callback)[ \t]*/gm;
const IMPORT = /^[ \t]*(?:\/\*\*|\*)[ \t]*@import[ \t]*\{([^}]*)\}/gm;
const SPEAKS_OF_TYPES = /^[ \t]*(?:\/\*\*|\*)[ \t]*@(?:typedef|callback|import|type|returns?|param) *\{?/m;
/** A file of more is data. */
const MAX_TYPEDEFS = 200;
/** A longer type is not one that somebody closed. */
const MAX_TYPE_CHARS = 8192;

export function typedefsIn(text: string): string[] | null {
  if (!SPEAKS_OF_TYPES.test(text)) return null;
  const names = new Set<string>();
  for (const { index, 0: tag } of text.matchAll(TAG)) {
    const name = /^[\s*]*([A-Za-z_$][\w$]*)/.exec(text.slice(pastType(text, index + tag.length)))?.[1];
    if (name !== undefined && names.size < MAX_TYPEDEFS) names.add(name);
  }
  for (const [, taken = ""] of text.matchAll(IMPORT))
    for (const one of taken.split(",")) {
      const name = /([A-Za-z_$][\w$]*)\s*$/.exec(one)?.[1];
      if (name !== undefined && names.size < MAX_TYPEDEFS) names.add(name);
    }
  return [...names].sort();
}

/** Behind the braces that a type stands in, and those in it. */
function pastType(text: string, from: number): number {
  if (text[from] !== "{") return from;
  let depth = 0;
  for (let at = from; at < text.length && at - from < MAX_TYPE_CHARS; at++) {
    if (text[at] === "{") depth++;
    else if (text[at] === "}" && --depth === 0) return at + 1;
  }
  return text.length;
}
