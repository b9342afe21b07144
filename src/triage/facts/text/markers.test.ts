import { describe, expect, it } from "vitest";
import { ENDED, judge } from "../../../../test/support/triage-facts.ts";
import { allOperations } from "../../links/operations.ts";
import type { OperationFact, TriageFacts } from "../known/triage-facts.ts";
import { pathClasses } from "../paths/path-classes.ts";
import { NO_PATH_RULES } from "../paths/path-rules.ts";
import { markersIn, operationsOf } from "./markers.ts";

const text = (channel: string, seq: number, words: string) => ({ channel, seq, markers: markersIn(words) });
const states = (texts: ReturnType<typeof text>[]): string[] =>
  operationsOf(texts).map(({ label, state }) => `${label}: ${state}`);

describe("operations in text (DESIGN 8)", () => {
  it("count alone on a line, and not inside a sentence or a quote", () => {
    expect(markersIn("# BEGIN: sync config\nwork\n  # END: sync config  \r\n")).toEqual([
      { kind: "begin", label: "sync config" },
      { kind: "end", label: "sync config" },
    ]);
    expect(markersIn("I wrote # BEGIN: x there\n> # BEGIN: y\n#BEGIN: z\n# BEGIN:\n## BEGIN: w\n")).toEqual(
      [],
    );
  });

  it("are closed by END in the same channel, and never by another channel's", () => {
    expect(states([text("messages", 1, "# BEGIN: a"), text("messages", 2, "# END: a")])).toEqual([
      "a: ended",
    ]);
    expect(states([text("messages", 1, "# BEGIN: a"), text("journal/x.md", 2, "# END: a")])).toEqual([
      "a: open",
    ]);
    expect(states([text("messages", 1, "# BEGIN: a"), text("messages", 2, "# END: b")])).toEqual(["a: open"]);
  });

  it("nest: END closes the newest of its label, and an END without BEGIN opens nothing", () => {
    expect(states([text("m", 1, "# BEGIN: a\n# BEGIN: a\n# END: a")])).toEqual(["a: open", "a: ended"]);
    expect(states([text("m", 1, "# END: a")])).toEqual([]);
  });

  it("follow the order of the journal, not the order they are handed over in (D3)", () => {
    expect(states([text("m", 9, "# END: a"), text("m", 3, "# BEGIN: a")])).toEqual(["a: ended"]);
  });

  it("T2: close nothing where END is read in passing: printed, or in a file; what stands between two calls does", async () => {
    const passing = (channel: string) =>
      operationsOf([text(channel, 5, "# BEGIN: a"), text(channel, 30, "# END: a")]);
    expect(passing("stdout")).toMatchObject([{ state: "ended", isSeenInPassing: true }]);
    expect(passing("journal/x.md")).toMatchObject([{ state: "ended", isSeenInPassing: true }]);
    expect(passing("messages")[0]).not.toHaveProperty("isSeenInPassing");
    const judged = async (operations: readonly OperationFact[]) =>
      (await judge({ head: { "a.json": "1\n" }, now: { "a.json": "2\n" }, facts: { operations } }))[0];
    expect(await judged([ENDED])).toMatchObject({ verdict: "safe" });
    expect(await judged(passing("messages"))).toMatchObject({ verdict: "safe" });
    expect(await judged(passing("stdout"))).toMatchObject({
      verdict: "unknown",
      reasons: [{ rule: "no-evidence", message: expect.stringContaining('The END of "a" was only read') }],
    });
    expect(await judged([ENDED, ...passing("stdout")])).toMatchObject({ verdict: "safe" });
  });

  it("are not told of twice when a supervisor recorded the same marker, and never hidden by a narrower one", () => {
    const recorded: OperationFact = {
      id: "o1",
      label: "a",
      state: "open",
      paths: null,
      beganSeq: 2,
      endedSeq: null,
      source: "record",
    };
    const said = [{ seq: 3, text: "# BEGIN: a\n# BEGIN: b", channel: "stdout" }];
    const all = (operations: readonly OperationFact[]): string[] =>
      allOperations({ operations, said } as unknown as TriageFacts, [], pathClasses(NO_PATH_RULES)).map(
        ({ label, source }) => `${label} ${source}`,
      );
    expect(all([recorded])).toEqual(["a record", "b text"]);
    expect(all([{ ...recorded, paths: ["src/**"] }])).toEqual(["a record", "a text", "b text"]);
    expect(all([{ ...recorded, state: "ended", endedSeq: 9 }])).toEqual(["a record", "a text", "b text"]);
  });
});
