/** Owners by their evidence, as a table of stories. The states of one path, P, are letters. */
import { describe, expect, it } from "vitest";
import type { PathName } from "../../model/path-name.ts";
import { CLEAN, claimsOn, HEARD_BEGIN, ownerOf } from "./own.ts";
import type { CallHearsay, SessionTrack, TrackedCall, TrackedCapture } from "./track.ts";

const P = "p" as PathName;

interface CaptureIn {
  readonly at: number;
  readonly key: string | null;
  readonly reason?: string;
  readonly others?: Record<string, number>;
}

const capture = ({ at, key, reason = "call-end", others = {} }: CaptureIn): TrackedCapture => ({
  id: `c${at}`,
  seq: at,
  reason,
  atMs: 0,
  headId: null,
  keyAt: () => key,
  changedPaths: key === null || key === CLEAN ? [] : [P],
  others: new Map(Object.entries(others).map(([session, head]) => [session, { before: head, after: head }])),
});

const call = (startedSeq: number, endedSeq: number | null, more: Partial<TrackedCall> = {}): TrackedCall => ({
  id: `k${startedSeq}`,
  tool: "bash",
  startedSeq,
  endedSeq,
  settledSeq: null,
  paths: [],
  mayWrite: true,
  operations: [],
  ...more,
});

const track = (
  session: string,
  captures: readonly CaptureIn[],
  calls: readonly TrackedCall[] = [],
): SessionTrack => ({
  session,
  captures: captures.map(capture),
  calls,
  isSupervised: false,
});

const verdict = (key: string, mine: SessionTrack, ...others: SessionTrack[]): unknown[] => {
  const { owner, ownerSession, evidence } = ownerOf(P, key, mine, [mine, ...others]);
  return [owner, ...(ownerSession === null ? [] : [ownerSession]), evidence[0]?.kind];
};

