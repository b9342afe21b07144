/**
 * Whose a change is, with all that belongs to it (W5): of a rename both places, of a directory that replaced something each path in it. One
 * answer for whoever asks: the judge, the acts and `diff` (S7). Pure.
 *
 * It is the session's only if all of it is. One part of another session makes it that session's, so that nobody settles it in a wrong name;
 * else parts of different owners make it unknown. A part that is clean again (the directory itself) says nothing.
 */
import { NOW } from "../../model/ids.ts";
import type { PathName } from "../../model/path-name.ts";
import { type PathState, stateKey } from "../../model/path-state.ts";
import { type ChangeOwner, ownerOf } from "../owning/own.ts";
import type { SessionTrack } from "../owning/track.ts";
import type { Change } from "./states.ts";

/** How a state of a path is told apart from others. */
export type KeyOf = (path: PathName, state: PathState) => string;

/** As the last look at the tree has it, so that a path that is clean again is looked for as clean. */
export const keyNow =
  ({ captures }: SessionTrack): KeyOf =>
  (path, state) => {
    const now = captures.at(-1);
    return (now?.id === NOW ? now.keyAt(path) : null) ?? stateKey(state);
  };

export function ownerOfChange(
  change: Change,
  track: SessionTrack,
  tracks: readonly SessionTrack[],
  keyOf: KeyOf = keyNow(track),
): ChangeOwner {
  const own = (path: PathName, state: PathState): ChangeOwner =>
    ownerOf(path, keyOf(path, state), track, tracks);
  const whole = own(change.path, change.to);
  const parts = [
    ...(change.fromPath === undefined ? [] : [own(change.fromPath, null)]),
    ...change.members.map((member) => own(member.path, member.to)),
  ];
  if (parts.length === 0) return whole;
  const isSilent = whole.evidence[0]?.kind === "no-evidence" && change.fromPath === undefined;
  return together(isSilent ? parts : [whole, ...parts]);
}

function together(all: readonly ChangeOwner[]): ChangeOwner {
  const first = all[0] as ChangeOwner;
  const isSame = ({ owner, ownerSession }: ChangeOwner): boolean =>
    owner === first.owner && ownerSession === first.ownerSession;
  if (all.every(isSame)) return first;
  const others = new Set(all.flatMap(({ owner, ownerSession }) => (owner === "other" ? [ownerSession] : [])));
  const [other = null] = others;
  const message = "its parts have different owners";
  const evidence = [
    { kind: "several-sessions" as const, message },
    ...(all.find(({ owner }) => owner === "other") ?? first).evidence,
  ];
  return others.size === 1
    ? { owner: "other", ownerSession: other, evidence }
    : { owner: "unknown", ownerSession: null, evidence };
}
