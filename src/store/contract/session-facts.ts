/**
 * What the session's row remembers of its journal: a shallow merge per record, so that both drivers apply it
 * without knowing any kind. Everything here can be computed again from the records.
 */

import { isJsonObject, type JsonObject } from "../../model/json.ts";
import { RECOVERY_LABEL } from "../../model/recovery-label.ts";
import { EXIT_CAUSES } from "../../model/run-kinds.ts";
import type { SessionRow } from "./driver.ts";

/**
 * Only heard of, and nobody has read to its end what its agent left: its transcript and its hooks say how it ended, and only a look in its
 * own folder takes them in. Until then nobody knows, and nobody closes it by a guess (K2, L7).
 */
export const awaitsHearing = ({ facts, claim: { owner } }: SessionRow): boolean =>
  facts.only_heard === true &&
  facts.native_id === undefined &&
  owner !== null &&
  owner.label !== RECOVERY_LABEL;

/** Its claim is a supervisor's, whose agent is about to start, runs, or died with it: what that one hears, or its recovery, is heard by nobody else. */
export const isSupervisedNow = ({ facts, claim: { owner } }: SessionRow): boolean =>
  owner !== null && (isJsonObject(facts.agent_process) || typeof facts.agent_mark === "string");

/** `session.moved` of a session whose folder got another name: nothing of it came from elsewhere. */
export const FOLDER_MOVED = "its folder was moved";

/** Where its workspace was when it worked there; null: where it is. */
export const movedFromOf = ({ facts }: { readonly facts: JsonObject }): string | null =>
  typeof facts.moved_from === "string" && facts.moved_from !== facts.workspace ? facts.moved_from : null;

/** One that an agent had in a session, by the id it knows it by. */
export interface AgentConversation {
  readonly agent: string;
  readonly native_id: string;
}

/** More of one session are not remembered: each takes a resume that began a new one. */
const MAX_CONVERSATIONS = 20;

/** All that a session has had, the newest first: what it goes on in may have another id each time. */
export function conversationsOf({ facts }: { readonly facts: JsonObject }): readonly AgentConversation[] {
  const { heard, agent, native_id, earlier } = facts;
  const told = [{ agent, native_id }, heard, ...(Array.isArray(earlier) ? earlier : [])];
  const known = new Map<string, AgentConversation>();
  for (const one of told) {
    const { agent: name, native_id: id } = isJsonObject(one) ? one : {};
    if (typeof id !== "string" || id === "" || typeof name !== "string") continue;
    // Whose it is was heard from itself; else it is the agent's that the session was begun with.
    if (!known.has(id) || one === heard) known.set(id, { agent: name, native_id: id });
  }
  return [...known.values()].slice(0, MAX_CONVERSATIONS);
}

/** The patch a record makes on its session's facts, or null. */
export function factsOf(kind: string, body: JsonObject, atMs: number): JsonObject | null {
  switch (kind) {
    case "session.began":
      return {
        agent: body.agent ?? null,
        workspace: body.workspace ?? null,
        goal: body.goal ?? null,
        name: body.name ?? null,
        started_at_ms: atMs,
        ended_at_ms: null,
        cause: null,
        suspended: null,
        ...(body.heard === undefined ? {} : { only_heard: true }),
        ...(body.moved_from === undefined ? {} : { moved_from: body.moved_from }),
        ...carriedFacts(body),
      };
    case "session.forked":
      return {
        ...{ name: body.name ?? null, started_at_ms: atMs },
        ...{ forked_from: body.parent ?? null, forked_at: body.at_seq ?? null },
      };
    case "claim.taken":
      return takenFacts(body);
    case "session.finished":
      return { ended_at_ms: atMs, cause: body.cause ?? "clean" };
    case "session.suspended":
      return { suspended: body.reason ?? "" };
    case "session.lifted":
      return { suspended: null, dirty_ends: 0, dirty_call: null, turn_left: null };
    case "session.renewed":
      return { renewed: body.session ?? null };
    case "resume.decided":
      return { turn_left: body.decision === "leave" ? (body.why ?? null) : null };
    case "recovered":
      return {
        cause: body.cause ?? "unknown",
        dirty_ends: body.dirty_ends ?? 0,
        dirty_call: body.call ?? null,
        owes_end_capture: body.end_capture === "owed" ? true : null,
      };
    case "progress.found":
      return { dirty_ends: body.dirty_ends ?? 0 };
    case "agent.marked":
      return markedFacts(body, atMs);
    case "agent.heard":
      return body.child === true ? null : { heard: heardFacts(body) };
    case "agent.observed":
      return observedFacts(body, atMs);
    case "agent.started":
      return { agent_process: agentFacts(body), agent_mark: null };
    case "agent.exited":
      return { agent_process: null, agent_mark: null, cause: exitCause(body) };
    case "capture.taken":
      return capturedFacts(body, atMs);
    case "account.limited":
      return {
        [limitFact(String(body.account))]: { until_ms: body.until_ms ?? null, session: body.session ?? null },
      };
    case "session.moved":
      return {
        workspace: body.to ?? null,
        ...(typeof body.host === "string" ? { host: body.host } : {}),
        ...(body.reason === FOLDER_MOVED ? { moved_from: body.from ?? null } : {}),
      };
    case "parked.carried":
      return { carries_parked: Array.isArray(body.plans) && body.plans.length > 0 ? true : null };
    case "session.sent":
      return sentFacts(body, atMs);
    case "session.received":
    case "session.taken-back":
      return { sent: null, suspended: body.suspended ?? null };
    case "session.left":
      return { left: leftFacts(body) };
    case "turn.began":
      // What the tree was before this turn can no longer be captured.
      return { turn: body.turn ?? null, owes_end_capture: null, turn_left: null };
    case "turn.ended":
      return { turn: null, ...endedFacts(body) };
    default:
      return null;
  }
}

