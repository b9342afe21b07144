/** The facts a restore is compiled from: the capture, the tree now, what differs between them, and whose it is. */
import { giving, RefloatError } from "../../model/errors.ts";
import { isActsSession, type SessionId } from "../../model/ids.ts";
import { isWithin, type PathName } from "../../model/path-name.ts";
import { shownPath } from "../../text/shown-path.ts";
import { ownerOfChange } from "../../workspace/compare/owner-of-change.ts";
import { compareSides, movedBetween } from "../../workspace/compare/sides.ts";
import { lookAt } from "../../workspace/files/read-path.ts";
import { allObjectsAt } from "../../workspace/git/objects.ts";
import type { Repository } from "../../workspace/git/repository.ts";
import type { Reading } from "../../workspace/tree/reading.ts";
import { planOfCapture } from "../plans/acts-session.ts";
import type { HeldReading } from "./bring.ts";
import { type LookOptions, lookAround } from "./look.ts";
import { wantedPaths } from "./put-back.ts";
import type { RestoreFacts } from "./restore.ts";

/** One capture, or the last of a session with those of known paths over it. */
export interface RestoreSource extends HeldReading {
  readonly id: string;
  readonly session: SessionId;
  /** Where a single capture stands in its journal. */
  readonly seq?: number;
  /** A hook took it before a command that takes away. */
  readonly isBeforeLoss?: boolean;
}

export async function gatherRestore(
  options: LookOptions,
  source: RestoreSource,
  named: readonly PathName[],
): Promise<RestoreFacts> {
  const { id, reading, headId } = source;
  const session = await sessionOf(options, source);
  assertLookedAt(id, reading, named);
  const entries = new Set(reading.entries.map(({ path }) => path));
  const look = await lookAround(options, [...new Set([...entries, ...named])]);
  const side = { label: "the capture", reading, headId };
  const commits = [side.headId, look.now.headId];
  const { repository } = look;
  await assertNamed({ capture: id, reading, repository, commits, root: options.workspace.root }, named);
  const compared = await compareSides(look.repository, side, look.now);
  const moved = await movedBetween(look.repository, side.headId, look.now.headId);
  const track = look.tracks.find((one) => one.session === session);
  return {
    capture: id,
    session,
    compared,
    wanted: wantedPaths(named),
    owner: (change) =>
      track
        ? ownerOfChange(change, track, look.tracks)
        : { owner: "unknown", ownerSession: null, evidence: [] },
    hasCalls: track?.calls.some(({ mayWrite }) => mayWrite) ?? false,
    isBeforeLoss: source.isBeforeLoss ?? false,
    isReconstructed: (path) => !entries.has(path),
    isMoved: (path) => moved.has(path),
  };
}

/** What an act held first is the work of the session it acted for. */
async function sessionOf(
  { store }: LookOptions,
  { id, session, seq = 0 }: RestoreSource,
): Promise<SessionId | null> {
  return isActsSession(session)
    ? ((await planOfCapture(store, { id, session, seq }))?.session ?? null)
    : session;
}

/** A capture of known paths says nothing of others: asking it for one is a mistake to be told. */
function assertLookedAt(
  id: string,
  { how, entries, scopes, gaps }: Reading,
  named: readonly PathName[],
): void {
  if (how !== "paths") return;
  const known = [...entries, ...gaps].map(({ path }) => path);
  const isKnown = (path: PathName): boolean =>
    known.some((one) => isWithin(one, path)) || scopes.some((scope) => isWithin(path, scope));
  const missing = named.find((path) => !isKnown(path));
  if (missing !== undefined)
    throw new RefloatError("E_NOT_IN_CAPTURE", { path: shownPath(missing), capture: id });
}

/**
 * A path typed wrong must not end in "done" (T1): what is named to `restore` is somewhere, in the capture, in the commit
 * it was taken on, or in the tree and its HEAD now. Where a commit cannot be read any more nobody knows, and nothing is said.
 */
interface NamedPlaces {
  readonly capture: string;
  readonly reading: Pick<Reading, "entries" | "gaps">;
  readonly repository: Repository | null;
  /** The capture's commit, and HEAD now where that counts. */
  readonly commits: readonly (string | null)[];
  /** Null: what the tree has does not count, as for a copy of the capture alone. */
  readonly root: string | null;
}

export async function assertNamed(places: NamedPlaces, named: readonly PathName[]): Promise<void> {
  const { capture, reading, repository, root } = places;
  const gaps = reading.gaps.map(({ path }) => path);
  const known = [...gaps, ...reading.entries.map(({ path }) => path)];
  const strange = named.filter(
    (path) =>
      path !== "" &&
      !known.some((one) => isWithin(one, path)) &&
      !gaps.some((gap) => isWithin(path, gap)) &&
      (root === null || lookAt(root, path) === null),
  );
  if (strange.length === 0) return;
  for (const commit of new Set(places.commits)) {
    const paths = await pathsAt(repository, commit);
    if (paths === null) return;
    const missing = strange.filter((path) => !paths.some((one) => isWithin(one, path)));
    strange.splice(0, strange.length, ...missing);
  }
  const [first] = strange;
  if (first === undefined) return;
  const where = `in the capture ${capture}${root === null ? "" : ", nor in the tree"}`;
  throw new RefloatError("E_NO_PATH", { path: shownPath(first), where, capture });
}

/** Null: the commit is gone, so what it had is not known. */
async function pathsAt(repository: Repository | null, commit: string | null): Promise<PathName[] | null> {
  if (!repository || commit === null) return [];
  const objects = await allObjectsAt(repository, commit).catch(giving(null, "E_GIT_FAILED"));
  return objects && [...objects.keys()];
}
