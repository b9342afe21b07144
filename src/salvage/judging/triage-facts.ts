/** What the judge is given, put together from the journal, the tree and HEAD. It decides nothing itself. */
import type { FoldedCall } from "../../conversation/fold.ts";
import { NOW } from "../../model/ids.ts";
import type { AnalysisCache } from "../../triage/facts/known/kept.ts";
import type {
  CallFact,
  HeadTree,
  OperationFact,
  OverrideFact,
  Sighting,
  TriageFacts,
  TurnFact,
  VerifyFact,
  Write,
} from "../../triage/facts/known/triage-facts.ts";
import type { PathRules } from "../../triage/facts/paths/path-rules.ts";
import { claimsOn, HEARD_BEGIN } from "../../workspace/owning/own.ts";
import type { SessionTrack } from "../../workspace/owning/track.ts";
import type { BytesOf } from "../changes/change-contents.ts";
import { judgedInPart, type OwnedChanges } from "../changes/owned-changes.ts";
import { commandOf } from "../story/call-check.ts";
import { endsSeen } from "../story/seen-ends.ts";
import { hasFailed, type SessionStory, type StoryTurn } from "../story/session-story.ts";

export interface FactsOptions {
  readonly owned: OwnedChanges;
  readonly story: SessionStory;
  readonly bytesOf: BytesOf;
  readonly head: HeadTree;
  readonly pathRules: PathRules;
  readonly overrides: readonly OverrideFact[];
  readonly verify: VerifyFact | null;
  /** No check is proposed. */
  readonly isWithoutProposal?: boolean;
  readonly moving: TriageFacts["moving"];
  /** No session was recorded, and there is git to tell what was added. */
  readonly isImplied?: boolean;
  /** The session's end is on record: then the end of its last turn is one, too. */
  readonly isFinished?: boolean;
  readonly cache: AnalysisCache;
  readonly onProgress?: (done: number, total: number) => void;
}

const CUT_SHORT = "the session has more records than are looked at";

export function triageFacts(options: FactsOptions): TriageFacts {
  const { owned, story, onProgress } = options;
  const { reading } = owned.now;
  const parts = judgedInPart(owned);
  return {
    changes: owned.changes.map((fact) => ({
      ...fact,
      ...endsSeen(fact, options),
      writes: fact.writes.map((write) => atItsMoment(write, options)),
    })),
    ...(options.isImplied ? { isImplied: true } : {}),
    bytesOf: options.bytesOf,
    isPart: (change) => parts.has(change),
    head: options.head,
    operations: story.operations.map(operationFact),
    calls: [...story.calls.map((call) => callFact(call, owned.track)), ...untoldCalls(options)],
    turns: story.turns.map((turn) => turnFact(turn, options)),
    said: [
      ...story.marked.map((one) => ({ ...one, channel: "messages" })),
      ...story.messages.map((one) => ({ ...one, channel: story.channel })),
    ],
    plans: story.plans,
    isOnlyHeard: owned.track?.captures[0]?.reason === HEARD_BEGIN,
    gaps: [
      ...reading.gaps.map(({ path, reason }) => ({ path, reason })),
      ...owned.unknown.map(({ path, why }) => ({ path, reason: why })),
      ...(story.isCutShort ? owned.changes.map(({ change: { path } }) => ({ path, reason: CUT_SHORT })) : []),
    ],
    moving: options.moving,
    pathRules: options.pathRules,
    overrides: options.overrides,
    verify: options.verify,
    ...(options.isWithoutProposal ? { isWithoutProposal: true } : {}),
    sightings: sightingsOf(owned),
    cache: options.cache,
    ...(onProgress ? { onProgress } : {}),
  };
}

/**
 * A capture that was taken because something ended, or an operation began, stands for that moment where nothing of the session can
 * have come between the two (T2: nothing is backdated that could be later). Calls that a dead session never ended have no end
 * to stand for.
 */
function atItsMoment(write: Write, { owned, story }: FactsOptions): Write {
  const capture = owned.track?.captures.find(({ seq }) => seq === write.toSeq);
  const within = (seq: number): boolean => seq < write.toSeq && seq > write.fromSeq;
  const moments = momentsOf(story, capture?.reason ?? "").filter(within);
  const last = moments.reduce((latest, seq) => Math.max(latest, seq), 0);
  if (last === 0 || hasPassingEnd(story, within) || wasAtWork(story, last, write.toSeq)) return write;
  return { ...write, toSeq: last };
}