/** One key for each account: what is said of another takes nothing of it away. */
export const limitFact = (account: string): string => `limit ${account}`;

/** The id it was given, the conversations it had before, and what it goes on in a copy of, by when. */
function markedFacts({ mark, native_id, earlier, copies }: JsonObject, atMs: number): JsonObject {
  return {
    ...{ agent_mark: mark ?? null, native_id: native_id ?? null },
    ...(earlier === undefined ? {} : { earlier }),
    copying: copies === undefined ? null : { of: copies, at_ms: atMs },
  };
}

/** A new attempt: the session is no longer finished. A recovery's does no work of its own: what it finds comes as `recovered`. */
function takenFacts({ owner }: JsonObject): JsonObject | null {
  if (isJsonObject(owner) && owner.label === RECOVERY_LABEL) return null;
  return { ended_at_ms: null, cause: null, agent_process: null, agent_mark: null, has_end_capture: null };
}

/** L1: an interrupted turn stays on the row until another one ends otherwise, and why with it. L2: a completed one is progress. */
function endedFacts({ turn, outcome }: JsonObject): JsonObject {
  if (outcome === "interrupted") return { interrupted: turn ?? null };
  const none = { interrupted: null, cause: null };
  return outcome === "completed" ? { ...none, dirty_ends: 0, dirty_call: null } : none;
}

/** L2: the count goes over to the session that takes the work up. */
function carriedFacts({
  continues,
  dirty_ends,
  dirty_call,
  gateway,
  queue,
  item_seq,
}: JsonObject): JsonObject {
  return {
    ...(gateway === undefined ? {} : { gateway }),
    ...(queue === undefined ? {} : { queue, item_seq: item_seq ?? null }),
    dirty_ends: dirty_ends ?? 0,
    ...(dirty_call === undefined ? {} : { dirty_call }),
    ...(continues === undefined ? {} : { continues }),
  };
}

/** What proves later whether the agent lives (K2) and which processes carry its mark (S2). */
function agentFacts(body: JsonObject): JsonObject {
  const { attempt, host, boot, pid_namespace, pid, started, mark } = body;
  return {
    attempt: attempt ?? null,
    host: host ?? null,
    boot: boot ?? null,
    pid_namespace: pid_namespace ?? null,
    pid: pid ?? null,
    started: started ?? null,
    mark: mark ?? null,
  };
}

/** Its supervisor saw how it ended; what that means for the turn is said when it is settled. */
const exitCause = ({ why }: JsonObject): string | null =>
  typeof why === "string" && Object.hasOwn(EXIT_CAUSES, why)
    ? EXIT_CAUSES[why as keyof typeof EXIT_CAUSES]
    : null;

/** Which transcript it has, and how far that was read. */
function heardFacts({ agent, native_id, path, cwd, next, status, channel }: JsonObject): JsonObject {
  const byte = isJsonObject(next) ? (next.byte ?? null) : null;
  return {
    agent: agent ?? null,
    native_id: native_id ?? null,
    path: path ?? null,
    cwd: cwd ?? null,
    byte,
    status: status ?? null,
    ...(channel === undefined ? {} : { channel }),
  };
}

