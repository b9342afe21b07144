/** Whether a file was somebody's work already when an agent that nobody supervised first touched it (W5). */
import { describe, expect, it } from "vitest";
import type { PathName } from "../../model/path-name.ts";
import { foundOtherwise, type HeadFile } from "./found-before.ts";
import { CLEAN, HEARD_BEGIN } from "./own.ts";
import type { SessionTrack, TrackedCall, TrackedCapture } from "./track.ts";

const P = "p" as PathName;

interface CallIn {
  readonly found?: string | null;
  readonly isLost?: boolean;
  readonly wrote?: string;
  readonly isNaming?: boolean;
  readonly mayWrite?: boolean;
}

const call = (
  { found, isLost = false, wrote, isNaming = true, mayWrite = true }: CallIn,
  at: number,
): TrackedCall => ({
  ...{
    id: `k${at}`,
    tool: "Edit",
    startedSeq: at,
    endedSeq: at + 1,
    settledSeq: null,
    operations: [],
    mayWrite,
  },
  paths: isNaming ? [P] : [],
  heard: {
    mentions: () => !isNaming,
    writes: () => !isNaming,
    wrote: new Map(wrote === undefined ? [] : [[P, wrote]]),
    ...{ isDone: true, commits: false, edits: new Map(), leftPlain: new Map() },
    found: new Map(found === undefined ? [] : [[P, { hash: found, areLineEndsLost: isLost }]]),
  },
});

const track = (calls: readonly CallIn[], reason = HEARD_BEGIN): SessionTrack => {
  const begin: TrackedCapture = {
    ...{ id: "HEAD", seq: 0, reason, atMs: 0, headId: null, changedPaths: [], others: new Map() },
    keyAt: () => CLEAN,
  };
  return { session: "a", isSupervised: false, captures: [begin], calls: calls.map(call) };
};

const head = (hash: string, plain: string | null = null): HeadFile => ({
  hash,
  plainHash: async () => plain,
});

const isMixed = async (head: HeadFile | null, ...calls: readonly CallIn[]): Promise<boolean> =>
  (await foundOtherwise(P, head, track(calls))) !== null;

describe("a file that an agent found", () => {
  it("as HEAD has it is the agent's to change", async () => {
    expect(await isMixed(head("H"), { found: "H" })).toBe(false);
    expect(await isMixed(null, { found: null })).toBe(false);
  });

  it("otherwise than HEAD has it holds somebody's work: changed, new, or gone", async () => {
    expect(await isMixed(head("H"), { found: "U" })).toBe(true);
    expect(await isMixed(null, { found: "U" })).toBe(true);
    expect(await isMixed(head("H"), { found: null })).toBe(true);
  });

  it("is judged by the first call that touched it: what a later one found is the agent's own", async () => {
    expect(await isMixed(head("H"), { found: "H" }, { found: "A" })).toBe(false);
    expect(await isMixed(head("H"), { isNaming: false }, { found: "A" })).toBe(false);
    expect(await isMixed(head("H"), {}, { found: "A" })).toBe(false);
    expect(await isMixed(head("H"), { found: "R", mayWrite: false }, { found: "H" })).toBe(false);
  });

  it("is the agent's when it committed meanwhile: HEAD has what a later call found, or an earlier one left", async () => {
    expect(await isMixed(head("H"), { found: "OLD", wrote: "H" })).toBe(false);
    expect(await isMixed(head("H"), { found: "OLD" }, { found: "H" })).toBe(false);
  });

  it("is compared without ends of lines where they are lost, and not at all where HEAD cannot be read", async () => {
    expect(await isMixed(head("H", "LF"), { found: "LF", isLost: true })).toBe(false);
    expect(await isMixed(head("H", "OTHER"), { found: "LF", isLost: true })).toBe(true);
    expect(await isMixed(head("H", null), { found: "LF", isLost: true })).toBe(false);
    expect(await isMixed(head("H", "LF"), { found: "LF" })).toBe(true);
  });

  it("is not asked about where a capture saw the beginning", async () => {
    expect(await foundOtherwise(P, head("H"), track([{ found: "U" }], "begin"))).toBeNull();
  });
});
