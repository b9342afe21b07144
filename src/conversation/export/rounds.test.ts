import { describe, expect, test } from "vitest";
import { end, type Step, sampleView, say, start } from "../../../test/support/sample-view.ts";
import type { AssistantRound, Round } from "./round.ts";
import {
  CUT_OFF_NOTE,
  FORGOTTEN,
  GO_ON_NOTE,
  NOTHING_TO_ANSWER,
  plain,
  STILL_RUNNING,
  SUMMARY_LABEL,
} from "./round-content.ts";
import { roundsOf } from "./rounds.ts";

/** A round as one line: who, the blocks, the results after =>, what was said meanwhile after +. */
function line(round: Round): string {
  if (round.kind === "system") return `system: ${round.text}`;
  if (round.kind === "user") return `user: ${round.content.map(plain).join("|")}`;
  const blocks = round.blocks.map((block) => (block.kind === "call" ? `(${block.key.id})` : block.text));
  const results = round.results.map((result) => `${result.key.id}=${result.content.map(plain).join("|")}`);
  const after = round.meanwhile.map((other) => ` + ${line(other)}`).join("");
  return `assistant: ${blocks.join(" ")}${results.length === 0 ? "" : ` => ${results.join(", ")}`}${after}`;
}

function lines(steps: readonly Step[], openTurn: string | null = null): string[] {
  return roundsOf(sampleView(steps, { openTurn })).map(line);
}

const thinking = (text: string) => ({ type: "thinking", text, signature: "c2ln" });

describe("which calls belong together (R2)", () => {
  test("calls that overlap are one round whose results follow together, whatever order they ended in", () => {
    const steps = [
      say("user", "go"),
      say("assistant", "both"),
      start("a"),
      start("b"),
      end("b", "2"),
      end("a", "1"),
    ];
    expect(lines(steps)).toEqual(["user: go", "assistant: both (a) (b) => a=1, b=2"]);
  });

  test("a call begun after every earlier result is a round of its own", () => {
    const steps = [say("user", "go"), start("a"), end("a", "1"), start("b"), end("b", "2")];
    expect(lines(steps)).toEqual(["user: go", "assistant: (a) => a=1", "assistant: (b) => b=2"]);
  });

  test("a chain of overlaps is one round even where its first and last call never ran together", () => {
    const steps = [say("user", "go"), start("a"), start("b"), end("a"), start("c"), end("b"), end("c")];
    expect(lines(steps)).toEqual(["user: go", "assistant: (a) (b) (c) => a=ok, b=ok, c=ok"]);
  });

  test("text said between two overlapping calls stays between them and never separates a call from its result", () => {
    const steps = [
      say("user", "go"),
      start("a"),
      say("assistant", "meanwhile"),
      start("b"),
      end("a"),
      end("b"),
    ];
    expect(lines(steps)).toEqual(["user: go", "assistant: (a) meanwhile (b) => a=ok, b=ok"]);
  });

  test("what a person says while calls run comes after the results, in the order it was said", () => {
    const steps = [
      say("user", "go"),
      start("a"),
      say("user", "faster"),
      say("system", "rule"),
      say("user", "!"),
      end("a"),
    ];
    expect(lines(steps)).toEqual([
      "user: go",
      "assistant: (a) => a=ok + user: faster + system: rule + user: !",
    ]);
  });

  test("a call left open by a turn that is over does not swallow the turns after it", () => {
    const later = { turn: "t2" };
    const steps = [
      say("user", "go"),
      start("a"),
      say("user", "next", later),
      say("assistant", "sure", later),
    ];
    const [, first, ...rest] = lines(steps);
    expect(first).toContain("Outcome unknown");
    expect(rest).toEqual(["user: next", "assistant: sure"]);
  });

  test("an id used twice names two calls, each with its own result", () => {
    const steps = [
      say("user", "go"),
      start("bash:0"),
      end("bash:0", "1"),
      start("bash:0"),
      end("bash:0", "2"),
    ];
    const calls = roundsOf(sampleView(steps)).filter(
      (round): round is AssistantRound => round.kind === "assistant",
    );
    expect(
      calls.map((round) => round.results.map(({ key, content }) => [key.occurrence, ...content.map(plain)])),
    ).toEqual([[[1, "1"]], [[2, "2"]]]);
  });
});

describe("what is left out", () => {
  test("blank texts and messages left empty are dropped; what is forgotten says so instead of vanishing", () => {
    const steps = [
      say("user", "  \n"),
      say("user", "secret", { isForgotten: true }),
      say("assistant", [
        { type: "text", text: "" },
        { type: "text", text: "kept " },
      ]),
      start("a", { isForgotten: true }),
      end("a", "secret", { isForgotten: true }),
    ];
    expect(lines(steps)).toEqual([`user: ${FORGOTTEN}`, `assistant: kept  (a) => a=${FORGOTTEN}`]);
    const [, round] = roundsOf(sampleView(steps));
    expect(JSON.stringify(round)).not.toContain("secret");
  });

  test("thinking that led to nothing is dropped, thinking that led to a text or a call is kept", () => {
    const cut = say("assistant", [thinking("half")], { state: "cut-off" });
    expect(
      lines([say("user", "go"), cut, say("assistant", [thinking("whole"), { type: "text", text: "done" }])]),
    ).toEqual(["user: go", "assistant: whole done"]);
    expect(lines([say("user", "go"), say("assistant", [thinking("plan")]), start("a"), end("a")])).toEqual([
      "user: go",
      "assistant: plan (a) => a=ok",
    ]);
  });

  test("a summary is told as a user's round under a label, whatever its role", () => {
    const summary = say("assistant", "we did much", { isSummary: true, turn: null });
    expect(lines([summary, say("assistant", "next")])).toEqual([
      `user: ${SUMMARY_LABEL}|we did much`,
      "assistant: next",
    ]);
  });
});

