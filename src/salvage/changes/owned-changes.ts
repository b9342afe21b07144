/**
 * Everything in the tree that differs from HEAD, each change with its owner, its evidence and when it was written
 * (DESIGN 6, W5). The tree as it is now is the last of every session's captures, so what a dead session's open call wrote
 * is judged, too. A folder without git is compared with the session's first capture.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { actedInName } from "../../acts/plans/session-acts.ts";
import { RefloatError } from "../../model/errors.ts";
import { NOW } from "../../model/ids.ts";
import type { PathName } from "../../model/path-name.ts";
import type { PathState } from "../../model/path-state.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Environment } from "../../platform/places.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import type { Store } from "../../store/store.ts";
import type { ChangeFact, Write } from "../../triage/facts/known/triage-facts.ts";
import { firstCapture } from "../../workspace/captures/captures.ts";
import { type HeldWork, isAway, withCommitted } from "../../workspace/captures/held-work.ts";
import { type KeyOf, ownerOfChange } from "../../workspace/compare/owner-of-change.ts";
import {
  type CompareSide,
  compareSides,
  nowSide,
  type SidesCompared,
} from "../../workspace/compare/sides.ts";
import { type Change, pairRenames, pathsOf } from "../../workspace/compare/states.ts";
import type { GitObject } from "../../workspace/git/status.ts";
import type { Workspace } from "../../workspace/opening/workspace.ts";
import {
  beginningOf,
  type ChangeOwner,
  CLEAN,
  claimsOn,
  keyIn,
  wasLeft,
} from "../../workspace/owning/own.ts";
import { loadTracks, withNow } from "../../workspace/owning/session-tracks.ts";
import type { SessionTrack } from "../../workspace/owning/track.ts";
import type { Reading } from "../../workspace/tree/reading.ts";
import { readingOf } from "../../workspace/tree/reading.ts";
import { whereabouts } from "../../workspace/unsettled/held-unsettled.ts";
import { foundMixed } from "./found-mixed.ts";
import { withReplayedEnds } from "./replayed-ends.ts";

/** Of an id, as everywhere on screens. */
const SHOWN_ID_CHARS = 12;

export interface OwnedChanges {
  readonly now: CompareSide & { readonly reading: Reading };
  readonly changes: readonly ChangeFact[];
  readonly committed: readonly PathName[];
  readonly unknown: SidesCompared["unknown"];
  readonly tracks: readonly SessionTrack[];
  /** This session's; null: nobody began one. */
  readonly track: SessionTrack | null;
  /** Judged from what is held, for the session's work is not in this tree (W8); null: the tree itself was looked at. */
  readonly held: HeldWork | null;
}

export interface OwnedOptions {
  readonly store: Store | null;
  readonly workspace: Workspace;
  readonly rows: readonly SessionRow[];
  /** Null: an implied session. */
  readonly row: SessionRow | null;
  readonly env: Environment;
  readonly clock: Clock;
  readonly onProgress?: (done: number, total: number) => void;
}

export async function ownedChanges(options: OwnedOptions): Promise<OwnedChanges> {
  const { workspace, store, rows, row, env, clock, onProgress } = options;
  const away = await awayWork(options);
  if (away?.held) return heldChanges(options, away.held);
  const from = await baseSide(options);
  const named = from.reading?.entries.map(({ path }) => path) ?? [];
  if (workspace.kind === "git") await workspace.repository();
  // The journals are read while git looks at the tree: from the next turn on, when it has been started.
  const [side, loaded] = await Promise.all([
    nowSide(workspace, named, { env, clock, ...(onProgress ? { onProgress } : {}) }),
    nextTurn().then(() => (store ? loadTracks(store, workspace.root, rows) : [])),
  ]);
  const now = { ...side, reading: side.reading as Reading };
  const repository = workspace.kind === "git" ? await workspace.repository() : null;
  const base =
    workspace.kind === "git" ? { ...from, headId: now.headId, objects: headObjects(now.reading) } : from;
  const compared = await compareSides(repository, base, now);
  const known = away ? withCommitted(loaded, away.all) : loaded;
  const tracks = withNow(known, rows, now, clock.nowMs());
  const track = tracks.find(({ session }) => session === row?.id) ?? null;
  const hidden = hiddenPaths(now.reading);
  const facts = pairRenames(compared.changes).map((change) => ({
    ...factOf(change, track, tracks, workspace.kind),
    ...hiddenIn(change, hidden),
  }));
  const objects = headObjects(now.reading);
  const told = repository ? await foundMixed(facts, { track, tracks, repository, objects }) : facts;
  const changes = repository ? await withReplayedEnds(told, { track, repository, objects }) : told;
  const unknown = [...compared.unknown, ...(away?.unknown ?? [])];
  return { now, changes, committed: compared.committed, unknown, tracks, track, held: null };
}

