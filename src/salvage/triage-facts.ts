/** What the judge is given, put together from the journal, the tree and HEAD. It decides nothing itself. */
import type { FoldedCall } from "../conversation/fold.ts";
import type { PathName } from "../model/path-name.ts";
import { stateKey } from "../model/path-state.ts";
import type {
  CallFact,
  HeadTree,
  OperationFact,
  OverrideFact,
  Sighting,
  TriageFacts,
  TurnFact,
  VerifyFact,
} from "../triage/facts.ts";
import type { PathRules } from "../triage/path-rules.ts";
import { CLEAN, claimsOn, type SessionTrack } from "../workspace/own.ts";
import { commandOf } from "./call-check.ts";
import type { BytesOf } from "./change-contents.ts";
import { type OwnedChanges, pathsOf } from "./owned-changes.ts";
import { hasFailed, type SessionStory, type StoryTurn } from "./session-story.ts";

export interface FactsOptions {
  readonly owned: OwnedChanges;
  readonly story: SessionStory;
  readonly bytesOf: BytesOf;
  readonly head: HeadTree;
  readonly pathRules: PathRules;
  readonly overrides: readonly OverrideFact[];
  readonly verify: VerifyFact | null;
  readonly moving: TriageFacts["moving"];
  readonly onProgress?: (done: number, total: number) => void;
}

export function triageFacts(options: FactsOptions): TriageFacts {
  const { owned, story, onProgress } = options;
  const { reading } = owned.now;
  return {
    changes: owned.changes,
    bytesOf: options.bytesOf,
    head: options.head,
    operations: story.operations.map(operationFact),
    calls: story.calls.map((call) => callFact(call, owned.track)),
    turns: story.turns.map(turnFact),
    said: story.messages.map(({ seq, text }) => ({ seq, text, channel: story.channel })),
    gaps: [
      ...reading.gaps.map(({ path, reason }) => ({ path, reason })),
      ...owned.unknown.map(({ path, why }) => ({ path, reason: why })),
    ],
    moving: options.moving,
    pathRules: options.pathRules,
    overrides: options.overrides,
    verify: options.verify,
    sightings: sightingsOf(owned),
    ...(onProgress ? { onProgress } : {}),
  };
}

function operationFact(operation: SessionStory["operations"][number]): OperationFact {
  const { id, label, state, paths, beganSeq, endedSeq } = operation;
  return { id, label, state, paths, beganSeq, endedSeq, source: "record" };
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

const OUTCOMES = ["completed", "cancelled", "failed", "interrupted"] as const;

function turnFact({ id, beganSeq, endedSeq, outcome }: StoryTurn): TurnFact {
  return { id, startedSeq: beganSeq, endedSeq, outcome: OUTCOMES.find((one) => one === outcome) ?? null };
}

/** Captures of each session in which a path that is dirty now was dirty: the last of each session tells enough. */
function sightingsOf({ changes, tracks }: OwnedChanges): Sighting[] {
  const found: Sighting[] = [];
  for (const { change } of changes) {
    for (const path of pathsOf(change).slice(0, 1)) {
      for (const track of tracks) {
        const sighting = lastSighting(path, track, tracks);
        if (sighting) found.push(sighting);
      }
    }
  }
  return found;
}

function lastSighting(path: PathName, track: SessionTrack, tracks: readonly SessionTrack[]): Sighting | null {
  const isDirty = (key: string | null): key is string => key !== null && key !== CLEAN;
  const last = track.captures.findLast(({ id, keyAt }) => id !== "now" && isDirty(keyAt(path)));
  const key = last?.keyAt(path);
  if (!last || !isDirty(key ?? null)) return null;
  const isWritten = claimsOn(path, tracks).some(({ session }) => session === track.session);
  return {
    path,
    session: track.session,
    capture: last.id,
    atMs: last.atMs,
    stateKey: key as string,
    isWritten,
  };
}

/** What an override is remembered by: each path of a change in the state it is in now. */
export function overrideKeys(
  change: OwnedChanges["changes"][number]["change"],
): { path: PathName; stateKey: string }[] {
  return [{ path: change.path, stateKey: stateKey(change.to) }];
}
