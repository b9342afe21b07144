/** Whose a change of several paths is: the same whoever asks, and never half a session's (W5, S7). */
import { describe, expect, it } from "vitest";
import { type ContentHash, NOW } from "../../model/ids.ts";
import { type PathName, pathFromText } from "../../model/path-name.ts";
import { type PathState, stateKey } from "../../model/path-state.ts";
import { CLEAN } from "../owning/own.ts";
import type { SessionTrack, TrackedCapture } from "../owning/track.ts";
import { keyNow, ownerOfChange } from "./owner-of-change.ts";
import type { Change } from "./states.ts";

const [OLD, NEW] = [pathFromText("old.ts"), pathFromText("new.ts")];
const FILE: PathState = { kind: "file", mode: 0o644, size: 1, hash: "a".repeat(64) as ContentHash };
const RENAME: Change = { kind: "renamed", path: NEW, fromPath: OLD, from: FILE, to: FILE, members: [] };

type Keys = Readonly<Partial<Record<string, string>>>;
const AFTER: Keys = { [OLD]: stateKey(null), [NEW]: stateKey(FILE) };

const capture = (id: string, seq: number, keys: Keys): TrackedCapture => ({
  ...{ id, seq, reason: id === NOW ? "now" : "call-end", atMs: 0, headId: null },
  keyAt: (path) => keys[path] ?? CLEAN,
  changedPaths: Object.keys(keys) as PathName[],
  others: new Map(),
});

/** A session whose one call names these paths, and that saw `keys` after it. */
const track = (session: string, named: readonly PathName[], keys: Keys): SessionTrack => ({
  session,
  isSupervised: false,
  captures: [capture(`${session}1`, 1, {}), capture(`${session}2`, 4, keys), capture(NOW, 9, AFTER)],
  calls: [
    {
      ...{ id: `${session}c`, tool: "mv", startedSeq: 2, endedSeq: 3, settledSeq: null },
      ...{ paths: named, mayWrite: true, operations: [] },
    },
  ],
});

/** As the judge tells states apart, and as acts and `diff` do. */
function owners(change: Change, mine: SessionTrack, ...others: SessionTrack[]): unknown[] {
  const tracks = [mine, ...others];
  const byState = ownerOfChange(change, mine, tracks, (_path, state) => stateKey(state));
  const byLook = ownerOfChange(change, mine, tracks, keyNow(mine));
  expect(byLook).toEqual(byState);
  return [byState.owner, byState.ownerSession];
}

describe("the owner of a rename", () => {
  it("is the session that made both halves of it", () => {
    expect(owners(RENAME, track("a", [OLD, NEW], AFTER))).toEqual(["session", null]);
  });

  it("is the other session that took the old name away, never the one that only wrote the new one", () => {
    const mine = track("a", [NEW], { [NEW]: stateKey(FILE) });
    const other = track("b", [OLD], { [OLD]: stateKey(null) });
    expect(owners(RENAME, mine, other)).toEqual(["other", "b"]);
    expect(owners(RENAME, other, mine)).toEqual(["other", "a"]);
  });

  it("is nobody's where nobody is known to have taken the old name away", () => {
    const mine = track("a", [NEW], { [NEW]: stateKey(FILE) });
    const calls = mine.calls.map((one) => ({ ...one, startedSeq: 2, endedSeq: 3 }));
    const later = { ...mine, calls, captures: [...mine.captures] };
    expect(owners(RENAME, { ...later, captures: later.captures.map(ended) })).toEqual(["unknown", null]);
  });
});

describe("the owner of a directory that replaced something", () => {
  const inside = pathFromText("new.ts/a");
  const replaced: Change = {
    ...{ kind: "type", path: NEW, from: FILE, to: { kind: "directory", mode: 0o755 } as PathState },
    members: [{ path: inside, from: null, to: FILE }] as unknown as Change["members"],
  };
  it("is who made what lies in it, if the directory itself says nothing; one file of another is that one's", () => {
    const keys = { [inside]: stateKey(FILE) };
    const now = (one: SessionTrack): SessionTrack => ({
      ...one,
      captures: [...one.captures.slice(0, 2), capture(NOW, 9, { ...keys, [NEW]: stateKey(replaced.to) })],
    });
    expect(owners(replaced, now(track("a", [inside], keys)))).toEqual(["session", null]);
    const nothing = now(track("a", [], {}));
    expect(owners(replaced, nothing, now(track("b", [inside], keys)))).toEqual(["other", "b"]);
  });
});

const ended = (one: TrackedCapture): TrackedCapture => (one.id === NOW ? one : { ...one, reason: "end" });
