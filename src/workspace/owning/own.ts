/**
 * Whose change it is, with evidence (DESIGN 6, W5). Pure.
 *
 * A session *claims* that a path came to a state when two of its captures, one after the other, show another
 * state before and this one after, and
 *  - `named`: a call of it that was open in between names the path, or
 *  - `between`: all of its calls in between are one unbroken stretch, and no other session had a call open then
 *    (for an agent that reports no calls, the supervised attempt is that stretch), or
 *  - `shared`: as `between`, but another supervised attempt that reports no calls ran at the same time, or
 *  - a call without a result was open (evidence `open-call`).
 * Calls that were heard of afterwards, in what the agent says of itself, have no place among the captures: each may have been open at
 * any time of its session. One that names a path claims it wherever it changed, unless it recorded other bytes and was the last that can
 * have written; one whose command says that it writes it (where captures saw the beginning:
 * mentions it) claims it as `between`; the others claim nothing, but one without a result may have done anything that no finished one wrote (DESIGN 8).
 *
 * Order is the journals' own: a capture notes how far the other sessions' journals were before and after it was
 * read, so no clock is asked (D3), and what may have overlapped counts as if it had.
 *
 * The owner of a change is whoever claims the state it led to; a claim that names the path beats one that only
 * surrounds it; two claimants of the same weight make it unknown, unless the state had gone before the later one began,
 * and so does one that is shared. Nobody's: `before` if it was so at the session's beginning, `after` if it came later
 * than its end, else `unknown`.
 */
import { isWithin, type PathName } from "../../model/path-name.ts";
import { type PathState, stateKey } from "../../model/path-state.ts";
import type { Workspace } from "../opening/workspace.ts";
import { isAsWritten, isChangedSince, lifeAround, neverEnded } from "./heard-calls.ts";
import type { SessionTrack, TrackedCall, TrackedCapture } from "./track.ts";

export type OwnerKind = "before" | "session" | "other" | "after" | "unknown";

export interface OwnerEvidence {
  readonly kind:
    | "call-names-path"
    | "between-captures"
    | "open-call"
    | "supervised"
    | "differed-at-begin"
    | "after-end"
    | "several-sessions"
    | "no-evidence";
  readonly message: string;
  readonly session?: string;
  readonly call?: string;
  readonly captures?: readonly string[];
}

export interface ChangeOwner {
  readonly owner: OwnerKind;
  /** The other session, where it is `other`. */
  readonly ownerSession: string | null;
  readonly evidence: readonly OwnerEvidence[];
}

export interface Claim {
  readonly session: string;
  readonly weight: "named" | "between" | "shared";
  readonly fromKey: string;
  readonly toKey: string;
  readonly from: TrackedCapture;
  readonly to: TrackedCapture;
  readonly calls: readonly TrackedCall[];
  readonly evidence: OwnerEvidence;
}

export const CLEAN = "clean";

/** The reason of what stands for the beginning of a session that was only heard of: HEAD, as far as anybody knows. */
export const HEARD_BEGIN = "heard";

/** Captures of a plain folder list all there is: what they do not list is not there, and that is what "clean" means in them. */
export const keyIn = (kind: Workspace["kind"], state: PathState): string =>
  kind === "folder" && state === null ? CLEAN : stateKey(state);

/** Everything any session claims about a path, each session's in order: looked for once, however many ask. */
export function claimsOn(path: PathName, tracks: readonly SessionTrack[]): readonly Claim[] {
  const known = claims.get(tracks) ?? new Map<PathName, readonly Claim[]>();
  claims.set(tracks, known);
  const found = known.get(path) ?? tracks.flatMap((track) => claimsOf(path, track, tracks));
  known.set(path, found);
  return found;
}

const claims = new WeakMap<readonly SessionTrack[], Map<PathName, readonly Claim[]>>();

export function ownerOf(
  path: PathName,
  toKey: string,
  track: SessionTrack,
  tracks: readonly SessionTrack[],
): ChangeOwner {
  const all = ofThisLife(claimsOn(path, tracks).filter((claim) => claim.toKey === toKey));
  const named = all.filter(({ weight }) => weight === "named");
  const pool = named.length > 0 ? named : all;
  const claimants = [...new Set(pool.map(({ session }) => session))];
  const evidence = pool.map((claim) => claim.evidence);
  const [only, ...more] = claimants;
  const isShared = pool.some(({ weight }) => weight === "shared");
  if (only !== undefined && more.length === 0 && !isShared) {
    if (only === track.session) return { owner: "session", ownerSession: null, evidence };
    return { owner: "other", ownerSession: only, evidence };
  }
  if (only !== undefined) {
    const message = `${Math.max(claimants.length, 2)} sessions may have made it`;
    return {
      owner: "unknown",
      ownerSession: null,
      evidence: [{ kind: "several-sessions", message }, ...evidence],
    };
  }
  return unclaimed(path, toKey, track);
}

/**
 * Claims on one state, without those whose state was gone again before another session brought it back: parked or
 * discarded, say, and then made a second time. A later claim starts from another state, read when the earlier one was on
 * record already; what may have overlapped stays.
 */
