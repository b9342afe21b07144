/** Rules about what stands in a file: secrets, markers, whether it parses, whether it was emptied, rewritten or is only begun. */
import type { SourceFacts } from "../facts/known/file-facts.ts";
import { unlookedWhy } from "../facts/known/file-facts.ts";
import { isLockfile, nameOfPath } from "../facts/manifests/manifest-kinds.ts";
import type { GroupMember } from "../facts/member.ts";
import { isSameEnd } from "./evidence/source-ends.ts";
import { aboutEach, found, naming, type Rule } from "./rule.ts";

export const secretRule = {
  slug: "secret",
  weight: "risky",
  remedy: "Take it out before anything is committed.",
  about: "Text that looks like a secret was added.",
  detail: "The rules of redaction (SECURITY.md), on added lines. Where it is, is said; what it is, never.",
  check: ({ members }) =>
    members.flatMap((member) => {
      const secrets = member.delta?.secrets ?? [];
      if (secrets.length === 0) return [];
      const evidence = secrets.map((where) => `${member.path} ${where}`);
      return [found(`${member.path} has text added that looks like a secret.`, [member], evidence)];
    }),
} as const satisfies Rule;

export const conflictMarkerRule = {
  slug: "conflict-marker",
  weight: "risky",
  remedy: "Resolve them.",
  about: "Conflict markers came into a file.",
  check: (view) =>
    aboutEach(
      view,
      ({ path, before, after }) =>
        after?.conflictAt != null && before?.conflictAt == null ? `${path}:${after.conflictAt}` : null,
      (count, first) => `${naming(count, first, "has conflict", "have conflict")} markers.`,
    ),
} as const satisfies Rule;

export const parseRule = {
  slug: "parse",
  weight: "risky",
  remedy: "Mend it there, or have the session finish it.",
  about: "A file no longer parses.",
  detail:
    "JavaScript, TypeScript, Python, Go, Rust, Java, C, C++, C#, Ruby, PHP, shell, CSS, JSON, YAML, TOML. HTML, SQL and Dockerfiles have no parser here, as other languages do not: their reasons say so, and nothing but a check speaks for them. Of Go also what only its compiler refuses: no package clause, a function that plainly runs past its end without the return it owes. Of C, which is read by the grammar of C++ and without its macros, what that refuses and whose brackets or comments do not close either. What did not parse before is not newly broken.",
  check: (view) =>
    aboutEach(
      view,
      ({ path, before, after }) => {
        if (after?.parse.kind !== "broken" || before?.parse.kind === "broken") return null;
        return `${path}:${after.parse.line}: ${after.parse.message}`;
      },
      (count, first) => `${naming(count, first, "does not", "do not")} parse.`,
    ),
} as const satisfies Rule;

export const truncatedRule = {
  slug: "truncated",
  weight: "risky",
  remedy: "See what is missing at its end; the rest was never written.",
  about: "A file ends as if the writing had stopped: emptied, padded with NUL, or its last line not whole.",
  detail:
    "A last line without its end counts where the line before the change had one; JSON that parses is whole, and so are a source that ends with the whole statement it ended with, and what ends with words below which nothing stands.",
  check: (view) =>
    aboutEach(
      view,
      stoppedIn,
      (count, first) => `${naming(count, first, "ends as", "end as")} if the writing had stopped.`,
    ),
} as const satisfies Rule;

/** It ends with what nothing stands below, or with the statement it ended with, all of it and stopped. */
function isEndThere({ before, after }: GroupMember): boolean {
  if (after?.hasKnownEnd) return true;
  const [was, is] = [before?.source, after?.source];
  if (!was || !is?.isEndStopped) return false;
  return isSameEnd(was, is) && is.endLines >= was.endLines;
}

function stoppedIn(member: GroupMember): string | null {
  const { path, before, after } = member;
  if (!after) return null;
  if (after.size === 0 && before !== null && before.size > 0)
    return `${path}: emptied, it had ${before.size} bytes`;
  if (after.hasNulPadding && !before?.hasNulPadding) return `${path}: ends in NUL bytes`;
  if (after.isBinary || after.isLastLineWhole || !before || before.size === 0 || !before.isLastLineWhole)
    return null;
  const isJson = (after.language === "json" || after.language === "jsonc") && after.parse.kind === "sound";
  const isClosed = isJson || after.workflow?.kind === "state";
  return isClosed || isEndThere(member)
    ? null
    : `${path}:${after.lines}: its last line is not ended, and was before`;
}

/** From the first seed's cases: a Makefile rewritten, 248 of 249 lines lost. */
const REWRITE_SHARE = 0.6;
/** Of a shorter file most is replaced by any edit. */
const REWRITE_MIN_LINES = 10;

export const rewriteRule = {
  slug: "rewrite",
  weight: "risky",
  remedy: "Read what went before you keep it.",
  about: "Most of a file was replaced or lost.",
  detail: `At least ${REWRITE_SHARE * 100} % of at least ${REWRITE_MIN_LINES} lines. Not lockfiles that close themselves (JSON): \`lockfile\` judges those; not a workflow's state, its ring and its handoff.`,
  check: (view) =>
    aboutEach(
      view,
      ({ path, delta, before, after }) => {
        if (!before || !after || !delta || delta.linesBefore < REWRITE_MIN_LINES) return null;
        // Programs write these whole; that it is whole its parser says, and that it is right `lockfile`.
        if (isLockfile(path) && after.language === "json") return null;
        // These, too: each is another version of one document, whole by its schema.
        if (after.workflow !== null) return null;
        if (delta.gone < REWRITE_SHARE * delta.linesBefore) return null;
        return `${path}: ${delta.gone} of ${delta.linesBefore} lines are gone, ${delta.added} came`;
      },
      (count, first) => `Most of ${naming(count, first)} was replaced or lost.`,
    ),
} as const satisfies Rule;

export const notLookedIntoRule = {
  slug: "not-looked-into",
  weight: "note",
  remedy: "Read it yourself.",
  voids: "all",
  about:
    "A parser could not take a file, or died of it: nested too deep, too slow, too large for its memory. Nothing is evidence for safe then.",
  detail:
    "Of the file as it is or as it was. What may need much is parsed in a process of its own, so that its death costs this file its evidence and nothing else.",
  check: (view) =>
    aboutEach(
      view,
      ({ path, before, after }) => {
        const why = unlookedWhy(after) ?? unlookedWhy(before);
        return why === null ? null : `${path}: ${why}`;
      },
      (count, first) => `${naming(count, first)} could not be looked into.`,
    ),
} as const satisfies Rule;

/** One function that does nothing is a default; so many are a shape to be filled. */
const HOLLOW_FUNCTIONS = 3;

export const unfinishedRule = {
  slug: "unfinished",
  weight: "note",
  remedy: "Have it written, or take it out.",
  voids: "check",
  about:
    "Work that says of itself that it is not done: placeholders, stubs, emptied functions, on lines that came with the change.",
  detail:
    'TODO and its kin where something is to be written, `...` in a comment, "not implemented", functions that take something or are called where they stand and do nothing, exports announced and never set. Not lines of source that only a program writes so long.',
  check: (view) =>
    aboutEach(
      view,
      begunIn,
      (count, first) => `${naming(count, first, "has parts", "have parts")} that look begun and not done.`,
    ),
} as const satisfies Rule;

function begunIn({ path, before, after, delta }: GroupMember): string | null {
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
