import { describe, expect, it } from "vitest";
import type { Heard } from "../words/heard.ts";
import { HeardFold } from "./fold-heard.ts";

const session: Heard = {
  kind: "session",
  nativeId: "s1",
  cwd: "/w",
  version: "1",
  branch: null,
  model: null,
  at: null,
  parent: null,
};
const ended: Heard = { kind: "ended", at: null };
const asked: Heard = { kind: "asked-model", at: null };
const turnEnded = (proof: "record" | "inferred"): Heard => ({
  kind: "turn-ended",
  outcome: "completed",
  proof,
  at: null,
});
const call = (child: string | null): Heard => ({
  kind: "call",
  id: "c1",
  tool: "run",
  does: "execute",
  input: {},
  at: null,
  proof: "started",
  paths: [],
  edits: [],
  child,
});

function statusAfter(...heard: readonly Heard[]): string {
  const fold = new HeardFold();
  for (const one of heard) fold.hear(one);
  return fold.status(false);
}

describe("where a transcript stands", () => {
  it("a program that ended in order while the model was asked has not completed its turn (L7)", () => {
    expect(statusAfter(session, asked, ended)).toBe("dirty-in-stream");
  });

  it("nor has one that ended while a tool ran", () => {
    expect(statusAfter(session, call(null), ended)).toBe("dirty-in-tool");
  });

  it("the end of the program after the last answer is the end", () => {
    expect(statusAfter(session, asked, turnEnded("inferred"), ended)).toBe("ended-clean");
    expect(statusAfter(session, asked, turnEnded("inferred"))).toBe("dirty-idle");
    expect(statusAfter(session, asked, turnEnded("record"))).toBe("ended-clean");
  });

  it("a subagent's own file is the subagent's conversation, a subagent in its parent's file is not", () => {
    const said: Heard = {
      kind: "message",
      id: "m",
      role: "assistant",
      parts: [],
      at: null,
      from: "agent",
      child: "s1",
    };
    expect(statusAfter(session, said)).toBe("dirty-in-stream");
    expect(statusAfter(session, turnEnded("record"), { ...said, child: "another" })).toBe("ended-clean");
  });

  it("a list told piece by piece is a list: changed items keep their words, dropped ones go", () => {
    const fold = new HeardFold();
    const item = (id: string, text: string | null, state: "open" | "doing" | "done" | "dropped"): void =>
      fold.hear({ kind: "plan-item", id, text, state, at: null });
    item("1", "parse", "open");
    item("2", "test", "open");
    item("3", "no", "open");
    item("1", null, "done");
    item("3", null, "dropped");
    expect(fold.plan).toEqual([
      { text: "parse", state: "done" },
      { text: "test", state: "open" },
    ]);
  });
});
