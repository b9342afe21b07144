/** The facts a restore is compiled from: the capture, the tree now, what differs between them, and whose it is. */
import { RefloatError } from "../model/errors.ts";
import type { SessionId } from "../model/ids.ts";
import { isWithin, type PathName } from "../model/path-name.ts";
import { shownPath } from "../text/shown-path.ts";
import { readingOf } from "../workspace/capture-json.ts";
import { compareSides, movedBetween } from "../workspace/compare-sides.ts";
import type { TakenCapture } from "../workspace/take-capture.ts";
import { assertNamed } from "./assert-named.ts";
import { isActsSession } from "./is-acts-session.ts";
import { type LookOptions, lookAround, ownerOfChange } from "./look.ts";
import { planOfCapture } from "./plan-of-capture.ts";
import type { RestoreFacts } from "./restore.ts";
import { wantedPaths } from "./wanted-paths.ts";

export async function gatherRestore(
  options: LookOptions,
  taken: TakenCapture,
  named: readonly PathName[],
): Promise<RestoreFacts> {
  const { id, capture } = taken;
  const session = await sessionOf(options, taken);
  const reading = readingOf(capture);
  assertLookedAt(id, reading, named);
  const entries = new Set(reading.entries.map(({ path }) => path));
  const look = await lookAround(options, [...new Set([...entries, ...named])]);
  const side = { label: "the capture", reading, headId: capture.head?.id ?? null };
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
async function sessionOf({ store }: LookOptions, taken: TakenCapture): Promise<SessionId | null> {
  return isActsSession(taken.session)
    ? ((await planOfCapture(store, taken))?.session ?? null)
    : taken.session;
}

/** A capture of known paths says nothing of others: asking it for one is a mistake to be told. */
function assertLookedAt(
  id: string,
  { how, entries, scopes, gaps }: ReturnType<typeof readingOf>,
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
