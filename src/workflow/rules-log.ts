/** Rules about the decision log as a whole: what the store knows of it, and whether `decisions` says the same. */
import { shellWord } from "../text/shell-word.ts";
import type { Decision } from "./decision-log.ts";
import { editOf, entryName } from "./kept-log.ts";
import { isEqual } from "./rewrite-json.ts";
import { ACCEPT, type Found, findEach, NOTHING_FOUND, type Rule } from "./rule.ts";
import { listOf, own } from "./state-doc.ts";

export const logMissingRule = {
  id: "log-missing",
  severity: "warning",
  about: "An entry of `decision_log` that the store knows is not in the file any more, or was changed there.",
  command: "refloat state repair {file}",
  check: ({ doc, log }) => {
    if (!log) return NOTHING_FOUND;
    const { missing, changed } = editOf(log, listOf(own(doc, "decision_log")));
    return [
      ...missing.map(
        (entry): Found => ({ place: ["decision_log"], message: `${entryName(entry)} is gone from the log.` }),
      ),
      ...changed.map(({ was, is }): Found => {
        const at = listOf(own(doc, "decision_log")).indexOf(is);
        return {
          place: ["decision_log", at],
          message: `${entryName(was)} is not what the store knows it to be.`,
        };
      }),
    ];
  },
} as const satisfies Rule;

export const logStrangeRule = {
  id: "log-strange",
  severity: "warning",
  about: "`decision_log` has an entry with an id as refloat gives them, which it never wrote here.",
  command: ACCEPT,
  check: ({ doc, log }) => {
    if (!log) return NOTHING_FOUND;
    const entries = listOf(own(doc, "decision_log"));
    return editOf(log, entries).strange.map((entry) => ({
      place: ["decision_log", entries.indexOf(entry)],
      message: `${entryName(entry)} was not written by refloat here: by hand, or on another machine.`,
    }));
  },
} as const satisfies Rule;

export const decisionDiffersRule = {
  id: "decision-differs",
  severity: "warning",
  about: "`decisions` says something else than the last entry of the log about it.",
  command: "refloat decide KEY VALUE --file {file} --reason WHY",
  check: ({ doc, decisions }) => {
    const now = own(doc, "decisions");
    const last = new Map<string, Decision>();
    for (const one of decisions) if (one && !one.by_hand) last.set(one.key, one);
    return findEach([...last.values()], ({ key, value }) => {
      const said = own(now, key);
      if (said === undefined || isEqual(said, value)) return null;
      const message = `${key} is ${JSON.stringify(said)}, but the last that was logged is ${JSON.stringify(value)}.`;
      const command =
        typeof said === "string"
          ? `refloat decide ${shellWord(key)} ${shellWord(said)} --file {file} --reason WHY`
          : ACCEPT;
      return { place: ["decisions", key], message, command };
    });
  },
} as const satisfies Rule;
