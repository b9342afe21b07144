/**
 * The facts a discard is compiled from: for every path that is changed now, what it was before the session changed it.
 * Going back along the session's own claims leads to the state it found; where that is "clean", to what HEAD has now.
 */
import type { SessionId } from "../../model/ids.ts";
import type { PathName } from "../../model/path-name.ts";
import { type CapturedAt, capturedStates } from "../../workspace/captures/captured-states.ts";
import { ownerOfChange } from "../../workspace/compare/owner-of-change.ts";
import type { SideState, StateAt } from "../../workspace/compare/states.ts";
import { compareStates } from "../../workspace/compare/states.ts";
import { BLOB_MISSING, type HeadState, headStates } from "../../workspace/git/head-states.ts";
import type { StagedEntry } from "../../workspace/git/index-file.ts";
import { objectsAt } from "../../workspace/git/objects.ts";
import {
  beginningOf,
  type ChangeOwner,
  CLEAN,
  claimsOn,
  ownerOf,
  wasLeft,
} from "../../workspace/owning/own.ts";
import type { SessionTrack, TrackedCapture } from "../../workspace/owning/track.ts";
import type { ReadEntry } from "../../workspace/tree/reading.ts";
import type { DiscardFacts } from "./discard.ts";
import { type LookOptions, lookAround, type TreeLook } from "./look.ts";
import { wantedPaths } from "./put-back.ts";

export interface GatheredDiscard {
  readonly facts: DiscardFacts;
  /** What "clean" was taken to mean. */
  readonly headId: string | null;
}

export async function gatherDiscard(
  options: LookOptions,
  session: SessionId,
  named: readonly PathName[],
): Promise<GatheredDiscard> {
  const look = await lookAround(options, named);
  const track = look.tracks.find((one) => one.session === session) ?? emptyTrack(session);
  const { reading, headId, unlisted } = look.now;
  const entries = new Map(
    (reading?.entries ?? []).filter(({ path }) => !unlisted?.has(path)).map((entry) => [entry.path, entry]),
  );
  const gone = options.workspace.kind === "folder" ? goneFrom(track, entries) : [];
  const paths = [...entries.keys(), ...gone];
  const found = new Map(paths.map((path) => [path, before(path, track)]));
  const captured = await capturedStates(options.store, session, wantedCaptures(found));
  const clean = paths.filter((path) => found.get(path)?.key === CLEAN);
  const head = await headAt(look, headId, clean);
  const from: StateAt = (path) => stateBefore(path, found, captured, head.states);
  const { changes, unknown } = compareStates(paths, from, stateNow(entries, reading?.gaps ?? [], gone));
  const told = new Set([...changes, ...changes.flatMap(({ members }) => members), ...unknown].map(pathOf));
  const ownerAt = (path: PathName): ChangeOwner =>
    ownerOf(path, track.captures.at(-1)?.keyAt(path) ?? CLEAN, track, look.tracks);
  return {
    headId,
    facts: {
      session,
      changes,
      unknown,
      found: paths.filter((path) => !told.has(path)).map((path) => ({ path, owner: ownerAt(path) })),
      wanted: wantedPaths(named),
      owner: (change) => ownerOfChange(change, track, look.tracks),
      isEditedSince: (change) =>
        ownerOfChange(change, track, look.tracks).owner === "after" &&
        wasLeft(change.path, track, look.tracks),
      isReconstructed: (path) => found.get(path)?.key === CLEAN,
      staged: (path) => stagedAt(entries.get(path), found.get(path), captured, head.objects),
    },
  };
}

/** Of a plain folder no status names what was deleted: the session's first look does, where this one saw that it is not there. */
function goneFrom(track: SessionTrack, entries: ReadonlyMap<PathName, ReadEntry>): PathName[] {
  const now = track.captures.at(-1);
  const named = track.captures[0]?.changedPaths ?? [];
  return named.filter((path) => !entries.has(path) && now?.keyAt(path) === CLEAN);
}

interface StateBefore {
  /** `stateKey`, or clean. Null: nobody looked. */
  readonly key: string | null;
  readonly capture: string | null;
}

