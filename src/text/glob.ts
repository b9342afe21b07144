/**
 * Globs as .gitignore has them, without negation: `*` and `?` stay within one name, `**` crosses folders, `[ab]`
 * is one of some characters, `{a,b}` one of some words. A glob without a slash means the name wherever it lies; a
 * leading slash means the root. A glob that names a folder means everything in it. Pure, and bounded by the
 * lengths of both, whatever they hold (T5).
 */
import { globStates } from "./glob-states.ts";

const SPECIAL = /[.+^$()|\\\]}]/;
/** A person writes short ones; a longer one is data. */
const MAX_GLOB_CHARS = 512;

export type PathMatch = (path: string) => boolean;

export function globMatcher(globs: readonly string[]): PathMatch {
  if (globs.length === 0) return () => false;
  const patterns = globs.map(patternOf);
  return (path) => patterns.some((matches) => matches(path));
}

const cache = new Map<string, PathMatch>();
/** Globs come from tables, config and operations: a few hundred. */
const MAX_CACHED = 4096;

/** So many stars and words a regular expression tries in no more ways than a path has characters, squared; and it is the faster one. */
const MAX_CHOICES = 2;

function patternOf(glob: string): PathMatch {
  const known = cache.get(glob);
  if (known) return known;
  if (cache.size >= MAX_CACHED) cache.clear();
  const matches = matchOf(glob.slice(0, MAX_GLOB_CHARS));
  cache.set(glob, matches);
  return matches;
}

function matchOf(glob: string): PathMatch {
  const trimmed = glob.replace(/^(?:\.\/+)+/, "").replace(/(.)\/+$/s, "$1");
  const isAnywhere = !trimmed.includes("/");
  const body = trimmed.replace(/^\/+/, "");
  if ((body.match(/\*+|\{/g)?.length ?? 0) > MAX_CHOICES) return globStates(body, { isAnywhere });
  const pattern = new RegExp(`^${isAnywhere ? "(?:.*/)?" : ""}${translate(body)}(?:/.*)?$`, "su");
  return (path) => pattern.test(path);
}

function translate(glob: string): string {
  let source = "";
  let words = 0;
  for (let at = 0; at < glob.length; at++) {
    const character = glob[at] as string;
    if (glob.startsWith("**/", at)) {
      source += "(?:[^/]+/)*";
      at += 2;
    } else if (glob.startsWith("**", at)) {
      source += ".*";
      at += 1;
    } else if (character === "*") source += "[^/]*";
    else if (character === "?") source += "[^/]";
    else if (character === "[") {
      const end = glob.indexOf("]", at + 2);
      if (end === -1) source += "\\[";
      else {
        const inside = glob.slice(at + 1, end).replace(/[\\[\]&]/g, "\\$&");
        source += `[${inside.startsWith("!") ? `^/${inside.slice(1)}` : inside}]`;
        at = end;
      }
    } else if (character === "{" && glob.indexOf("}", at) > at) {
      source += "(?:";
      words++;
    } else if (character === "}" && words > 0) {
      source += ")";
      words--;
    } else if (character === "," && words > 0) source += "|";
    else source += character === "{" || SPECIAL.test(character) ? `\\${character}` : character;
  }
  return source + ")".repeat(words);
}
