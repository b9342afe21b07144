/** Rules about the decision log as a whole: what the store knows of it, and whether `decisions` says the same. */
import type { Json } from "../model/json.ts";
import { shellWord } from "../text/escape.ts";
import { type Decision, readDecision } from "./decision-log.ts";
import { editOf, entryName } from "./kept-log.ts";
import { isEqual } from "./rewrite-json.ts";
import { ACCEPT, type FoundBreach, findEach, NOTHING_FOUND, type StateRule } from "./rule.ts";
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
        (entry): FoundBreach => ({
          place: ["decision_log"],
          message: `${entryName(entry)} is gone from the log.`,
        }),
      ),
      ...changed.map(({ was, is }): FoundBreach => {
        const at = listOf(own(doc, "decision_log")).indexOf(is);
        return {
          place: ["decision_log", at],
          message: `${entryName(was)} was changed: ${bothValues(was, is)}.`,
        };
      }),
    ];
  },
} as const satisfies StateRule;

/** What was decided, and what the file says instead (T2). */
function bothValues(was: Json, is: Json): string {
  const [decided, said] = [was, is].map((entry) => shortValue(readDecision(entry)?.value ?? null));
  return decided === said ? "not its value, the rest of it" : `the store has ${decided}, the file ${said}`;
}

/** Enough to know it by. */
const MAX_VALUE_CHARS = 60;

function shortValue(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > MAX_VALUE_CHARS ? `${text.slice(0, MAX_VALUE_CHARS)}...` : text;
}

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
} as const satisfies StateRule;

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
      const message = `${key} is ${shortValue(said)}, but the last that was logged is ${shortValue(value)}.`;
      // What a forged entry said, and nothing at all, is nobody's decision: there the logged one is the one to go back to (T2).
      const isForged = decisions.some(
        (one) => one?.by_hand === true && one.key === key && isEqual(one.value, said),
      );
      const meant = isForged || said === "" || said === null ? value : said;
      const command =
        typeof meant === "string"
          ? `refloat decide ${shellWord(key)} ${shellWord(meant)} --file {file} --reason WHY`
          : ACCEPT;
      return { place: ["decisions", key], message, command };
    });
  },
} as const satisfies StateRule;
