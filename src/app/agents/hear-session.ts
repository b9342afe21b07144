/**
 * A session that nobody supervised, read from the transcript its agent left and from what its hooks told (S1, `supervised: false`). Its
 * claim is the agent's own process: while that lives the session is live, and whoever finds it dead closes it as recovery does (C4,
 * L1). The transcript is the conversation; of the hooks comes what it lacks, and only when nothing more will come. What is on disk
 * after each step, and what a kill there leaves to the next look:
 *  1. begun, claimed by the agent   a session without words; the next look reads it
 *  2. taken in, change by change    what was read so far; the next look goes on behind it
 *  3. taken from hooks beside it    the call that was open, the turn's end record
 *  4. end captured                  what it left is held
 *  5. closed, claim given back      one change
 */
import { join } from "node:path";
import { keepTranscripts } from "../../agents/escrow/keep-transcript.ts";
import { heardSessionId } from "../../agents/journal/heard-records.ts";
import type { HookedWork } from "../../agents/journal/hooked-work.ts";
import { readSoFar } from "../../agents/journal/read-so-far.ts";
import { hookedWork, takeHooked } from "../../agents/journal/take-hooked.ts";
import { hasNews, type TakeInOrder, takeIn } from "../../agents/journal/take-in.ts";
import { isSharedServer } from "../../agents/shared-servers.ts";
import type { TranscriptStatus } from "../../agents/transcript/fold-heard.ts";
import { closeLeftOpen } from "../../conversation/close-left-open.ts";
import { findDirtyEnd, suspension } from "../../conversation/dirty-end.ts";
import { openThings } from "../../conversation/open-things.ts";
import { RefloatError } from "../../model/errors.ts";
import type { SessionId } from "../../model/ids.ts";
import { isJsonObject } from "../../model/json.ts";
import { type Owner, readerLabel } from "../../model/owner.ts";
import type { NewRecord } from "../../model/record.ts";
import { selfOwner } from "../../platform/identity.ts";
import { livenessOf } from "../../platform/liveness.ts";
import { captureEnd, isWorthCapturing } from "../../recover/look-around.ts";
import { unsupervisedLeftovers } from "../../recover/unsupervised-leftovers.ts";
import { takeClaim } from "../../session/claims.ts";
import { newRecord } from "../../session/new-record.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import type { Store } from "../../store/store.ts";
import type { Workspace } from "../../workspace/opening/workspace.ts";
import { beginHeard } from "../inbox/begin-heard.ts";
import { unknownOwner } from "../inbox/hook-process.ts";
import { type AgentLiveness, livenessOfAgent } from "./agent-process.ts";
import type { LeftWork } from "./left-transcripts.ts";

export interface HearingPlace {
  readonly store: Store;
  readonly workspace: Workspace;
  readonly env: NodeJS.ProcessEnv;
}

/** Everything new of it in its session's journal. Null: somebody else is at it right now. */
export async function hearSession(at: HearingPlace, left: LeftWork): Promise<SessionId | null> {
  const source = { agent: left.adapter.name, nativeId: left.nativeId };
  const id = left.session ?? (heardSessionId(source, at.workspace.root) as SessionId);
  const row = await at.store.session(id);
  const hooked = await hookedWork(at.store, id, source);
  const { hasEnded } = hooked;
  const folder = join(at.workspace.root, left.inside);
  const liveness = livenessOfAgent({ ...left, folder }, at.env, { facts: row?.facts ?? {}, hasEnded });
  try {
    const attempt = await claimed(at, left, { id, row, liveness, hooked });
    if (attempt === null) return id;
    const order = { session: id, attempt, ...left, turns: "source" as const };
    const isOver = liveness.kind === "dead";
    // Where hooks know how the turn stands, what a transcript only looks like does not end it.
    const taken = await readTranscripts(at.store, order, isOver && !hooked.tellsEnd);
    if (liveness.kind !== "dead") return id;
    const beside = await takeHooked(at.store, { ...order, source }, hooked);
    const isUntold = hooked.tellsEnd && beside.status === null;
    const status = isUntold ? await readTranscripts(at.store, order, true) : (beside.status ?? taken);
    if (left.path !== null) await keepTranscripts(at.store, { ...order, path: left.path });
    const endedMs = hooked.lastAtMs === null ? null : Math.max(hooked.lastAtMs, left.modifiedMs);
    await closed(at, id, attempt, { status, because: liveness.because, endedMs });
    return id;
  } catch (thrown) {
    // K1: another look has it, or it was taken up meanwhile; what it says of it is as good.
    if (thrown instanceof RefloatError && OVERTAKEN.has(thrown.code)) return null;
    throw thrown;
  }
}

type ReadOrder = Omit<TakeInOrder, "path"> & Pick<LeftWork, "path" | "children">;

async function readTranscripts(store: Store, order: ReadOrder, isOver: boolean): Promise<TranscriptStatus> {
  const { path } = order;
  if (path === null) return "lost";
  const { status } = await takeIn(store, { ...order, path, isOver });
  // A subagent may work in a tree of its own: its transcript says where.
  const { cwd, inside, ...beside } = order;
  for (const child of order.children)
    await takeIn(store, {
      ...beside,
      ...child,
      parent: { cwd, inside },
      turns: "session",
      isChild: true,
      isOver,
    });
  return status;
}

const OVERTAKEN: ReadonlySet<string> = new Set(["E_HELD", "E_FENCED"]);

interface SeenWork {
  readonly id: SessionId;
  readonly row: SessionRow | null;
  readonly liveness: AgentLiveness;
  readonly hooked: HookedWork;
}