describe("the owner of a change", () => {
  it("is the session when a call of it names the path, whoever else was at work", () => {
    const other = track("b", [], [call(1, null)]);
    const named = call(2, 4, { paths: [P] });
    const mine = track(
      "a",
      [
        { at: 1, key: CLEAN, others: { b: 5 } },
        { at: 5, key: "X", others: { b: 5 } },
      ],
      [named],
    );
    expect(verdict("X", mine, other)).toEqual(["session", "call-names-path"]);
  });

  it("is the session when the change lies between the captures around its one call", () => {
    const mine = track(
      "a",
      [
        { at: 1, key: CLEAN },
        { at: 5, key: "X" },
      ],
      [call(2, 4)],
    );
    expect(verdict("X", mine)).toEqual(["session", "between-captures"]);
  });

  it("counts calls that overlap as one stretch, but not two calls with a pause in which a person may have written", () => {
    const captures = [
      { at: 1, key: CLEAN },
      { at: 9, key: "X" },
    ];
    expect(verdict("X", track("a", captures, [call(2, 5), call(3, 6)]))).toEqual([
      "session",
      "between-captures",
    ]);
    expect(verdict("X", track("a", captures, [call(2, 3), call(5, 6)]))).toEqual(["unknown", "no-evidence"]);
  });

  it("is unknown while another session had a call open, by its journal and not by a clock (D3)", () => {
    const other = track("b", [], [call(10, 20)]);
    const with_ = (before: number, after: number): SessionTrack =>
      track(
        "a",
        [
          { at: 1, key: CLEAN, others: { b: before } },
          { at: 5, key: "X", others: { b: after } },
        ],
        [call(2, 4)],
      );
    expect(verdict("X", with_(5, 30), other)).toEqual(["unknown", "no-evidence"]);
    expect(verdict("X", with_(12, 15), other)).toEqual(["unknown", "no-evidence"]);
    // Its call was over before our first capture, or began after our second.
    expect(verdict("X", with_(25, 30), other)).toEqual(["session", "between-captures"]);
    expect(verdict("X", with_(5, 9), other)).toEqual(["session", "between-captures"]);
    // It only read.
    const reader = track("b", [], [call(10, 20, { mayWrite: false })]);
    expect(verdict("X", with_(5, 30), reader)).toEqual(["session", "between-captures"]);
  });

  it("A4: is the session for what a call that never ended wrote, not `after`", () => {
    const captures = [
      { at: 1, key: CLEAN },
      { at: 9, key: "X", reason: "end" },
    ];
    expect(verdict("X", track("a", captures, [call(2, null)]))).toEqual(["session", "open-call"]);
    const settled = call(2, null, { settledSeq: 8 });
    expect(verdict("X", track("a", captures, [settled]))).toEqual(["session", "open-call"]);
  });

  it("is `before` when it differed at begin and nobody claims it", () => {
    const mine = track(
      "a",
      [
        { at: 1, key: "X", reason: "begin" },
        { at: 5, key: "X" },
      ],
      [call(2, 4)],
    );
    expect(verdict("X", mine)).toEqual(["before", "differed-at-begin"]);
  });

  it("L6: what a finished session left is that session's, and the next one does not inherit it as nobody's", () => {
    const earlier = track(
      "old",
      [
        { at: 1, key: CLEAN },
        { at: 5, key: "X", reason: "end" },
      ],
      [call(2, 4)],
    );
    const mine = track(
      "new",
      [
        { at: 1, key: "X", reason: "begin" },
        { at: 5, key: "X" },
      ],
      [call(2, 4)],
    );
    expect(verdict("X", mine, earlier)).toEqual(["other", "old", "between-captures"]);
  });

  it("is `after` when it is later than the end capture, also on a path the session had changed itself", () => {
    const mine = track(
      "a",
      [
        { at: 1, key: CLEAN },
        { at: 5, key: "X", reason: "end" },
      ],
      [call(2, 4)],
    );
    expect(verdict("Y", mine)).toEqual(["after", "after-end"]);
    expect(verdict("X", mine)).toEqual(["session", "between-captures"]);
  });

  it("is unknown for what a person changed while the session ran and no call was open", () => {
    const mine = track(
      "a",
      [
        { at: 1, key: CLEAN },
        { at: 5, key: CLEAN },
        { at: 6, key: "X" },
      ],
      [call(2, 4)],
    );
    expect(verdict("X", mine)).toEqual(["unknown", "no-evidence"]);
  });

  it("is unknown, with both named, when two sessions claim the same state with equal weight", () => {
    const named = (session: string): SessionTrack =>
      track(
        session,
        [
          { at: 1, key: CLEAN },
          { at: 5, key: "X" },
        ],
        [call(2, 4, { paths: [P] })],
      );
    expect(verdict("X", named("a"), named("b"))).toEqual(["unknown", "several-sessions"]);
  });

  it("is the later session's, and not both's, when the earlier one's change was gone before the later one made it again", () => {
    const first = track(
      "first",
      [
        { at: 1, key: CLEAN },
        { at: 5, key: "X" },
      ],
      [call(2, 4, { paths: [P] })],
    );
    const again = (seen: number): SessionTrack =>
      track(
        "second",
        [
          { at: 1, key: CLEAN, others: { first: seen } },
          { at: 5, key: "X", others: { first: 7 } },
        ],
        [call(2, 4, { paths: [P] })],
      );
    expect(verdict("X", again(7), first)).toEqual(["session", "call-names-path"]);
    expect(verdict("X", first, again(7))).toEqual(["other", "second", "call-names-path"]);
    // The first one's capture was not on record yet: they may have worked at the same time.
    expect(verdict("X", again(3), first)).toEqual(["unknown", "several-sessions"]);
  });

  it("is never read out of a capture that did not look at the path", () => {
    const mine = track(
      "a",
      [
        { at: 1, key: CLEAN },
        { at: 5, key: null },
        { at: 9, key: "X" },
      ],
      [call(2, 4), call(6, 8)],
    );
    // Between the two that looked there are two stretches of calls.
    expect(verdict("X", mine)).toEqual(["unknown", "no-evidence"]);
  });

  it("is never a supervised session's that had ended before: what came after its end capture is the next one's", () => {
    const ended = {
      ...track("first", [
        { at: 1, key: CLEAN, reason: "begin" },
        { at: 5, key: CLEAN, reason: "end" },
        { at: 6, key: "X", reason: "now" },
      ]),
      isSupervised: true,
    };
    const next = {
      ...track("second", [
        { at: 1, key: CLEAN, reason: "begin" },
        { at: 5, key: "X", reason: "end" },
        { at: 6, key: "X", reason: "now" },
      ]),
      isSupervised: true,
    };
    expect(verdict("X", next, ended)).toEqual(["session", "supervised"]);
    expect(verdict("X", ended, next)).toEqual(["other", "second", "supervised"]);
  });

  it("W5: is nobody's when two supervised agents that report no calls ran at once, and neither's evidence says that it was alone", () => {
    const [mine, other] = (["a", "b"] as const).map((session) => ({
      ...track(session, [
        { at: 2, key: CLEAN, reason: "begin", others: session === "a" ? {} : { a: 2 } },
        { at: 5, key: "X", reason: "end", others: session === "a" ? { b: 3 } : { a: 6 } },
      ]),
      isSupervised: true,
    })) as [SessionTrack, SessionTrack];
    expect(verdict("X", mine, other)).toEqual(["unknown", "several-sessions"]);
    expect(verdict("X", other, mine)).toEqual(["unknown", "several-sessions"]);
    for (const { evidence } of claimsOn(P, [mine, other]))
      expect(evidence.message).toBe(
        "it came while the supervised attempt ran, and another session's ran at the same time",
      );
  });

  it("is the supervised session's when its agent reports no calls at all, and nobody else wrote", () => {
    const mine = {
      ...track("a", [
        { at: 1, key: CLEAN },
        { at: 5, key: "X" },
      ]),
      isSupervised: true,
    };
    expect(verdict("X", mine)).toEqual(["session", "supervised"]);
    const busy = {
      ...track("a", [
        { at: 1, key: CLEAN, others: { b: 1 } },
        { at: 5, key: "X", others: { b: 9 } },
      ]),
      isSupervised: true,
    };
    expect(verdict("X", busy, track("b", [], [call(2, 4)]))).toEqual(["unknown", "no-evidence"]);
  });
});