/** Back along the session's claims, as long as each led to the state the next one began with. */
function before(path: PathName, track: SessionTrack): StateBefore {
  const claims = claimsOn(path, [track]).toReversed();
  let key = track.captures.at(-1)?.keyAt(path) ?? null;
  let at: TrackedCapture | null = null;
  for (const claim of claims) {
    if (claim.toKey !== key) continue;
    key = claim.fromKey;
    at = claim.from;
  }
  if (at) return { key, capture: at.id };
  // None of its own: what it found when it first looked. Where nobody saw its beginning, its first look may show its own work.
  if (beginningOf(track) === null) return { key: CLEAN, capture: null };
  const first = track.captures.find((capture) => capture.keyAt(path) !== null);
  const isLook = first !== undefined && first !== track.captures.at(-1);
  return isLook ? { key: first.keyAt(path), capture: first.id } : { key: CLEAN, capture: null };
}

function wantedCaptures(found: ReadonlyMap<PathName, StateBefore>): Map<string, PathName[]> {
  const wanted = new Map<string, PathName[]>();
  for (const [path, { key, capture }] of found) {
    if (key === CLEAN || key === null || capture === null) continue;
    wanted.set(capture, [...(wanted.get(capture) ?? []), path]);
  }
  return wanted;
}

async function headAt(
  { repository }: TreeLook,
  headId: string | null,
  paths: readonly PathName[],
): Promise<{
  states: ReadonlyMap<PathName, HeadState>;
  objects: ReadonlyMap<PathName, { mode: number; id: string }>;
}> {
  if (!repository || headId === null) return { states: new Map(), objects: new Map() };
  return {
    states: await headStates(repository, headId, paths),
    objects: await objectsAt(repository, headId, paths),
  };
}

function stateBefore(
  path: PathName,
  found: ReadonlyMap<PathName, StateBefore>,
  captured: CapturedAt,
  head: ReadonlyMap<PathName, HeadState>,
): SideState {
  const was = found.get(path);
  // Not named by the tree as it is: a folder that git knows no name for.
  if (!was) return { kind: "known", state: null, isReconstructed: true };
  if (was.key === CLEAN) {
    const clean = head.get(path);
    if (clean?.kind === "missing") return { kind: "unknown", why: BLOB_MISSING };
    return { kind: "known", state: clean?.state ?? null, isReconstructed: true };
  }
  const entry = was.capture === null ? undefined : captured(was.capture, path);
  if (!entry) return { kind: "unknown", why: "what was there before is not held" };
  return { kind: "known", state: entry.state, isReconstructed: false };
}

function stateNow(
  entries: ReadonlyMap<PathName, ReadEntry>,
  gaps: readonly { readonly path: PathName; readonly detail: string }[],
  gone: readonly PathName[],
): StateAt {
  const missing = new Map(gaps.map(({ path, detail }) => [path, detail]));
  const isGone = new Set(gone);
  return (path) => {
    const why = missing.get(path);
    if (isGone.has(path)) return { kind: "known", state: null, isReconstructed: false };
    const entry = entries.get(path);
    if (why !== undefined || !entry) return { kind: "unknown", why: why ?? "it was not looked at" };
    return { kind: "known", state: entry.state, isReconstructed: false };
  };
}

/** Null: the index was not looked at there, now or before. */
function stagedAt(
  now: ReadEntry | undefined,
  was: StateBefore | undefined,
  captured: CapturedAt,
  head: ReadonlyMap<PathName, { mode: number; id: string }>,
): { now: readonly StagedEntry[]; before: readonly StagedEntry[] } | null {
  if (!now?.staged || !was) return null;
  if (was.key === CLEAN) {
    const object = head.get(now.path);
    return { now: now.staged, before: object ? [{ ...object, stage: 0 }] : [] };
  }
  const staged = was.capture === null ? undefined : captured(was.capture, now.path)?.staged;
  return staged ? { now: now.staged, before: staged } : null;
}

const pathOf = ({ path }: { readonly path: PathName }): PathName => path;

const emptyTrack = (session: SessionId): SessionTrack => ({
  session,
  captures: [],
  calls: [],
  isSupervised: false,
});