function momentsOf(story: SessionStory, reason: string): number[] {
  switch (reason) {
    case "call-end":
      return story.calls.flatMap(({ result }) => (result ? [result.seq] : []));
    case "operation-begin":
      return story.operations.map(({ beganSeq }) => beganSeq);
    case "operation-end":
      return story.operations.flatMap(({ endedSeq }) => (endedSeq === null ? [] : [endedSeq]));
    case "turn-end":
      return story.turns.flatMap(({ endedSeq }) => (endedSeq === null ? [] : [endedSeq]));
    default:
      return [];
  }
}

/** An END that was only read in what the agent printed is captured, too, and the agent goes on meanwhile. */
const hasPassingEnd = ({ operations }: SessionStory, within: (seq: number) => boolean): boolean =>
  operations.some(
    ({ isSeenInPassing, endedSeq }) => isSeenInPassing && endedSeq !== null && within(endedSeq),
  );

/** Whether a call that may write was open between a moment and the capture that was taken for it. */
const wasAtWork = ({ calls }: SessionStory, momentSeq: number, captureSeq: number): boolean =>
  calls.some(
    ({ effect, seq, result }) =>
      effect !== "none" && seq < captureSeq && (result === null || result.seq > momentSeq),
  );

function operationFact(operation: SessionStory["operations"][number]): OperationFact {
  const { id, label, state, paths, beganSeq, endedSeq, isSeenInPassing } = operation;
  return { id, label, state, paths, beganSeq, endedSeq, source: "record", isSeenInPassing };
}

function callFact(call: FoldedCall, track: SessionTrack | null): CallFact {
  const tracked = track?.calls.find(({ id }) => id === call.id);
  const seen = call.result && !call.result.isSynthetic ? call.result : null;
  const outcome = !seen
    ? "none"
    : seen.status === "cancelled"
      ? "cancelled"
      : hasFailed(call)
        ? "failed"
        : "done";
  return {
    id: call.id,
    tool: call.tool,
    command: commandOf(call.input),
    startedSeq: call.seq,
    endedSeq: seen?.seq ?? null,
    outcome,
    paths: tracked?.paths ?? [],
    mayWrite: call.effect !== "none",
  };
}

/** Calls that never ended and are older than the story: what they wrote is risky all the same. */
function untoldCalls({ owned: { track }, story }: FactsOptions): CallFact[] {
  const told = new Set(story.calls.map(({ id }) => id));
  const open = track?.calls.filter(({ id, endedSeq }) => endedSeq === null && !told.has(id)) ?? [];
  return open.map(({ id, tool, startedSeq, endedSeq, paths, mayWrite }) => ({
    id,
    tool,
    command: null,
    startedSeq,
    endedSeq,
    outcome: "none",
    paths,
    mayWrite,
  }));
}

const OUTCOMES = ["completed", "cancelled", "failed", "interrupted"] as const;

/** L7: last words that read like an end close nothing: the agent may have gone on without a record of it. */
function turnFact(turn: StoryTurn, { isFinished = false }: FactsOptions): TurnFact {
  const { id, beganSeq, endedSeq, outcome, endedBy } = turn;
  const isSaid = !turn.isInferred || isFinished;
  const known = isSaid ? (OUTCOMES.find((one) => one === outcome) ?? null) : null;
  return { id, startedSeq: beganSeq, endedSeq, outcome: known, endedBy };
}

/** How each session found a path that is dirty now, and how it left it: enough to see that it became dirty anew. */
function sightingsOf({ changes, tracks }: OwnedChanges): Sighting[] {
  return changes.flatMap(({ change: { path } }) => {
    const writers = new Set(claimsOn(path, tracks).map(({ session }) => session));
    return tracks.flatMap((track) => {
      const looked = track.captures.filter(({ id, keyAt }) => id !== NOW && keyAt(path) !== null);
      const ends = [...new Set([looked[0], looked.at(-1)])];
      return ends.flatMap((capture): Sighting[] => {
        const key = capture?.keyAt(path) ?? null;
        if (!capture || key === null) return [];
        const isWritten = writers.has(track.session);
        return [
          { path, session: track.session, capture: capture.id, atMs: capture.atMs, stateKey: key, isWritten },
        ];
      });
    });
  });
}