describe("a view that is to be answered (R3, C7)", () => {
  test("C7: after a result nothing is invented", () => {
    expect(lines([say("user", "go"), start("a"), end("a")], "t1")).toEqual([
      "user: go",
      "assistant: (a) => a=ok",
    ]);
  });

  test("a call still running gets a placeholder result that says so", () => {
    expect(lines([say("user", "go"), start("a")], "t1")).toEqual([
      "user: go",
      `assistant: (a) => a=${STILL_RUNNING}`,
    ]);
  });

  test("a cut-off answer is kept and followed by a note; an idle view gets none", () => {
    const steps = [say("user", "go"), say("assistant", "half an ans", { state: "cut-off" })];
    expect(lines(steps, "t1")).toEqual(["user: go", "assistant: half an ans", `user: ${CUT_OFF_NOTE}`]);
    expect(lines(steps)).toEqual(["user: go", "assistant: half an ans"]);
  });

  test("a whole answer in an open turn is followed by a note that does not claim it was cut off", () => {
    expect(lines([say("user", "go"), say("assistant", "done")], "t1").at(-1)).toBe(`user: ${GO_ON_NOTE}`);
  });

  test("R4: the note stays where it was asked with, so that a longer view begins with the shorter one", () => {
    const steps = [say("user", "go"), say("assistant", "half", { state: "cut-off" })];
    const asked = lines(steps, "t2");
    for (const more of [say("assistant", "other half", { turn: "t2" }), start("a", { turn: "t2" })]) {
      expect(lines([...steps, more], "t2").slice(0, asked.length)).toEqual(asked);
    }
  });

  test("R4: cut off only after its call was begun, as a stop does, a text is no request to go on: it is one round with the call, as it was while it was streamed", () => {
    const streamed = (state: "open" | "cut-off", cutOffSeq?: number): Step[] => [
      say("user", "go"),
      say("assistant", "I run it", { state, ...(cutOffSeq === undefined ? {} : { cutOffSeq }) }),
      start("a"),
      end("a"),
    ];
    const asked = lines(streamed("open"), "t1");
    expect(asked).toEqual(["user: go", "assistant: I run it (a) => a=ok"]);
    expect(lines(streamed("cut-off", 5))).toEqual(asked);
    // Cut off before, the model was asked to go on, and that stays.
    expect(lines(streamed("cut-off", 2))).toContain(`user: ${CUT_OFF_NOTE}`);
  });

  test("a turn begun without anything to answer still gives a model something to answer; an empty view stays empty", () => {
    expect(lines([say("system", "be kind"), say("user", " ")], "t1")).toEqual([
      "system: be kind",
      `user: ${NOTHING_TO_ANSWER}`,
    ]);
    expect(lines([], "t1")).toEqual([]);
  });
});

describe("what a model is told of a call nobody saw end (C4)", () => {
  const told = (effect: "none" | "idempotent" | "unknown") => {
    const synthetic = end("a", null, { status: "unknown-outcome", isSynthetic: true });
    const rounds = roundsOf(sampleView([say("user", "go"), start("a", { effect }), synthetic]));
    const round = rounds[1] as AssistantRound;
    return round.results.map((result) => [result.isError, ...result.content.map(plain)].join(" ")).join();
  };

  test("with an unknown effect it may have run and is to be inspected, never plainly repeated", () => {
    expect(told("unknown")).toMatch(/may have run.*inspect the state before you retry/);
    expect(told("unknown")).not.toMatch(/safe to repeat/);
  });

  test("it is told once: what recovery wrote in the tool's place is not sent as if the tool had said it", () => {
    const synthetic = end("a", "The session ended while this call was running.", {
      isSynthetic: true,
      status: "unknown-outcome",
    });
    const [, round] = roundsOf(sampleView([say("user", "go"), start("a"), synthetic]));
    expect((round as AssistantRound).results[0]?.content).toHaveLength(1);
    const reported = end("a", "timed out", { status: "unknown-outcome" });
    expect(lines([say("user", "go"), start("a"), reported])[1]).toMatch(/Outcome unknown.*timed out/);
  });

  test("without an effect it is safe to repeat", () => {
    expect(told("none")).toMatch(/Outcome unknown.*safe to repeat/);
  });

  test("an idempotent one may be run again", () => {
    expect(told("idempotent")).toMatch(/may have run.*same state/);
  });

  test("cancelled, interrupted and failed calls are errors that keep what the tool had said", () => {
    for (const status of ["cancelled", "interrupted", "failed"] as const) {
      const rounds = roundsOf(sampleView([say("user", "go"), start("a"), end("a", "half", { status })]));
      const [result] = (rounds[1] as AssistantRound).results;
      expect(result?.isError).toBe(true);
      expect(result?.content.map(plain).at(-1)).toBe("half");
    }
  });
});
