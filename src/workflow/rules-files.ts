/** Rules about other files: how many a step loaded, what it says it made, what the companion says. */

import { readHandoff } from "./read-handoff.ts";
import { ACCEPT, findEach, NOTHING_FOUND, type StateRule } from "./rule.ts";
import { filesAtStart, isFinished, listOf, own, timeOf } from "./state-doc.ts";

/** Names shown in one message; the file has them all. */
const MAX_NAMED = 5;

export const budgetRule = {
  id: "budget",
  severity: "warning",
  about: "A step loaded more files at its start than its budget allows.",
  command: ACCEPT,
  check: ({ steps }) =>
    findEach(steps, ({ spec, key, body }) => {
      const used = filesAtStart(body).length;
      if (used <= spec.budget) return null;
      return {
        place: ["steps", key, "context_files_used"],
        message: `Step ${spec.id} (${spec.name}) loaded ${used} files at its start; its budget is ${spec.budget}.`,
      };
    }),
} as const satisfies StateRule;

export const missingArtifactRule = {
  id: "missing-artifact",
  severity: "warning",
  about: "A step names an artifact that does not exist: put it back, or say why it may be gone.",
  command: ACCEPT,
  check: ({ steps, hasArtifact }) =>
    findEach(steps, ({ spec, key, body }) => {
      const named = listOf(own(body, "artifacts"));
      if (named.length === 0) return null;
      const missing = named.filter((path) => typeof path === "string" && !hasArtifact(path));
      if (missing.length === 0) return null;
      const more = missing.length > MAX_NAMED ? ` and ${missing.length - MAX_NAMED} more` : "";
      return {
        place: ["steps", key, "artifacts"],
        message: `Step ${spec.id} (${spec.name}): ${missing.length} of ${named.length} artifacts do not exist: ${missing.slice(0, MAX_NAMED).join(", ")}${more}.`,
      };
    }),
} as const satisfies StateRule;

export const noHandoffRule = {
  id: "no-handoff",
  severity: "warning",
  about: "The companion 00-handoff.md is not there: people and the next session read it first.",
  command: "refloat state repair {file}",
  check: ({ handoff }) =>
    handoff() === null
      ? [{ place: [], message: "The handoff beside it is missing, or cannot be read." }]
      : NOTHING_FOUND,
} as const satisfies StateRule;

export const handoffRule = {
  id: "stale-handoff",
  severity: "warning",
  about: "The companion 00-handoff.md is older than the state, or tells of an earlier step.",
  command: "refloat state repair {file}",
  check: ({ doc, steps, handoff }) => {
    const text = handoff();
    if (text === null) return NOTHING_FOUND;
    const said = readHandoff(text);
    const updatedMs = timeOf(own(doc, "updated"));
    const isOlder = said.updatedMs !== null && updatedMs !== null && said.updatedMs < updatedMs;
    const last = Number(steps.findLast(({ status }) => isFinished(status))?.spec.id ?? 0);
    const isBehind = said.step !== null && said.step < last;
    if (!isOlder && !isBehind) return NOTHING_FOUND;
    const message = isBehind
      ? `The handoff is at step ${said.step}, the state at ${last}.`
      : "The handoff is older than the state.";
    return [{ place: [], message }];
  },
} as const satisfies StateRule;