interface AwayWork {
  readonly all: HeldWork;
  /** Null: it is in this tree, or was put there. */
  readonly held: HeldWork | null;
  /** What is held and was not put here with the rest. */
  readonly unknown: SidesCompared["unknown"];
}

/** Null: the session worked in this very tree. */
async function awayWork({ workspace, store, row, env }: OwnedOptions): Promise<AwayWork | null> {
  if (!store || !row || !isAway(row, workspace)) return null;
  const found = await whereabouts({ store, workspace, row, env, findActed: actedInName });
  if (!found) return null;
  const { held, away, isBrought } = found;
  if (away.length > 0 && !isBrought) return { all: held, held, unknown: [] };
  const why = `it is held by capture ${held.capture.slice(0, SHOWN_ID_CHARS)}, and not in this tree`;
  return { all: held, held: null, unknown: away.map(({ path }) => ({ path, why })) };
}

/** The same as of a tree, had the session's been left as its last capture has it. */
async function heldChanges(options: OwnedOptions, held: HeldWork): Promise<OwnedChanges> {
  const { workspace, store, rows, row, clock } = options;
  if (!store || !row) throw new RefloatError("E_NO_SESSION", { what: held.session });
  if (held.head?.id && (held.base === null || workspace.kind === "folder")) throw noClone(held);
  const repository = workspace.kind === "git" && held.head !== null ? await workspace.repository() : null;
  const known = rows.some(({ id }) => id === row.id) ? rows : [...rows, row];
  const loaded = withCommitted(await loadTracks(store, held.path, known), held);
  const now = { label: "held", reading: held.reading, headId: held.base };
  const base: CompareSide = repository
    ? { label: "HEAD", reading: null, headId: held.base, objects: headObjects(held.reading) }
    : await firstSide(store, row);
  const compared = await compareSides(repository, base, now);
  const tracks = withNow(loaded, known, now, clock.nowMs());
  const track = tracks.find(({ session }) => session === row.id) ?? null;
  const kind = repository ? "git" : "folder";
  const changes = pairRenames(compared.changes).map((change) => factOf(change, track, tracks, kind));
  return { now, changes, committed: [], unknown: compared.unknown, tracks, track, held };
}

/** W8: what is missing is named, with the way to get it. */
export const noClone = ({ session, head, path }: HeldWork): RefloatError =>
  new RefloatError("E_HELD_ELSEWHERE", {
    session,
    path,
    commit: head?.id?.slice(0, SHOWN_ID_CHARS) ?? "none",
  });

type HiddenBy = NonNullable<ChangeFact["hiddenBy"]>;

/** What git calls unchanged because the user told it so. */
function hiddenPaths({ entries }: Reading): Map<PathName, HiddenBy> {
  const flags: readonly HiddenBy[] = ["skip-worktree", "assume-unchanged"];
  return new Map(
    entries.flatMap((entry) => {
      const flag = flags.find((one) => entry.flags.includes(one));
      return flag ? [[entry.path, flag] as const] : [];
    }),
  );
}

function hiddenIn(change: Change, hidden: ReadonlyMap<PathName, HiddenBy>): Pick<ChangeFact, "hiddenBy"> {
  const hiddenBy =
    hidden.size === 0
      ? undefined
      : pathsOf(change)
          .map((path) => hidden.get(path))
          .find(Boolean);
  return hiddenBy ? { hiddenBy } : {};
}

/** What "unchanged" means: HEAD, or of a plain folder the first capture of the session. */
async function baseSide({ workspace, store, row }: OwnedOptions): Promise<CompareSide> {
  if (workspace.kind === "git") return { label: "HEAD", reading: null, headId: null };
  return store && row ? firstSide(store, row) : { label: "nothing", reading: null, headId: null };
}

async function firstSide(store: Store, row: SessionRow): Promise<CompareSide> {
  const first = await firstCapture(store, row.id);
  if (!first) return { label: "nothing", reading: null, headId: null };
  return { label: "its beginning", reading: readingOf(first.capture), headId: null };
}

/**
 * What status said HEAD has: it was the same before and after. Of an unmerged path it says what the index has instead, and a path
 * that was only taken out of the index has two lines, of which one names what HEAD has.
 */
function headObjects({ entries }: Reading): Map<PathName, GitObject | null> {
  const objects = new Map<PathName, GitObject | null>();
  const unmerged = new Set<PathName>();
  for (const { path, head, flags } of entries) {
    if (flags.includes("unmerged")) unmerged.add(path);
    if (head !== undefined) objects.set(path, head ?? objects.get(path) ?? null);
  }
  for (const path of unmerged) objects.delete(path);
  return objects;
}

