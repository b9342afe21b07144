import type { GroupMember } from "../facts/member.ts";
import { isSameEnd } from "./evidence/source-ends.ts";
import { aboutEach, naming, type Rule } from "./rule.ts";

export const truncatedRule = {
  slug: "truncated",
  weight: "risky",
  about: "A file ends as if the writing had stopped: emptied, padded with NUL, or its last line not whole.",
  detail:
    "A last line without its end counts where the line before the change had one; JSON that parses is whole, and so are a source that ends with the whole statement it ended with, and what ends with words below which nothing stands.",
  check: (view) =>
    aboutEach(
      view,
      evidenceOf,
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

function evidenceOf(member: GroupMember): string | null {
  const { path, before, after } = member;
  if (!after) return null;
  if (after.size === 0 && before !== null && before.size > 0)
    return `${path}: emptied, it had ${before.size} bytes`;
  if (after.hasNulPadding && !before?.hasNulPadding) return `${path}: ends in NUL bytes`;
  if (after.isBinary || after.isLastLineWhole || !before || before.size === 0 || !before.isLastLineWhole)
    return null;
  const isJson = (after.language === "json" || after.language === "jsonc") && after.parse.kind === "sound";
  const isClosed = isJson || after.workflow?.kind === "state";
  return isClosed || isEndThere(member) ? null : `${path}: its last line has no end, as it had before`;
}
