import type { Stats } from "node:fs";
import { describe, expect, it } from "vitest";
import type { PathName } from "../../model/path-name.ts";
import type { ChangeFact, TriageFacts, Write } from "../../triage/facts/known/triage-facts.ts";
import { EMPTY_STORY, type StoryOperation } from "../story/session-story.ts";
import { endedWork } from "./ended-work.ts";
import type { OwnedChanges } from "./owned-changes.ts";

const NOW_SEQ = 100;

interface Given {
  readonly owner?: string;
  /** Where the captures lie around its last writing; null: nobody saw. */
  readonly write?: readonly [from: number, to: number] | null;
  /** The position the later capture stands for. */
  readonly standsFor?: number;
  readonly ctimeMs?: number;
  readonly operation?: Partial<StoryOperation>;
}

/** By default: an operation over everything, begun at 10, ended at 20, and a file seen by the capture at 21. */
function isOver({
  owner = "session",
  write = [5, 21],
  standsFor = 20,
  ctimeMs = 900,
  operation = {},
}: Given): boolean {
  const path = "docs/a.md" as PathName;
  const writes: Write[] = write === null ? [] : [{ fromSeq: write[0], toSeq: write[1], call: null }];
  const fact = {
    change: { path, members: [] },
    owner: { owner, ownerSession: null, evidence: [] },
    writes,
  } as unknown as ChangeFact;
  const judged = { ...fact, writes: writes.map((one) => ({ ...one, toSeq: standsFor })) };
  const track = { captures: [{ id: "now", seq: NOW_SEQ }] };
  const its: StoryOperation = {
    id: "o",
    label: "o",
    paths: null,
    beganSeq: 10,
    endedSeq: 20,
    endedAtMs: 1000,
    state: "ended",
    isSeenInPassing: false,
    ...operation,
  };
  const found = endedWork({
    owned: { changes: [fact], track } as unknown as OwnedChanges,
    facts: { changes: [judged] } as unknown as TriageFacts,
    story: { ...EMPTY_STORY, operations: [its] },
    at: () => ({ ctimeMs }) as Stats,
  });
  return found.has(path);
}

describe("work that is over while its session goes on", () => {
  it("is what came while an operation was open that has ended, or what the operation names", () => {
    expect(isOver({})).toBe(true);
    expect(isOver({ operation: { paths: ["docs/**"] } })).toBe(true);
    expect(isOver({ operation: { paths: ["src/**"] } })).toBe(false);
    expect(isOver({ write: [30, 40], standsFor: 40 })).toBe(false);
  });

  it("is nothing of an operation that is open or was aborted, of another session, or that nobody saw being written", () => {
    expect(isOver({ operation: { state: "open", endedSeq: null, endedAtMs: null } })).toBe(false);
    expect(isOver({ operation: { state: "aborted" } })).toBe(false);
    expect(isOver({ operation: { isSeenInPassing: true } }), "read in what it printed (T2)").toBe(false);
    for (const owner of ["other", "before", "after", "unknown"]) expect(isOver({ owner })).toBe(false);
    expect(isOver({ write: null })).toBe(false);
  });

  it("is nothing that was written after the end: not by the journal's order, nor by the kernel's time (S2)", () => {
    expect(isOver({ write: [21, NOW_SEQ], standsFor: NOW_SEQ })).toBe(false);
    expect(isOver({ write: [5, 30], standsFor: 30 })).toBe(false);
    expect(isOver({ ctimeMs: 1001 })).toBe(false);
    expect(isOver({ ctimeMs: 1000 })).toBe(true);
  });
});
