/** Rules about journals and records, which are whole by what they show themselves, and need no word. */
import { count as countOf } from "../../text/counting.ts";
import { JOURNAL_GLOBS, RECORD_GLOBS } from "../facts/paths/path-rules.ts";
import { isAppend, isUpdate } from "../links/self-contained.ts";
import { workflowOf } from "../links/workflow-records.ts";
import { aboutEach, found, naming, type Rule } from "./rule.ts";

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
        isAppend(member, view.classes)
          ? `${member.path}: ${countOf(member.delta?.added ?? 0, "line")} added`
          : null,
      (count, first) => `${naming(count, first)} only grew at ${count === 1 ? "its end" : "their ends"}.`,
    ),
} as const satisfies Rule;

export const recordUpdateRule = {
  slug: "record-update",
  weight: "safe",
  restsOn: "bytes",
  about: "A record-like file was updated: it parses, has not shrunk by half, and its last line is whole.",
  detail:
    "Prose and data; never source code. A workflow's state, its ring and its handoff anywhere: they are known by their schema.",
  globs: RECORD_GLOBS,
  check: (view) =>
    aboutEach(
      view,
      (member) => (isUpdate(member, view.classes) ? member.path : null),
      (count, first) => `${naming(count, first, "is a record", "are records")}, updated and whole.`,
    ),
} as const satisfies Rule;

export const describesUnreadyRule = {
  slug: "describes-unready",
  weight: "note",
  remedy: "Settle those first.",
  voids: "all",
  about: "A workflow's state tells of files that are not safe to commit: it is committed with them, or left.",
  detail: "Artifacts of its steps that differ from HEAD, looked for from its folder upwards.",
  check: ({ members, described }) => {
    const unready = described.filter(({ isReady }) => !isReady);
    const [first] = unready;
    if (!first) return [];
    const records = members.filter((member) => workflowOf(member) !== null);
    const evidence = unready.map(({ path, verdict }) => `${path}: ${verdict}`);
    const message = `It tells of ${naming(unready.length, first.path)}, which is not safe to commit.`;
    return [found(message, records, evidence)];
  },
} as const satisfies Rule;
