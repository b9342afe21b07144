// What the judge is given for a state, at three levels of evidence.
import { createHash } from "node:crypto";
import { NO_PATH_RULES } from "../../dist/triage/facts/paths/path-rules.js";
import { compareStates, pairRenames } from "../../dist/workspace/compare/states.js";

/**
 * operations: and turns. turns: no operations, the agent's own end records. exit code: no operations, and all that is known of
 * the end is that the process exited with 0 (L7). diff: the two trees alone.
 */
export const LEVELS = ["operations", "turns", "exit code", "diff"];

const hashes = new WeakMap();
function hashOf(bytes) {
  let hash = hashes.get(bytes);
  if (hash === undefined) {
    hash = createHash("sha256").update(bytes).digest("hex");
    hashes.set(bytes, hash);
  }
  return hash;
}

const stateOf = (bytes) =>
  bytes === undefined || bytes === null
    ? null
    : { kind: "file", mode: 0o644, size: bytes.length, hash: hashOf(bytes) };

/**
 * `isClosed`: the agent says it is done, truly or not. `isSeen`: it ended its operation by `op end`, whose capture it waited
 * for and which has these very bytes; else by a marker, which nobody waits for.
 */
export function factsFor({ before, now, planned }, level, { isClosed, isSeen, namesPaths }, cache) {
  const known = (bytes) => ({ kind: "known", state: stateOf(bytes), isReconstructed: true });
  const at = (path) => (now.has(path) ? now.get(path) : before.get(path));
  const { changes } = compareStates(
    now.keys(),
    (path) => known(before.get(path)),
    (path) => known(at(path)),
  );
  const hasTurn = level !== "diff";
  const owner = { owner: hasTurn ? "session" : "unknown", ownerSession: null, evidence: [] };
  const writes = hasTurn ? [{ fromSeq: 10, toSeq: 20, call: null }] : [];
  const endedBy = level === "exit code" ? "exit" : "agent";
  const turn = isClosed
    ? { endedSeq: 40, outcome: "completed", endedBy }
    : { endedSeq: 40, outcome: "interrupted", endedBy: "exit" };
  const seen = level === "operations" && isClosed && isSeen ? { seenAtEnds: ["op"] } : {};
  const operation = {
    id: "op",
    label: "work",
    state: isClosed ? "ended" : "open",
    paths: namesPaths ? planned : null,
    beganSeq: 5,
    endedSeq: isClosed ? 30 : null,
    source: "record",
  };
  return {
    changes: pairRenames(changes).map((change) => ({ change, owner, writes, ...seen })),
    bytesOf: async (change, side) =>
      (side === "before" ? before.get(change.fromPath ?? change.path) : at(change.path)) ?? null,
    head: headOf(before),
    operations: level === "operations" ? [operation] : [],
    calls: [],
    turns: hasTurn ? [{ id: "t1", startedSeq: 2, ...turn }] : [],
    said: [],
    plans: [],
    gaps: [],
    moving: null,
    pathRules: NO_PATH_RULES,
    overrides: [],
    verify: null,
    sightings: [],
    cache,
  };
}

function headOf(tree) {
  return {
    list: async () => [...tree.keys()],
    read: async (path) => tree.get(path) ?? null,
    mentioning: async (words) =>
      [...tree].flatMap(([path, bytes]) => (words.some((word) => bytes.includes(word)) ? [path] : [])),
  };
}
