import type { SourceFacts } from "../facts/known/file-facts.ts";
import { nameOfPath } from "../facts/manifests/manifest-kinds.ts";
import type { GroupMember } from "../facts/member.ts";
import { aboutEach, naming, type Rule } from "./rule.ts";

/** One function that does nothing is a default; so many are a shape to be filled. */
const HOLLOW_FUNCTIONS = 3;

export const unfinishedRule = {
  slug: "unfinished",
  weight: "note",
  voids: "check",
  about:
    "Work that says of itself that it is not done: placeholders, stubs, emptied functions, on lines that came with the change.",
  detail:
    'TODO and its kin where something is to be written, `...` in a comment, "not implemented", functions that take something or are called where they stand and do nothing, exports announced and never set. Not lines of source that only a program writes so long.',
  check: (view) =>
    aboutEach(
      view,
      evidenceOf,
      (count, first) => `${naming(count, first, "has parts", "have parts")} that look begun and not done.`,
    ),
} as const satisfies Rule;

function evidenceOf({ path, before, after, delta }: GroupMember): string | null {
  const [placeholder] = delta?.placeholders ?? [];
  if (placeholder !== undefined) return `${path} ${placeholder}`;
  const [was, is] = [before?.source, after?.source];
  if (!is) return null;
  const old = new Set((was?.stubs ?? []).map(withoutLine));
  const stub = is.stubs.find((text) => !old.has(withoutLine(text)));
  if (stub !== undefined) return `${path} ${stub}`;
  const emptied = was ? emptiedIn(was, is) : undefined;
  if (is.hollow - (was?.hollow ?? 0) >= HOLLOW_FUNCTIONS)
    return `${path}: ${is.hollow - (was?.hollow ?? 0)} functions came that do nothing`;
  if (emptied !== undefined) return `${path}: ${emptied} lost most of its body`;
  return was ? ofEmptied(path, was, is) : ofHollow(path, is);
}

/** A function that lost its body; where one came that does nothing, it need not have been large. */
function emptiedIn(was: SourceFacts, is: SourceFacts): string | undefined {
  const { large, middling } = was.bodies;
  const full = is.hollow > was.hollow ? [...large, ...middling] : large;
  return full.find((name) => is.bodies.bare.includes(name));
}

/** Fewer functions that do something, and more that do not: whatever it is called, one was emptied. */
function ofEmptied(path: string, was: SourceFacts, is: SourceFacts): string | null {
  const isLess = is.functions - is.hollow < was.functions - was.hollow;
  return isLess && is.hollow > was.hollow ? `${path}: a function that did something does nothing` : null;
}

/** One function that does nothing and takes nothing may be all that a file gives, if the file's name says so. */
function ofHollow(path: string, is: SourceFacts): string | null {
  const isGiven =
    EMPTY_ON_PURPOSE.test(nameOfPath(path)) &&
    is.functions === 1 &&
    is.hollowTaking === 0 &&
    (is.exports.length > 0 || !is.areExportsKnown);
  return is.functions > 0 && is.hollow === is.functions && !isGiven
    ? `${path}: none of its functions does anything`
    : null;
}

/** Names of files that say: does nothing, on purpose. */
const EMPTY_ON_PURPOSE = /noop|no-op|empty|dummy|void/i;

const withoutLine = (text: string): string => text.replace(/^line \d+: /, "");
