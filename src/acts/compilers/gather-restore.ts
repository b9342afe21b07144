/** The facts a restore is compiled from: the capture, the tree now, what differs between them, and whose it is. */
import { RefloatError } from "../../model/errors.ts";
import type { SessionId } from "../../model/ids.ts";
import { isWithin, type PathName } from "../../model/path-name.ts";
import { shownPath } from "../../text/shown-path.ts";
import { compareSides, movedBetween } from "../../workspace/compare/sides.ts";
import type { Reading } from "../../workspace/tree/reading.ts";
import { isActsSession } from "../plans/is-acts-session.ts";
import { planOfCapture } from "../plans/plan-of-capture.ts";
import { assertNamed } from "./assert-named.ts";
import type { HeldReading } from "./bring.ts";
import { type LookOptions, lookAround, ownerOfChange } from "./look.ts";
import type { RestoreFacts } from "./restore.ts";
import { wantedPaths } from "./wanted-paths.ts";

/** One capture, or the last of a session with those of known paths over it. */
export interface RestoreSource extends HeldReading {
  readonly id: string;
  readonly session: SessionId;
  /** Where a single capture stands in its journal. */
  readonly seq?: number;
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
      track ? ownerOfChange(look, track, change) : { owner: "unknown", ownerSession: null, evidence: [] },
    hasCalls: track?.calls.some(({ mayWrite }) => mayWrite) ?? false,
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