const IMPLIED: ChangeOwner = {
  owner: "unknown",
  ownerSession: null,
  evidence: [{ kind: "no-evidence", message: "no session was recorded here" }],
};

const keysOf =
  (kind: Workspace["kind"]): KeyOf =>
  (_path, state) =>
    keyIn(kind, state);

function factOf(
  change: Change,
  track: SessionTrack | null,
  tracks: readonly SessionTrack[],
  kind: Workspace["kind"],
): ChangeFact {
  if (!track) return { change, owner: strangersOwner(change, tracks, kind), writes: [] };
  const owner = ownerOfChange(change, track, tracks, keysOf(kind));
  const writes = pathsOf(change).flatMap((path) => writesOf(path, track, tracks));
  const isEditedSince = owner.owner === "after" && wasLeft(change.path, track, tracks);
  return {
    change,
    owner,
    writes: writes.sort((a, b) => a.fromSeq - b.fromSeq),
    ...(isEditedSince ? { isEditedSince } : {}),
  };
}

/** Nobody's session is looked at: a recorded one may still own it. */
function strangersOwner(
  change: Change,
  tracks: readonly SessionTrack[],
  kind: Workspace["kind"],
): ChangeOwner {
  const track = tracks.find((one) => ownerOfChange(change, one, tracks, keysOf(kind)).owner === "session");
  if (!track) return IMPLIED;
  return {
    ...ownerOfChange(change, track, tracks, keysOf(kind)),
    owner: "other",
    ownerSession: track.session,
  };
}

function writesOf(path: PathName, track: SessionTrack, tracks: readonly SessionTrack[]): Write[] {
  return claimsOn(path, tracks)
    .filter(({ session }) => session === track.session)
    .map(({ from, to, calls }) => ({ fromSeq: from.seq, toSeq: to.seq, call: calls.at(-1)?.id ?? null }));
}

/** The state a path had when the session first looked: null where nobody saw its beginning. "clean": as HEAD had it. */
function keyAtBegin(path: PathName, track: SessionTrack): string | null {
  if (beginningOf(track) === null) return null;
  const first = track.captures.find((capture) => capture.id !== NOW && capture.keyAt(path) !== null);
  return first?.keyAt(path) ?? null;
}

/** Whether it differed from HEAD already when the session began: then a commit holds only the session's part (DESIGN 7). */
export function wasDirtyBefore(path: PathName, track: SessionTrack | null): boolean {
  const key = track ? keyAtBegin(path, track) : null;
  return key !== null && key !== CLEAN;
}

/** The other session that left a path as this one found it; null: nobody that is known did. */
export function earlierOwner(
  path: PathName,
  { track, tracks }: Pick<OwnedChanges, "track" | "tracks">,
): string | null {
  const key = track ? keyAtBegin(path, track) : null;
  const left = claimsOn(path, tracks).filter(
    ({ session, toKey, weight }) => session !== track?.session && toKey === key && weight !== "shared",
  );
  return left.at(-1)?.session ?? null;
}

/** Paths that this session left uncommitted and another went on with: they are the newest one's, who is named by each. */
export function overlaid({ changes, track, tracks }: OwnedChanges): { path: PathName; by: string }[] {
  if (!track) return [];
  return changes.flatMap(({ change: { path, from }, owner: { owner, ownerSession } }) => {
    const over = new Set<string>();
    let upper = owner === "other" ? tracks.find(({ session }) => session === ownerSession) : undefined;
    while (upper && ownerSession !== null && !over.has(upper.session)) {
      over.add(upper.session);
      if (isAtBegin(path, from, upper)) return [];
      const earlier = earlierOwner(path, { track: upper, tracks });
      if (earlier === track.session) return [{ path, by: ownerSession }];
      upper = tracks.find(({ session }) => session === earlier);
    }
    return [];
  });
}

/** What HEAD has is what that session began with: it was committed since. */
function isAtBegin(path: PathName, head: PathState, track: SessionTrack): boolean {
  if (head?.kind !== "file" || head.hash === null) return false;
  return keyAtBegin(path, track)?.includes(head.hash) === true;
}

/**
 * Changes of which only the session's part would be committed, and is judged. What is another's, was so before or came after is judged
 * as it lies there: this session has no part in it, and nobody else would find it sound (S7).
 */
export function judgedInPart({
  changes,
  track,
}: Pick<OwnedChanges, "changes" | "track">): ReadonlySet<Change> {
  const mayBeOurs = changes.filter(({ owner: { owner } }) => owner === "session" || owner === "unknown");
  const dirty = mayBeOurs.filter(({ change }) => pathsOf(change).some((path) => wasDirtyBefore(path, track)));
  return new Set(dirty.flatMap(({ change }) => [change, ...change.members]));
}