/** The last that its hooks told, and the process they were called by: that it lives or is gone is found by it (K2). */
function observedFacts(body: JsonObject, atMs: number): JsonObject | null {
  if (body.other_process === true) return null;
  const { agent, event, native_id, cwd, child, process, pid_namespace } = body;
  const last = { agent: agent ?? null, event: event ?? null, native_id: native_id ?? null, cwd: cwd ?? null };
  return {
    hooked: { ...last, at_ms: atMs, ...(body.before === undefined ? {} : { before: body.before }) },
    ...(isJsonObject(process) && child == null ? { hook_process: process } : {}),
    ...(typeof pid_namespace === "string" && child == null ? { hook_namespace: pid_namespace } : {}),
  };
}

/** Nothing resumes it by itself (L4), whoever lists what could be; that nobody writes to it the store sees to. */
function sentFacts(
  { transfer, to, offered, store, for: only, suspended }: JsonObject,
  atMs: number,
): JsonObject {
  const sent = { transfer: transfer ?? null, to: to ?? null, offered: offered ?? null, at_ms: atMs };
  const into = { store: store ?? null, for: only ?? null };
  return {
    sent: { ...sent, ...into, suspended: suspended ?? null },
    suspended: `it was sent to ${String(to)}`,
  };
}

/** How much a session left at its end, and at which: what it is stands in the record. */
function leftFacts({ attempt, capture, changes }: JsonObject): JsonObject {
  const count = Array.isArray(changes) ? changes.length : 0;
  return { attempt: attempt ?? null, capture: capture ?? null, changes: count };
}

/** The newest capture in brief, so that finding it needs no body; the HEAD of the last one that looked everywhere. */
function capturedFacts(body: JsonObject, atMs: number): JsonObject {
  const { capture, reason, how, partial, head, workspace, commits } = body;
  const id = isJsonObject(head) ? (head.id ?? null) : null;
  const { clone = null, root_commit = null, tree = null, host } = isJsonObject(workspace) ? workspace : {};
  const brief = {
    id: capture ?? null,
    how: how ?? null,
    partial: partial ?? null,
    at_ms: atMs,
    clone,
    root_commit,
    tree,
    ...(host === undefined ? {} : { host }),
  };
  return {
    capture: brief,
    ...(how === "status" ? { captured_head: id } : {}),
    ...(isJsonObject(commits) ? { kept: keptFacts(commits) } : {}),
    ...(reason === "end" ? { owes_end_capture: null, has_end_capture: true } : {}),
  };
}

/** How far its commits are kept: the last that was looked at, and the last that can be had from what is kept and the remotes. */
function keptFacts({ head, after, all, left_out }: JsonObject): JsonObject {
  const whole = left_out == null ? (head ?? null) : (after ?? null);
  const sums = isJsonObject(all) ? { commits: all.commits ?? 0, bytes: all.bytes ?? 0 } : {};
  return { head: head ?? null, whole, ...sums, left_out: left_out ?? null };
}

/** Why a session is suspended (L4), by its row; null: it is not. */
export const suspendedFor = (row: { readonly facts: JsonObject } | null | undefined): string | null =>
  typeof row?.facts.suspended === "string" ? row.facts.suspended : null;

/** Where a session was sent to, and by which transfer. */
export interface SentAway {
  readonly transfer: string;
  readonly to: string;
  readonly offered: number;
  /** By ssh: the store that has it. */
  readonly store: string | null;
  /** In a file: the one store that may take it in; null: whichever does first. */
  readonly forStore: string | null;
  readonly atMs: number;
  readonly suspended: string | null;
}

/** Null: it goes on here. */
export function sentAway(row: { readonly facts: JsonObject } | null | undefined): SentAway | null {
  const sent = row?.facts.sent;
  if (!isJsonObject(sent) || typeof sent.transfer !== "string" || typeof sent.to !== "string") return null;
  const { transfer, to, offered, at_ms } = sent;
  const text = (value: unknown): string | null => (typeof value === "string" ? value : null);
  const told = { store: text(sent.store), forStore: text(sent.for), suspended: text(sent.suspended) };
  return { transfer, to, offered: Number(offered), atMs: Number(at_ms), ...told };
}

/** The workspace a session works in, by its row; empty: none is known. */
export const workspaceIn = (row: { readonly facts: JsonObject } | null | undefined): string =>
  typeof row?.facts.workspace === "string" ? row.facts.workspace : "";
