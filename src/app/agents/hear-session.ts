/**
 * A session that nobody supervised, read from the transcript its agent left (S1, `supervised: false`). Its claim is the agent's own
 * process: while that lives the session is live, and whoever finds it dead closes it as recovery does (C4, L1). What is on disk after
 * each step, and what a kill there leaves to the next look:
 *  1. begun, claimed by the agent   a session without words; the next look reads it
 *  2. taken in, change by change    what was read so far; the next look goes on behind it
 *  3. end captured                  what it left is held
 *  4. closed, claim given back      one change
 */
import { keepTranscripts } from "../../agents/escrow/keep-transcript.ts";
import { heardSessionId } from "../../agents/journal/heard-records.ts";
import { hasNews, type TakenIn, takeIn } from "../../agents/journal/take-in.ts";
import type { TranscriptStatus } from "../../agents/transcript/fold-heard.ts";
import { openThings } from "../../conversation/begin.ts";
import { closeLeftOpen } from "../../conversation/close-left-open.ts";
import { findDirtyEnd, suspension } from "../../conversation/dirty-end.ts";
import { RefloatError } from "../../model/errors.ts";
import type { SessionId } from "../../model/ids.ts";
import { isJsonObject } from "../../model/json.ts";
import { DEFAULT_CLAIM_THRESHOLD_MS } from "../../model/limits.ts";
import type { Owner } from "../../model/owner.ts";
import type { NewRecord } from "../../model/record.ts";
import { processIdentity, selfOwner, UNKNOWN_NAMESPACE } from "../../platform/identity.ts";
import { listCommands } from "../../recover/list-leftovers.ts";
import { captureEnd, isWorthCapturing } from "../../recover/look-around.ts";
import { takeClaim } from "../../session/claims.ts";
import { newRecord } from "../../session/new-record.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import type { Store } from "../../store/store.ts";
import type { Workspace } from "../../workspace/opening/workspace.ts";
import { commandText } from "../../workspace/owning/named-paths.ts";
import { type AgentLiveness, livenessOfAgent } from "./agent-process.ts";
import type { LeftTranscript } from "./left-transcripts.ts";

export interface HearingPlace {
  readonly store: Store;
  readonly workspace: Workspace;
  readonly env: NodeJS.ProcessEnv;
}

/** Everything new of it in its session's journal. Null: somebody else is at it right now. */
export async function hearSession(at: HearingPlace, left: LeftTranscript): Promise<SessionId | null> {
  const source = { agent: left.adapter.name, nativeId: left.nativeId };
  const id = heardSessionId(source, at.workspace.root) as SessionId;
  const liveness = livenessOfAgent(left, at.env);
  try {
    const attempt = await claimed(at, left, id, liveness);
    if (attempt === null) return id;
    const isOver = liveness.kind === "dead";
    const order = { session: id, attempt, ...left, isOver, turns: "source" as const };
    const taken = await takeIn(at.store, order);
    for (const child of left.children)
      await takeIn(at.store, { ...order, ...child, turns: "session", isChild: true });
    if (liveness.kind === "dead") {
      await keepTranscripts(at.store, order);
      await closed(at, id, attempt, taken);
    }
    return id;
  } catch (thrown) {
    // K1: another look has it, or it was taken up meanwhile; what it says of it is as good.
    if (thrown instanceof RefloatError && OVERTAKEN.has(thrown.code)) return null;
    throw thrown;
  }
}

const OVERTAKEN: ReadonlySet<string> = new Set(["E_HELD", "E_FENCED"]);