function ofThisLife(claims: readonly Claim[]): Claim[] {
  const isGoneBefore = (early: Claim, late: Claim): boolean =>
    late.session !== early.session && (late.from.others.get(early.session)?.before ?? -1) >= early.to.seq;
  return claims.filter((early) => !claims.some((late) => isGoneBefore(early, late)));
}

function unclaimed(path: PathName, toKey: string, track: SessionTrack): ChangeOwner {
  const first = track.captures.find((capture) => capture.keyAt(path) !== null);
  const begin = beginningOf(track);
  if (begin && first === begin && begin.keyAt(path) === toKey) {
    const message = "it was so when the session's first capture was taken";
    const evidence: OwnerEvidence = { kind: "differed-at-begin", message, captures: [begin.id] };
    return { owner: "before", ownerSession: null, evidence: [evidence] };
  }
  const end = track.captures.findLast(({ reason }) => reason === "end");
  const endKey = end?.keyAt(path) ?? null;
  if (end && endKey !== null && endKey !== toKey) {
    const message = "it changed after the session's end";
    const evidence: OwnerEvidence = { kind: "after-end", message, captures: [end.id] };
    return { owner: "after", ownerSession: null, evidence: [evidence] };
  }
  const wrote = track.calls.findLast(({ endedSeq, heard }) => endedSeq !== null && heard?.wrote.has(path));
  const message = wrote
    ? `it is not what the call ${wrote.tool} left there, and no later call tells of it`
    : begin || track.captures[0]?.reason === HEARD_BEGIN
      ? "no call names it, and no capture ties it to one"
      : "no capture shows how the session found the workspace";
  return { owner: "unknown", ownerSession: null, evidence: [{ kind: "no-evidence", message }] };
}

/**
 * How the session found the workspace; null: nobody saw that. Its first capture is no such look when something of the session had run
 * by then: the one at its beginning failed, and what the next one shows may be its own work (W4).
 */
export function beginningOf({ captures, calls, isSupervised }: SessionTrack): TrackedCapture | null {
  const [first] = captures;
  if (!first) return null;
  const hasWorked = calls.some(({ mayWrite, startedSeq }) => mayWrite && startedSeq < first.seq);
  return isBeginning(first.reason, { isSupervised }) && !hasWorked ? first : null;
}

/** Whether a first capture for this reason was taken before anything of the session ran. */
export const isBeginning = (reason: string, { isSupervised }: { readonly isSupervised: boolean }): boolean =>
  reason === "begin" || (!isSupervised && BEFORE_CALLS.has(reason));

/** An agent that nobody started for us has done nothing before its first call. */
const BEFORE_CALLS: ReadonlySet<string> = new Set(["manual", "timer", "turn-begin", "operation-begin"]);

function claimsOf(path: PathName, track: SessionTrack, tracks: readonly SessionTrack[]): Claim[] {
  const looked = track.captures.filter((capture) => capture.keyAt(path) !== null);
  return looked.slice(1).flatMap((to, i) => {
    const from = looked[i] as TrackedCapture;
    const [fromKey, toKey] = [from.keyAt(path) as string, to.keyAt(path) as string];
    if (fromKey === toKey) return [];
    const found = evidenceFor(path, track, { from, to }, tracks);
    return found ? [{ session: track.session, fromKey, toKey, from, to, ...found }] : [];
  });
}

interface Stretch {
  readonly from: TrackedCapture;
  readonly to: TrackedCapture;
}

