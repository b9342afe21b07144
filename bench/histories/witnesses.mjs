// Who saw the work, and what they say of its end. The same tree is judged with each of them.
import { factsFor } from "../triage/facts.mjs";

const QUIT =
  "I renamed the first callers. I am stopping here for now; the remaining files still need to be updated.";

/**
 * level: as in ../triage/facts.mjs. `hasCalls`: an adapter's records of each edit, with its bytes. `isTold`: the records alone say that
 * it is not finished, so that nothing may be called safe whatever the bytes show.
 */
export const HALF_DONE = [
  { who: "killed, operation open", level: "operations", isTold: true },
  { who: "killed", level: "turns", isTold: true },
  { who: "killed, calls recorded", level: "turns", hasCalls: true, isTold: true },
  { who: "nobody watched", level: "diff", isTold: true },
  { who: "quit and said so", level: "turns", isClosed: true, says: QUIT, isTold: true },
  { who: "lied, operation ended", level: "operations", isClosed: true, isTold: false },
  { who: "lied, turn completed", level: "turns", isClosed: true, isTold: false },
  { who: "lied, calls recorded", level: "turns", isClosed: true, hasCalls: true, isTold: false },
];

export const FINISHED = [
  { who: "op end", level: "operations", isClosed: true, isSeen: true },
  { who: "calls recorded", level: "turns", isClosed: true, hasCalls: true },
  { who: "turn completed", level: "turns", isClosed: true },
  { who: "exit code", level: "exit code", isClosed: true },
  { who: "nobody watched", level: "diff" },
];

/** `whole`: before, now and what was planned. `damaged`: what a kill left without its result. */
export function factsBy(witness, whole, damaged, cache) {
  const how = { isClosed: witness.isClosed === true, isSeen: witness.isSeen === true, namesPaths: false };
  const facts = factsFor(whole, witness.level, how, cache);
  const said = witness.says ? [{ seq: 39, channel: "messages", text: witness.says }] : [];
  return witness.hasCalls ? withCalls({ ...facts, said }, how.isClosed ? [] : damaged) : { ...facts, said };
}

/** One edit call a file; of a kill the last file's call has no result and recorded nothing. */
function withCalls(facts, damaged) {
  const open = damaged.at(-1);
  const calls = facts.changes.map(({ change }, at) => {
    const isOpen = change.path === open;
    return {
      id: `c${at}`,
      tool: "edit",
      command: null,
      startedSeq: 10 + (isOpen ? 12 : 0),
      endedSeq: isOpen ? null : 20,
      outcome: isOpen ? "none" : "done",
      paths: [change.path],
      mayWrite: true,
    };
  });
  const changes = facts.changes.map((fact, at) => {
    const { id, startedSeq, endedSeq } = calls[at];
    const isDone = endedSeq !== null && fact.change.kind !== "deleted";
    return {
      ...fact,
      writes: [{ fromSeq: startedSeq, toSeq: endedSeq ?? 35, call: id }],
      ...(isDone ? { isAsWritten: true } : {}),
    };
  });
  return { ...facts, calls, changes };
}