/** The attempt to write under; null: nothing is new, and nothing is to be closed. */
async function claimed(
  { store, workspace }: HearingPlace,
  left: LeftTranscript,
  session: SessionId,
  liveness: AgentLiveness,
): Promise<number | null> {
  const row = await store.session(session);
  if (row?.claim.owner) return row.claim.attempt;
  if (row && (!hasNews(left, readTo(row)) || row.facts.suspended != null)) return null;
  const owner = ownerOf(liveness, left);
  if (row) return (await takeClaim(store, { session, owner, records: () => [] })).attempt;
  const { clock } = store;
  const { adapter, nativeId } = left;
  const began = {
    ...{ agent: adapter.name, workspace: workspace.root, goal: null, name: null },
    ...{ supervised: false, heard: nativeId },
  };
  const claim = { attempt: 1, owner, why: "new", from: null, reason: null } as const;
  const outcome = await store.take({
    ...{ session, seen: null, owner, nowMs: clock.nowMs(), thresholdMs: DEFAULT_CLAIM_THRESHOLD_MS },
    records: [
      { ...newRecord(clock, "session.began", began), atMs: Math.min(left.modifiedMs, clock.nowMs()) },
      newRecord(clock, "claim.taken", claim),
    ],
  });
  return outcome.kind === "done" ? outcome.attempt : ((await store.session(session))?.claim.attempt ?? null);
}

/** How far its transcript was read, as its row remembers. */
function readTo({ facts: { heard } }: SessionRow): number {
  return isJsonObject(heard) && typeof heard.byte === "number" ? heard.byte : 0;
}

/** Of a dead agent's session this process is the owner while it reads; nobody else is there to be. */
function ownerOf(liveness: AgentLiveness, { adapter: { name } }: LeftTranscript): Owner {
  switch (liveness.kind) {
    case "alive":
      return liveness.owner;
    case "dead":
      return selfOwner(`${name}, read afterwards`);
    case "unknown":
      // K2: where nothing can be proved it is unreachable, never dead.
      return { ...processIdentity(0), pid_namespace: UNKNOWN_NAMESPACE, instance: `${name} ?`, label: name };
  }
}

async function closed(
  { store, workspace, env }: HearingPlace,
  session: SessionId,
  attempt: number,
  { status }: TakenIn,
): Promise<void> {
  const row = await store.session(session);
  if (!row) return;
  const things = await openThings(store, session, { open: await store.open(session) });
  const commands = things.flatMap(({ opened }) => commandText(opened.body.input) ?? []);
  // What a tool of it still writes is not its end: owed until that is over (S2).
  const isMoving = listCommands(workspace.root, commands).length > 0;
  const isCaptured = isWorthCapturing(workspace, row) && !isMoving;
  const capture = isCaptured ? await captureEnd(store, workspace, { env, row, endOf: attempt }) : null;
  const isOwed = isMoving || (capture !== null && capture.kind !== "taken");
  const end_capture = isOwed ? "owed" : "none";
  const ending = await endOf(store, row, status, end_capture);
  await store.release(session, attempt, [...ending, newRecord(store.clock, "claim.released", { attempt })]);
}

async function endOf(
  store: Store,
  row: SessionRow,
  status: TranscriptStatus,
  end_capture: "owed" | "none",
): Promise<readonly NewRecord[]> {
  const { clock } = store;
  const things = await openThings(store, row.id, { open: await store.open(row.id) });
  if (status === "ended-clean" && things.length === 0)
    return [newRecord(clock, "session.finished", { cause: "clean" })];
  const isAsked = status === "cancelled-by-user";
  const known = isAsked ? { isAsked, isStopped: true } : {};
  const found = await findDirtyEnd(store, row, things, isAsked ? "signal" : "unknown", known);
  const evidence = [STORIES[status]];
  const { records } = closeLeftOpen(clock, things, found, { evidence, end_capture });
  return [...records, ...suspension(clock, row, found)];
}

/** How the transcript ends, in words. */
const STORIES: Readonly<Record<TranscriptStatus, string>> = {
  live: "its agent was alive",
  "ended-clean": "its transcript says that it ended",
  "dirty-in-tool": "its transcript ends in the middle of a call, and its process is gone",
  "dirty-in-stream": "its transcript ends before an answer, and its process is gone",
  "dirty-idle": "its transcript ends without a word of an end, and its process is gone",
  "cancelled-by-user": "its transcript says that the person stopped it",
  lost: "its transcript holds nothing",
};
