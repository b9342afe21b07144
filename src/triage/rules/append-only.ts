import { JOURNAL_GLOBS } from "../facts/paths/path-rules.ts";
import { isAppend } from "../links/self-contained.ts";
import { aboutEach, naming, type Rule } from "./rule.ts";

export const appendOnlyRule = {
  slug: "append-only",
  weight: "safe",
  restsOn: "bytes",
  about: "Only lines were added at the end of a journal-like file, and its last line is whole.",
  detail: "Prose and data; never source code. A new file there is all append.",
  globs: JOURNAL_GLOBS,
  check: (view) =>
    aboutEach(
      view,
      (member) =>
        isAppend(member, view.classes) ? `${member.path}: ${member.delta?.added ?? 0} lines added` : null,
      (count, first) => `${naming(count, first)} only grew at ${count === 1 ? "its end" : "their ends"}.`,
    ),
} as const satisfies Rule;
