import { describe, expect, it } from "vitest";
import { factsOf } from "../../../../test/support/triage-facts.ts";
import type { PathName } from "../../../model/path-name.ts";
import type { Sighting, TriageFacts } from "../../facts/known/triage-facts.ts";
import { judgeChanges } from "../../verdict/judge.ts";
import { allChanges, overrideKey } from "./all-changes.ts";

const NOW = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`data/${i}.bin`, `${i}\0`]));

const sightings: readonly Sighting[] = ["s1", "s2", "s3"].map((session, i) => ({
  path: "data/7.bin" as PathName,
  session,
  capture: `c${i}`,
  atMs: i,
  stateKey: `state ${i}`,
  isWritten: false,
}));

describe("what every group asks about all changes", () => {
  it("is looked up once, however many groups there are, and told to the group it is about alone", async () => {
    const facts = factsOf({ head: {}, now: NOW });
    let looks = 0;
    const counted: TriageFacts = {
      ...facts,
      get sightings() {
        looks++;
        return sightings;
      },
    };
    const groups = await judgeChanges(counted);
    expect(groups.length).toBeGreaterThan(20);
    expect(looks).toBe(1);
    const told = groups.filter(({ reasons }) => reasons.some(({ rule }) => rule === "recurring-writer"));
    expect(told.map(({ changes }) => changes.map(({ change }) => change.path))).toEqual([["data/7.bin"]]);
  });

  it("knows every changed path and the folders above, and the user's last word on a content", () => {
    const word = (verdict: "safe" | "risky") =>
      ({ path: "data/1.bin" as PathName, stateKey: "k", verdict, reason: "", by: "ann" }) as const;
    const facts = factsOf({
      head: {},
      now: { "data/deep/1.bin": "x" },
      facts: { overrides: [word("safe"), word("risky")] },
    });
    const all = allChanges(facts);
    expect([...all.changed].sort()).toEqual(["data", "data/deep", "data/deep/1.bin"]);
    expect(all.overrides.get(overrideKey("data/1.bin", "k"))?.verdict).toBe("risky");
    expect(all.overrides.get(overrideKey("data/1.bin", "other"))).toBeUndefined();
  });
});