describe("the owner by calls that were only heard of (W5)", () => {
  /** States of P are letters, and so are the hashes of what was written. */
  const heard = (
    startedSeq: number,
    endedSeq: number | null,
    about: {
      readonly isNaming?: boolean;
      readonly isMentioning?: boolean;
      readonly isWriting?: boolean;
      readonly wrote?: string;
      readonly mayWrite?: boolean;
    } = {},
  ): TrackedCall => {
    const { isNaming = false, isMentioning = false, wrote = null, mayWrite = true } = about;
    const { isWriting = isMentioning } = about;
    const of: CallHearsay = {
      mentions: () => isMentioning,
      writes: () => isWriting,
      wrote: new Map(wrote === null ? [] : [[P, wrote]]),
      ...{ isDone: true, commits: false, edits: new Map(), leftPlain: new Map() },
      found: new Map(),
    };
    return call(startedSeq, endedSeq, { paths: isNaming ? [P] : [], mayWrite, heard: of });
  };
  const NAMING = { isNaming: true };
  const MENTIONING = { isMentioning: true };
  /** Read afterwards: HEAD stands for its beginning, and the tree is as it lies there now. */
  const plain = (
    session: string,
    calls: readonly TrackedCall[],
    now: Partial<CaptureIn> = {},
  ): SessionTrack =>
    track(
      session,
      [
        { at: 0, key: CLEAN, reason: HEARD_BEGIN },
        { at: 50, key: "X", reason: "now", ...now },
      ],
      calls,
    );

  it("W5: is not the session whose command only mentions the path: reading a person's file makes it nobody's work", () => {
    for (const endedSeq of [12, null]) {
      const reading = plain("a", [heard(10, endedSeq, { isMentioning: true, isWriting: false })]);
      expect(ownerOf(P, "X", reading, [reading]).owner).toBe("unknown");
    }
  });

  it("is the session whose call names the path, finished or not", () => {
    expect(verdict("X", plain("a", [heard(2, 4, NAMING)]))).toEqual(["session", "call-names-path"]);
    expect(verdict("X", plain("a", [heard(2, null, NAMING)]))).toEqual(["session", "open-call"]);
  });

  it("is the session whose command mentions it, with the weaker weight", () => {
    const mine = plain("a", [heard(2, 4, MENTIONING)]);
    expect(verdict("X", mine)).toEqual(["session", "call-names-path"]);
    expect(claimsOn(P, [mine]).map(({ weight }) => weight)).toEqual(["between"]);
  });

  it("is nobody where no call names or mentions it: a command may have done anything, and so may a person", () => {
    expect(verdict("X", plain("a", [heard(2, 4)]))).toEqual(["unknown", "no-evidence"]);
    expect(verdict("X", plain("a", [heard(2, null)]))).toEqual(["unknown", "no-evidence"]);
    expect(verdict("X", plain("a", []))).toEqual(["unknown", "no-evidence"]);
  });

  it("is nobody where a call only read it", () => {
    const read = { ...NAMING, ...MENTIONING, mayWrite: false };
    expect(verdict("X", plain("a", [heard(2, 4, read), heard(5, null, read)]))).toEqual([
      "unknown",
      "no-evidence",
    ]);
  });

  it("a call without a result taints what it names, what it mentions, and what no finished call wrote as it is", () => {
    const tainting = (...calls: readonly TrackedCall[]): unknown =>
      claimsOn(P, [plain("a", calls)]).flatMap((claim) =>
        claim.calls.filter(({ endedSeq }) => endedSeq === null).map(({ id }) => id),
      );
    expect(tainting(heard(2, null, NAMING))).toEqual(["k2"]);
    expect(tainting(heard(2, null, MENTIONING))).toEqual(["k2"]);
    expect(tainting(heard(2, 4, NAMING), heard(6, null))).toEqual(["k6"]);
    expect(tainting(heard(2, 4, { ...NAMING, wrote: "Y" }), heard(6, null))).toEqual(["k6"]);
    expect(tainting(heard(2, 4, MENTIONING), heard(6, null))).toEqual(["k6"]);
    expect(tainting(heard(2, 4, { ...NAMING, wrote: "X" }), heard(6, null))).toEqual([]);
    expect(tainting(heard(2, 4, NAMING), heard(6, 8))).toEqual([]);
  });

  it("is never the session for a person's edit after it: the file is not what its last call left", () => {
    const left = { ...NAMING, wrote: "Y" };
    expect(verdict("X", plain("a", [heard(2, 4, left)]))).toEqual(["unknown", "no-evidence"]);
    expect(verdict("X", plain("a", [heard(2, 4), heard(6, 8, left)]))).toEqual(["unknown", "no-evidence"]);
    // A later command that does not speak of it is no reason to call it the session's.
    expect(verdict("X", plain("a", [heard(2, 4, left), heard(6, 8)]))).toEqual(["unknown", "no-evidence"]);
    // What mentions it, after it or beside it, and what never ended may have changed it.
    for (const calls of [
      [heard(2, 4, left), heard(6, 8, MENTIONING)],
      [heard(2, 9, left), heard(3, 5, MENTIONING)],
      [heard(2, null), heard(6, 8, left)],
    ])
      expect(verdict("X", plain("a", calls))).toEqual(["session", "call-names-path"]);
    expect(verdict("X", plain("a", [heard(1, 2, MENTIONING), heard(6, 8, left)]))[0]).toBe("unknown");
  });

  it("is never the session for what came after the capture of its end", () => {
    const captures = [
      { at: 0, key: CLEAN, reason: HEARD_BEGIN },
      { at: 10, key: "X", reason: "end" },
      { at: 50, key: "Y", reason: "now" },
    ];
    for (const one of [NAMING, MENTIONING]) {
      expect(verdict("Y", track("a", captures, [heard(2, 4, one)]))).toEqual(["after", "after-end"]);
      expect(verdict("Y", track("a", captures, [heard(2, null, one)]))).toEqual(["after", "after-end"]);
    }
    expect(verdict("X", track("a", captures, [heard(2, 4, NAMING)]))).toEqual(["session", "call-names-path"]);
  });

  it("of one attempt claims nothing of the next", () => {
    const attempts = (calls: readonly TrackedCall[]): SessionTrack =>
      track(
        "a",
        [
          { at: 1, key: CLEAN, reason: "begin" },
          { at: 10, key: CLEAN, reason: "end" },
          { at: 12, key: CLEAN, reason: "begin" },
          { at: 20, key: "X", reason: "end" },
        ],
        calls,
      );
    expect(verdict("X", attempts([heard(4, 6, NAMING)]))).toEqual(["unknown", "no-evidence"]);
    expect(verdict("X", attempts([heard(14, 16, NAMING)]))).toEqual(["session", "call-names-path"]);
  });

  it("is unknown, with both named, where the calls of two agents name it", () => {
    const both = [plain("a", [heard(2, 4, NAMING)]), plain("b", [heard(2, 4, NAMING)])] as const;
    expect(verdict("X", ...both)).toEqual(["unknown", "several-sessions"]);
  });

  it("is another agent's where only that one's call names it, whatever this one's command mentions", () => {
    const mine = plain("a", [heard(2, 4, MENTIONING)]);
    const other = plain("b", [heard(2, null, NAMING)]);
    expect(verdict("X", mine, other)).toEqual(["other", "b", "open-call"]);
    expect(verdict("X", other, mine)).toEqual(["session", "open-call"]);
  });

  it("is not claimed by a mention while another session had a call open; one that names it stands", () => {
    const live = track("b", [], [call(2, null)]);
    const beside = { others: { b: 9 } };
    expect(verdict("X", plain("a", [heard(2, 4, MENTIONING)], beside), live)).toEqual([
      "unknown",
      "no-evidence",
    ]);
    expect(verdict("X", plain("a", [heard(2, 4, NAMING)], beside), live)).toEqual([
      "session",
      "call-names-path",
    ]);
  });
});
