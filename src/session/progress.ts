/**
 * Whether anything got done since the last dirty end (L2): a completed turn, a finished call that is not the same
 * call again, a new commit, a capture that differs from the last attempt's. Pure: what the journal's records say.
 */
import { createHash } from "node:crypto";
import { encodeJson, isJsonObject, type Json } from "../model/json.ts";
import type { StoredRecord } from "../model/record.ts";

/** The kinds it looks at. */
export const EVIDENCE_KINDS = [
  "claim.taken",
  "turn.ended",
  "call.started",
  "call.ended",
  "capture.taken",
  "recovered",
  "session.lifted",
] as const;

/** The newest records looked at: enough for every call of a long attempt; older ones can only hide progress. */
export const EVIDENCE_RECORDS = 500;

export type SessionProgress = "turn" | "call" | "commit" | "capture";

/** `oldestFirst`: the session's last records of those kinds. Null: nothing got done. */
export function progressIn(oldestFirst: readonly StoredRecord[]): SessionProgress | null {
  const last = oldestFirst.findLast(({ kind }) => kind === "recovered" || kind === "session.lifted");
  const sinceSeq = last?.seq ?? 0;
  return progressByWork(oldestFirst, sinceSeq) ?? progressByCapture(oldestFirst, sinceSeq);
}

function progressByWork(oldestFirst: readonly StoredRecord[], sinceSeq: number): SessionProgress | null {
  const started = new Map<string, string>();
  const finished = new Set<string>();
  for (const { kind, body, seq } of oldestFirst) {
    const isSince = seq > sinceSeq;
    if (kind === "call.started") started.set(String(body.call), callKey(body.tool, body.input));
    if (kind === "turn.ended" && body.outcome === "completed" && isSince) return "turn";
    if (kind !== "call.ended" || body.status !== "done" || body.synthetic === true) continue;
    const key = started.get(String(body.call));
    if (key === undefined) continue;
    if (isSince && !finished.has(key)) return "call";
    finished.add(key);
  }
  return null;
}

/**
 * The attempt begins with the first claim taken after the dirty end before, or with that end's finding, where whoever found it went
 * on himself; what was captured until then is the last attempt's. An attempt without an earlier one is compared with its own
 * first capture.
 */
function progressByCapture(oldestFirst: readonly StoredRecord[], sinceSeq: number): SessionProgress | null {
  const begins =
    oldestFirst.find(({ kind, seq }) => kind === "claim.taken" && seq > sinceSeq)?.seq ?? sinceSeq;
  const whole = oldestFirst.filter(
    ({ kind, body }) => kind === "capture.taken" && body.how !== "paths" && body.held_outside !== true,
  );
  const now = whole.findLast(({ seq }) => seq > begins);
  const base = whole.findLast(({ seq }) => seq <= begins) ?? whole.find(({ seq }) => seq > begins);
  if (!now || !base || now === base) return null;
  if (headOf(now) !== headOf(base)) return "commit";
  return treeOf(now) === treeOf(base) ? null : "capture";
}

const headOf = ({ body }: StoredRecord): Json =>
  isJsonObject(body.head) && body.head.id !== undefined ? body.head.id : null;

function treeOf({ body }: StoredRecord): string {
  const entries = Array.isArray(body.entries) ? (body.entries as readonly Json[]) : [];
  const states = entries.map((entry) => (isJsonObject(entry) ? [entry.path, entry.state] : entry));
  return encodeJson(states.map((state) => encodeJson(state)).toSorted());
}

/** A call by what it does, so that the same call under another id is the same: the tool's name and a hash of its input. */
export function callKey(tool: unknown, input: unknown): string {
  const digest = createHash("sha256")
    .update(encodeJson([tool ?? null, input ?? null]))
    .digest("hex");
  return `${String(tool)} ${digest.slice(0, 16)}`;
}
