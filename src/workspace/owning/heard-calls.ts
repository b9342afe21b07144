/** Calls that were only heard of: which of them can have touched a path, and which have left it alone. Pure. */
import type { PathName } from "../../model/path-name.ts";
import type { SessionTrack, TrackedCall, TrackedCapture } from "./track.ts";

/** The attempt that two points of a journal lie in: what was heard of in it may have happened at any time of it, and at no other. */
export function lifeAround(
  { captures }: SessionTrack,
  low: number,
  high: number,
): { after: number; before: number } {
  const ends = captures.filter(({ reason }) => reason === "end").map(({ seq }) => seq);
  return {
    after: ends.findLast((seq) => seq <= low) ?? -1,
    before: ends.find((seq) => seq >= high) ?? Number.POSITIVE_INFINITY,
  };
}

/** Heard of, and no result: what it did nobody knows. */
export const neverEnded = (calls: readonly TrackedCall[]): TrackedCall[] =>
  calls.filter(({ heard, endedSeq }) => heard !== undefined && endedSeq === null);

/** A finished call recorded these very bytes: whatever else ran, it left them alone. */
export const isAsWritten = (
  path: PathName,
  to: TrackedCapture,
  { endedSeq, heard }: TrackedCall,
): boolean => {
  const hash = endedSeq === null ? undefined : heard?.wrote.get(path);
  return hash !== undefined && to.keyAt(path)?.includes(hash) === true;
};

/**
 * A finished call recorded other bytes as all of the file, and no call that mentions it or never ended can have come after: somebody else's
 * work may be in it, and nothing ties that to the session.
 */
export function isChangedSince(
  path: PathName,
  to: TrackedCapture,
  last: TrackedCall,
  calls: readonly TrackedCall[],
): boolean {
  if (last.endedSeq === null || !last.heard?.wrote.has(path) || isAsWritten(path, to, last)) return false;
  const mayHave = ({ endedSeq, heard }: TrackedCall): boolean =>
    endedSeq === null || (endedSeq > last.startedSeq && (!heard || heard.mentions(path)));
  return calls.every((call) => call === last || !mayHave(call));
}
