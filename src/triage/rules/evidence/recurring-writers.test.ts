import { describe, expect, it } from "vitest";
import { CLEAN } from "../../../workspace/owning/own.ts";
import type { Sighting } from "../../facts/known/triage-facts.ts";
import { recurringWriters } from "./recurring-writers.ts";

const seen = (session: string, stateKey: string, atMs: number, isWritten = false): Sighting => ({
  path: "state/timer.json" as never,
  session,
  capture: `c${atMs}`,
  atMs,
  stateKey,
  isWritten,
});

describe("automated writers", () => {
  it("are named when a path is dirty anew in session after session and none of them wrote it", () => {
    const [found] = recurringWriters([
      seen("a", "1", 1),
      seen("b", "2", 2),
      seen("c", "3", 3),
      seen("d", "4", 4),
    ]);
    expect(found?.message).toContain("4 sessions");
    expect(found?.history).toHaveLength(4);
  });

  it("are named when the same bytes come back after every revert", () => {
    const back = ["a", "b", "c"].flatMap((session, at) => [
      seen(session, CLEAN, at * 2),
      seen(session, "1", at * 2 + 1),
    ]);
    expect(recurringWriters(back)).toHaveLength(1);
  });

  it.each([
    [
      "one change that nobody settled",
      [seen("a", "1", 1), seen("b", "1", 2), seen("c", "1", 3), seen("d", "1", 4)],
    ],
    ["two sessions", [seen("a", "1", 1), seen("b", "2", 2)]],
    ["a session that wrote it", [seen("a", "1", 1), seen("b", "2", 2, true), seen("c", "3", 3)]],
    ["one session many times", [seen("a", "1", 1), seen("a", "2", 2), seen("a", "3", 3)]],
  ])("are not suspected behind %s", (_, sightings) => {
    expect(recurringWriters(sightings)).toEqual([]);
  });
});
