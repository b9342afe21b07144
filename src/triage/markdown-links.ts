/**
 * Definitions of links at the end of Markdown come and go with the links above them. They are no sign of a cut as long
 * as every link that is used is defined; a cut among them leaves some that are not. Pure.
 */
const DEFINITION = /^ {0,3}\[([^\]]+)\]:\s*\S/;
const FULL = /\[[^\][]*\]\[([^\][]*)\]/g;
const MAX_LISTED = 20;

/** The lines without definitions and without blank lines at the end. */
export function bodyOf(lines: readonly string[]): string[] {
  const body = lines.filter((line) => !DEFINITION.test(line));
  while (body.length > 0 && body.at(-1)?.trim() === "") body.pop();
  return body;
}

/** Labels that are used and not defined, and were not so before. */
export function danglingIn(before: string, after: string): string[] {
  const was = new Set(undefinedIn(before, definedIn(before)));
  return undefinedIn(after, new Set([...definedIn(before), ...definedIn(after)]))
    .concat(lostIn(before, after))
    .filter((label) => !was.has(label))
    .slice(0, MAX_LISTED);
}

function definedIn(text: string): Set<string> {
  return new Set(text.split("\n").flatMap((line) => DEFINITION.exec(line)?.[1]?.toLowerCase() ?? []));
}

function undefinedIn(text: string, defined: ReadonlySet<string>): string[] {
  return [...text.matchAll(FULL)]
    .map(([, label]) => (label ?? "").toLowerCase())
    .filter((label) => label !== "" && !defined.has(label));
}

/** Defined before and not now, and still used, also in the short form `[label]`. */
function lostIn(before: string, after: string): string[] {
  const defined = definedIn(after);
  const text = after.toLowerCase();
  return [...definedIn(before)].filter((label) => !defined.has(label) && text.includes(`[${label}]`));
}
