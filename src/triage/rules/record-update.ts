import { RECORD_GLOBS } from "../facts/paths/path-rules.ts";
import { isUpdate } from "../links/self-contained.ts";
import { aboutEach, naming, type Rule } from "./rule.ts";

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