function evidenceFor(
  path: PathName,
  track: SessionTrack,
  { from, to }: Stretch,
  tracks: readonly SessionTrack[],
): Pick<Claim, "weight" | "calls" | "evidence"> | null {
  const calls = openBetween(track, from.seq, to.seq);
  const captures = [from.id, to.id];
  // What a heard call names is the file it was to change, never all that lies in a folder.
  const naming = calls.filter(({ paths, heard }) =>
    paths.some((named) => (heard ? named === path : isWithin(path, named))),
  );
  const last = naming.at(-1);
  const about = { session: track.session, captures };
  if (last && from.reason === HEARD_BEGIN && isChangedSince(path, to, last, calls)) return null;
  if (last) {
    const isOpen = last.endedSeq === null;
    const kind = isOpen ? "open-call" : "call-names-path";
    const message = `the call ${last.tool} names it${isOpen ? " and never ended" : ""}`;
    const also = isAsWritten(path, to, last) ? [] : neverEnded(calls);
    return {
      ...{ weight: "named", calls: [...new Set([...naming, ...also])] },
      evidence: { ...about, kind, message, call: last.id },
    };
  }
  // Where nobody saw how the session found the file, only a command that says it writes it is evidence: `cat` is none (W5).
  const isUnseen = from.reason === HEARD_BEGIN;
  const mention = calls.findLast(
    ({ heard }) => (isUnseen ? heard?.writes(path) : heard?.mentions(path)) === true,
  );
  if (mention && !othersWrote(track, { from, to }, tracks)) {
    const isOpen = mention.endedSeq === null;
    const message = `the command of the call ${mention.tool}${isOpen ? ", which never ended," : ""} mentions it`;
    return {
      ...{ weight: "between", calls: [...new Set([mention, ...neverEnded(calls)])] },
      evidence: { ...about, kind: isOpen ? "open-call" : "call-names-path", message, call: mention.id },
    };
  }
  if (isUnseen) return null;
  if (othersWrote(track, { from, to }, tracks)) return null;
  // Between an attempt's end and the next one's beginning nothing of it ran: what came then is somebody else's.
  const reportsNone = track.calls.every(({ heard }) => heard !== undefined);
  if (track.isSupervised && reportsNone && from.reason !== "end" && to.reason !== "begin") {
    const isShared = ranBeside(track, { from, to }, tracks);
    const message = `it came while the supervised attempt ran, and ${isShared ? "another session's ran at the same time" : "no other session had a call open"}`;
    const weight = isShared ? "shared" : "between";
    return { weight, calls: neverEnded(calls), evidence: { ...about, kind: "supervised", message } };
  }
  const ran = calls.filter(({ heard }) => heard === undefined);
  const one = ran[0];
  const open = ran.find(({ endedSeq }) => endedSeq === null);
  // What a call without a result explains is the session's, whatever it did before (DESIGN 6).
  if (!one || (!open && stretches(ran) !== 1)) return null;
  const shown = open ?? one;
  const message = open
    ? `it came while the call ${shown.tool}, which never ended, was open`
    : `it lies between the captures around the call ${shown.tool}`;
  const kind = open ? "open-call" : "between-captures";
  return { weight: "between", calls: ran, evidence: { ...about, kind, message, call: shown.id } };
}

/** Calls that may write and were open somewhere between the two points of this journal. */
function openBetween(track: SessionTrack, low: number, high: number): TrackedCall[] {
  const life = lifeAround(track, low, high);
  return track.calls.filter((call) => {
    if (!call.mayWrite) return false;
    if (call.heard) return call.startedSeq > life.after && call.startedSeq < life.before;
    return call.startedSeq < high && (overAt(call) === null || (overAt(call) ?? 0) > low);
  });
}

/** Recorded while they ran: what was only heard of may have been long before. */
const ranBetween = (track: SessionTrack, low: number, high: number): TrackedCall[] =>
  openBetween(track, low, high).filter(({ heard }) => heard === undefined);

const overAt = ({ endedSeq, settledSeq }: TrackedCall): number | null => endedSeq ?? settledSeq;

/** How many times in a row at least one call was open: calls that overlap are one stretch. */
function stretches(calls: readonly TrackedCall[]): number {
  let count = 0;
  let openUntil = -1;
  for (const call of calls.toSorted((a, b) => a.startedSeq - b.startedSeq)) {
    if (call.startedSeq > openUntil) count++;
    openUntil = Math.max(openUntil, overAt(call) ?? Number.POSITIVE_INFINITY);
  }
  return count;
}

/** Whether another session may have had a writing call open: as far as its journal could be told, generously. */
function othersWrote(track: SessionTrack, stretch: Stretch, tracks: readonly SessionTrack[]): boolean {
  return overlaps(track, stretch, tracks, (other, low, high) => ranBetween(other, low, high).length > 0);
}

/** Whether another supervised attempt whose agent reports no calls may have run then: it counts as one call (DESIGN 6). */
function ranBeside(track: SessionTrack, stretch: Stretch, tracks: readonly SessionTrack[]): boolean {
  return overlaps(track, stretch, tracks, (other, low, high) => {
    if (!other.isSupervised || other.calls.some(({ heard }) => heard === undefined)) return false;
    const begins = other.captures.filter(({ reason }) => reason === "begin");
    return begins.some(({ seq }) => {
      const end = other.captures.find((one) => one.reason === "end" && one.seq > seq)?.seq ?? high;
      return seq < high && end > low;
    });
  });
}

/** Asks of every other session what it did in the part of its journal that may have been written during the stretch. */
function overlaps(
  track: SessionTrack,
  { from, to }: Stretch,
  tracks: readonly SessionTrack[],
  didAnything: (other: SessionTrack, low: number, high: number) => boolean,
): boolean {
  return tracks.some((other) => {
    if (other.session === track.session) return false;
    const high = to.others.get(other.session)?.after;
    const low = from.others.get(other.session)?.before ?? 0;
    // Noted by neither: it was over long before, or began later.
    if (high === undefined) return false;
    return didAnything(other, low, high + 1);
  });
}

/** Whether what the session's end capture has at a path is the session's own work. */
export function wasLeft(path: PathName, track: SessionTrack, tracks: readonly SessionTrack[]): boolean {
  const key = track.captures.findLast(({ reason }) => reason === "end")?.keyAt(path) ?? null;
  if (key === null || key === CLEAN) return false;
  return claimsOn(path, tracks).some(({ session, toKey }) => session === track.session && toKey === key);
}
