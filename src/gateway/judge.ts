/** One interruption judged: the pure decision with what only the application can say (is the asker still welcome?). */
import { ensureError } from "../model/errors.ts";
import type { NewRecord } from "../model/record.ts";
import { newRecord } from "../session/new-record.ts";
import type { SessionRow } from "../store/driver.ts";
import { decideResume, type ResumeDecision } from "./decide-resume.ts";
import type { Host } from "./host.ts";
import { type Interruption, interruptedInput } from "./interruption.ts";

export async function judge(
  host: Host,
  row: SessionRow,
  interruption: Interruption,
): Promise<ResumeDecision> {
  const nowMs = host.store.clock.nowMs();
  const facts = {
    isSuspended: typeof row.facts.suspended === "string",
    isAskedToStop: interruption.isAskedToStop,
    dirtyEnds: interruption.dirtyEnds,
    isLoop: host.isLoop(),
    discoveredAtMs: interruption.discoveredAtMs ?? nowMs,
    // The claim's heartbeat is the last sign of a long turn, unless taking the claim has already renewed it.
    lastSignMs: Math.max(
      interruption.lastSignMs ?? 0,
      interruption.isOpen ? (row.claim.heartbeatAtMs ?? 0) : 0,
    ),
  };
  const first = decideResume({ ...facts, isAuthorised: true }, nowMs, host.policy);
  if (first.kind === "leave" && first.why !== "restart-loop" && first.why !== "stale") return first;
  const isAuthorised = await askAuthorised(host, row, interruption);
  return decideResume({ ...facts, isAuthorised }, nowMs, host.policy);
}

async function askAuthorised(host: Host, row: SessionRow, interruption: Interruption): Promise<boolean> {
  const { authorise } = host.options;
  if (!authorise) return true;
  const input = await interruptedInput(host.store, row.id, interruption);
  try {
    return await authorise({
      session: row.id,
      from: input?.from ?? null,
      route: input?.route ?? null,
      input: input?.id ?? null,
      turn: interruption.turn,
    });
  } catch (thrown) {
    host.trouble(row.id, ensureError(thrown)); // fail closed: who cannot be checked is not resumed
    return false;
  }
}

/** What is written about a turn that is left: the decision, and the suspension it means (L2). */
export function leaveRecords(
  host: Host,
  interruption: Interruption,
  decision: Extract<ResumeDecision, { kind: "leave" }>,
): NewRecord[] {
  const { clock } = host.store;
  const decided = newRecord(clock, "resume.decided", {
    turn: interruption.turn,
    decision: "leave",
    why: decision.why,
    note: null,
  });
  if (decision.why !== "too-many-dirty-ends") return [decided];
  const reason = `${interruption.dirtyEnds} dirty ends without progress`;
  return [decided, newRecord(clock, "session.suspended", { reason })];
}