/** The attempt to write under; null: nothing is new, and nothing is to be closed. */
async function claimed(
  { store, workspace, env }: HearingPlace,
  left: LeftWork,
  { id: session, row, liveness, hooked }: SeenWork,
): Promise<number | null> {
  const owner = ownerOf(liveness, left);
  const taken = { session, owner, beganMs: hooked.firstAtMs, records: () => [] };
  if (row?.claim.owner) {
    // The person went on in another process of the agent's, and nobody looked meanwhile.
    const isOther = liveness.kind === "alive" && livenessOf(row.claim.owner).kind === "dead";
    return isOther ? (await takeClaim(store, taken)).attempt : row.claim.attempt;
  }
  if (row && (row.facts.suspended != null || !(await isNews(left, row, hooked, { store, env })))) return null;
  if (row) return (await takeClaim(store, taken)).attempt;
  const { adapter, nativeId, movedFrom = null } = left;
  const { root } = workspace;
  const atMs = beganAt(left);
  const isRead = hooked.firstAtMs === null;
  return beginHeard(store, { session, agent: adapter.name, nativeId, root, movedFrom, owner, atMs, isRead });
}

async function isNews(
  { path, ...left }: LeftWork,
  row: SessionRow,
  hooked: HookedWork,
  { store, env }: Pick<HearingPlace, "store" | "env">,
): Promise<boolean> {
  if (hooked.last !== null) return true;
  return path !== null && hasNews({ ...left, path }, await readTo(store, row, left), env);
}

/** As its transcript says, where that can be; its last change is the latest it can have begun. */
const beganAt = ({ beganMs, modifiedMs }: LeftWork): number =>
  beganMs !== null && beganMs > 0 ? Math.min(beganMs, modifiedMs) : modifiedMs;

/** How far its transcript was read, as its row remembers; of one that the session went on from in another, as its journal does. */
async function readTo(
  store: Store,
  { id, facts: { heard } }: SessionRow,
  { adapter: { name: agent }, nativeId }: Pick<LeftWork, "adapter" | "nativeId">,
): Promise<number> {
  if (isJsonObject(heard) && heard.native_id === nativeId && heard.agent === agent)
    return typeof heard.byte === "number" ? heard.byte : 0;
  return (await readSoFar(store, { session: id, source: { agent, nativeId } })).next.byte;
}

/** Of a dead agent's session this process is the owner while it reads; nobody else is there to be. */
function ownerOf(liveness: AgentLiveness, { adapter: { name } }: LeftWork): Owner {
  switch (liveness.kind) {
    case "alive":
      return liveness.owner;
    case "dead":
      return selfOwner(readerLabel(name));
    case "unknown":
      // K2: where nothing can be proved it is unreachable, never dead.
      return unknownOwner(name);
  }
}

interface EndFound {
  readonly status: TranscriptStatus;
  readonly because: Extract<AgentLiveness, { kind: "dead" }>["because"];
  /** When it was last heard of by its hooks, for people; null: they told nothing, it is the look's. */
  readonly endedMs: number | null;
}

async function closed(
  { store, workspace, env }: HearingPlace,
  session: SessionId,
  attempt: number,
  end: EndFound,
): Promise<void> {
  const row = await store.session(session);
  if (!row) return;
  // What a tool of it still writes is not its end: owed until that is over (S2).
  const { root } = workspace;
  const isMoving = (await unsupervisedLeftovers(store, row, { root, isSharedServer })).length > 0;
  const isCaptured = isWorthCapturing(workspace, row) && !isMoving;
  const capture = isCaptured ? await captureEnd(store, workspace, { env, row, endOf: attempt }) : null;
  const isOwed = isMoving || (capture !== null && capture.kind !== "taken");
  const end_capture = isOwed ? "owed" : "none";
  const ending = await endOf(store, row, end, end_capture);
  const released = atItsTime(newRecord(store.clock, "claim.released", { attempt }), end);
  await store.release(session, attempt, [...ending, released]);
}

const atItsTime = (record: NewRecord, { endedMs }: EndFound): NewRecord =>
  endedMs === null ? record : { ...record, atMs: Math.min(endedMs, record.atMs) };

async function endOf(
  store: Store,
  row: SessionRow,
  end: EndFound,
  end_capture: "owed" | "none",
): Promise<readonly NewRecord[]> {
  const { clock } = store;
  const { status, because } = end;
  const things = await openThings(store, row.id, { open: await store.open(row.id) });
  if (status === "ended-clean" && things.length === 0)
    return [atItsTime(newRecord(clock, "session.finished", { cause: "clean" }), end)];
  const isStopped = status === "cancelled-by-user";
  const isAsked = isStopped || because === "ended";
  const cause = isAsked ? "signal" : because === "reboot" ? "reboot" : "unknown";
  const found = await findDirtyEnd(store, row, things, cause, { isAsked, isStopped });
  const evidence = [STORIES[status], ...BECAUSE[because]];
  const { records } = closeLeftOpen(clock, things, found, { evidence, end_capture });
  return [...records, ...suspension(clock, row, found)];
}

/** What the end rests on beside the transcript. */
const BECAUSE: Readonly<Record<EndFound["because"], readonly string[]>> = {
  gone: [],
  reboot: ["the machine was started anew since its last hook"],
  ended: ["its hook said that its program ended"],
};

/** How the transcript ends, in words. */
const STORIES: Readonly<Record<TranscriptStatus, string>> = {
  live: "its agent was alive",
  "ended-clean": "its transcript says that it ended",
  "dirty-in-tool": "it ended in the middle of a call, and its process is gone",
  "dirty-in-stream": "its transcript ends before an answer, and its process is gone",
  "dirty-idle": "its transcript ends without a word of an end, and its process is gone",
  "cancelled-by-user": "its transcript says that the person stopped it",
  lost: "its transcript holds nothing",
};
