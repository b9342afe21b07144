/**
 * C is read by the grammar of C++, the one that is here, and by no preprocessor: `int class;`, `va_arg(ap, char *)` and most of what a macro
 * may stand for it refuses, though a compiler takes it. So of C its refusal alone is no evidence: broken is what it refuses and whose brackets
 * do not close either, or whose last comment does not. Of a conditional the first half that may be compiled counts. Pure.
 */
import type { ParsedText } from "./parsed.ts";

/** A header may be of either language; what it needs of C is no fault in it. */
export const isC = (path: string): boolean => /\.[ch]$/i.test(path);

/** Of a text that the grammar refused. */
export function bracketFault(text: string): ParsedText {
  const open: { readonly closedBy: string; readonly line: number }[] = [];
  // In the order of a compiler: a line of a comment is no line of the preprocessor's.
  const plain = text.replace(QUIET, linesOf);
  const comment = plain.indexOf("/*");
  if (comment !== -1) return fault(plain, comment, "a comment that nothing closes");
  const compiled = withoutOtherHalves(plain);
  for (const { 0: bracket, index } of compiled.matchAll(/[()[\]{}]/g)) {
    const closedBy = CLOSED_BY[bracket];
    if (closedBy !== undefined) open.push({ closedBy, line: lineAt(compiled, index) });
    else if (open.pop()?.closedBy !== bracket)
      return fault(compiled, index, `a ${bracket} that closes nothing`);
  }
  const last = open.at(-1);
  return last === undefined
    ? { kind: "unparsed", why: "refused by the grammar that is here, and all of its brackets close" }
    : { kind: "broken", line: last.line, message: `expected ${last.closedBy}` };
}

const CLOSED_BY: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

const fault = (text: string, index: number, message: string): ParsedText => ({
  ...{ kind: "broken", line: lineAt(text, index), message },
});
const lineAt = (text: string, index: number): number => text.slice(0, index).split("\n").length;

/** Comments, texts and characters: what is in them closes nothing. */
const QUIET = /\/\/(?:\\\n|[^\n])*|\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'/g;
const linesOf = (text: string): string => text.replace(/[^\n]/g, "");

/** The preprocessor's own lines go, with those that continue them, and of `#if` ... `#else` one half. */
function withoutOtherHalves(text: string): string {
  /** Of each conditional that is open: whether its lines count, and whether some of them have. */
  const halves: { isIn: boolean; hasBeen: boolean }[] = [];
  let isContinued = false;
  const kept = text.split("\n").map((line) => {
    const [, word = null, rest = ""] = /^[ \t]*#[ \t]*(\w*)(.*)$/s.exec(isContinued ? "" : line) ?? [];
    const isOwn = isContinued || word !== null;
    isContinued = isOwn && /\\\r?$/.test(line);
    const half = halves.at(-1);
    if (word !== null && /^if/.test(word)) {
      const isIn = !(word === "if" && /^\s*0\b/.test(rest));
      halves.push({ isIn, hasBeen: isIn });
    } else if (word !== null && /^el/.test(word) && half) {
      half.isIn = !half.hasBeen;
      half.hasBeen = true;
    } else if (word === "endif") halves.pop();
    return isOwn || halves.some(({ isIn }) => !isIn) ? "" : line;
  });
  return kept.join("\n");
}
