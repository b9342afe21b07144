/** Traps of Gemini's sessions: messages written again, results told twice, going back, subagents, cancelled calls, wrong types. */
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../model/json.ts";
import { HeardFold } from "../transcript/fold-heard.ts";
import type { Heard } from "../words/heard.ts";
import { geminiTranscript } from "./transcript.ts";

const HEAD = { sessionId: "s", projectHash: "h", startTime: "2026-11-16T12:00:00Z", kind: "main" };
const user = (id: string, text: string): JsonObject => ({ id, type: "user", content: [{ text }] });
const call = (id: string, more: JsonObject = {}): JsonObject => ({
  id,
  name: "run_shell_command",
  args: { command: "x" },
  status: "success",
  result: [{ functionResponse: { id, name: "run_shell_command", response: { output: "done" } } }],
  ...more,
});
const model = (id: string, content: string, toolCalls?: readonly JsonObject[]): JsonObject => ({
  id,
  type: "gemini",
  content,
  ...(toolCalls === undefined ? {} : { toolCalls }),
});

function heardOf(...lines: readonly JsonObject[]): { heard: readonly Heard[]; fold: HeardFold } {
  const reader = geminiTranscript.reader();
  const fold = new HeardFold();
  const heard = lines.flatMap((line) => reader.read(line));
  for (const one of heard) fold.hear(one);
  return { heard, fold };
}
const idsOf = (heard: readonly Heard[], kind: Heard["kind"]): readonly string[] =>
  heard.flatMap((one) => (one.kind === kind && "id" in one ? [String(one.id)] : []));

describe("Gemini's sessions", () => {
  it("say a message once however often it is written again, with its calls when they are there and its words when they changed", () => {
    const { heard, fold } = heardOf(
      HEAD,
      user("u", "go"),
      model("m", "I run it"),
      model("m", "I run it"),
      model("m", "I run it", [call("c1")]),
      model("m", "I run it", [call("c1"), call("c2")]),
      { id: "r", type: "user", content: [{ functionResponse: { id: "c1", response: { output: "done" } } }] },
      model("m", "I ran it", [call("c1"), call("c2")]),
    );
    expect(idsOf(heard, "message")).toEqual(["u", "m", "m"]);
    expect(idsOf(heard, "call")).toEqual(["c1", "c2"]);
    expect(heard.filter(({ kind }) => kind === "result")).toHaveLength(2);
    expect(fold.calls(false).map(({ status }) => status)).toEqual(["done", "done"]);
  });

  it("say nothing twice when a resume tells the whole conversation again, and that it was shortened when it does not", () => {
    const lines = [HEAD, user("u", "go"), model("m", "I run it", [call("c1")]), model("m2", "over")];
    const told = (
      id: string,
      parts: readonly JsonObject[],
      toolCalls?: readonly JsonObject[],
    ): JsonObject => ({
      ...model(id, "", toolCalls),
      timestamp: "2026-11-16T13:00:00Z",
      content: parts,
    });
    const again = [
      user("u", "go"),
      told("m", [{ text: "I run it" }, { functionCall: { id: "c1", name: "x", args: {} } }], [call("c1")]),
      { id: "m_response", type: "user", content: [{ functionResponse: { id: "c1", response: {} } }] },
      told("m2", [{ text: "over" }]),
    ];
    const once = heardOf(...lines).heard;
    expect(heardOf(...lines, { $set: { messages: again } }).heard).toEqual(once);
    const shorter = heardOf(...lines, { $set: { messages: again.slice(1) } }).heard;
    expect(shorter.slice(once.length)).toMatchObject([{ kind: "compacted" }]);
  });

  it("are whole again where the record of a call was lost but not its result's", () => {
    const { fold } = heardOf(HEAD, {
      id: "r",
      type: "user",
      content: [{ functionResponse: { id: "c1", name: "x", response: { error: "no" } } }],
    });
    expect(fold.calls(false)).toEqual([{ id: "c1", tool: "", status: "failed" }]);
  });

  it("prove nothing by a cancelled call, and end with the person's cancelling", () => {
    const cancelled = call("c", {
      status: "cancelled",
      result: [{ functionResponse: { id: "c", response: { error: "[Operation Cancelled] Reason: User" } } }],
    });
    const { fold } = heardOf(HEAD, model("m", "", [cancelled]), {
      id: "i",
      type: "info",
      content: "Request cancelled.",
    });
    expect(fold.calls(false).map(({ status }) => status)).toEqual(["unknown-outcome"]);
    expect(fold.status(false)).toBe("cancelled-by-user");
  });

  it("tell what a hook gave before the person's words from those (T3)", () => {
    const { heard } = heardOf(
      HEAD,
      user("a", "<hook_context>An earlier &lt;session&gt; was cut off.</hook_context>\n\ngo on"),
      user("b", "<hook_context>alone</hook_context>"),
    );
    expect(heard.slice(1)).toMatchObject([
      { kind: "message", id: "a-hook", from: "machinery" },
      { kind: "message", id: "a", from: "person", parts: [{ text: "go on" }] },
      { kind: "message", id: "b", from: "machinery" },
    ]);
  });

  it("take what the person took back to the message before it", () => {
    const { heard } = heardOf(HEAD, user("a", "1"), user("b", "2"), user("c", "3"), { $rewindTo: "b" });
    expect(heard.at(-1)).toMatchObject({ kind: "rewound", to: "a" });
  });

  it("tell a subagent's file, the context and the words of a limit for what they are", () => {
    const child = heardOf(
      { ...HEAD, sessionId: "k", kind: "subagent" },
      user("u", "look"),
      model("m", "seen"),
    );
    expect(child.heard.slice(1, 3)).toMatchObject([
      { from: "machinery", child: "k" },
      { from: "agent", child: "k" },
    ]);
    const own = heardOf(
      HEAD,
      { $set: { messages: [user("c", "<session_context>\nx")] } },
      { id: "e", type: "error", content: "You have exhausted your daily quota on this model." },
    );
    expect(own.heard.slice(1)).toMatchObject([{ from: "machinery" }, { kind: "limit", resetsAtMs: null }]);
  });

  it("say what the files were to the letter, and only where the tool did what it was asked", () => {
    const edit = (old: string, put: string, was: string, is: string): JsonObject =>
      call("c", {
        name: "replace",
        args: { file_path: "/w/a", old_string: old, new_string: put },
        resultDisplay: { filePath: "/w/a", originalContent: was, newContent: is, isNewFile: false },
      });
    const shown = (record: JsonObject): unknown =>
      heardOf(HEAD, model("m", "", [record])).heard.flatMap((one) =>
        one.kind === "result" ? one.edits : [],
      );
    expect(shown(edit("b", "$&", "a b\n", "a $&\n"))).toEqual([
      {
        kind: "replace",
        path: "/w/a",
        old: "b",
        new: "$&",
        everywhere: false,
        areLineEndsLost: true,
        before: "a b\n",
      },
    ]);
    expect(shown(edit("b\n", "c", "a b\n", "a c\n"))).toEqual([
      { kind: "write", path: "/w/a", after: "a c\n", before: "a b\n", areLineEndsLost: true },
    ]);
    const over = call("c", {
      name: "write_file",
      args: { file_path: "/w/a", content: "x\ny\n" },
      resultDisplay: { filePath: "/w/a", originalContent: "1\r\n", newContent: "x\ny\n", isNewFile: false },
    });
    expect(shown(over)).toEqual([{ kind: "write", path: "/w/a", after: "x\r\ny\r\n", before: "1\r\n" }]);
  });

  it("keep a plan without what was called off", () => {
    const todos = [
      { description: "a", status: "completed" },
      { description: "b", status: "pending" },
      { description: "c", status: "cancelled" },
    ];
    const { fold } = heardOf(HEAD, model("m", "", [call("c", { name: "write_todos", args: { todos } })]));
    expect(fold.plan).toEqual([
      { text: "a", state: "done" },
      { text: "b", state: "open" },
    ]);
  });

  it("do no harm with wrong types", () => {
    const { fold } = heardOf(
      HEAD,
      { id: 7, type: "user" },
      { id: "x", type: "gemini", content: { text: 3 }, toolCalls: "no", thoughts: [1, { subject: {} }] },
      {
        id: "y",
        type: "gemini",
        content: null,
        toolCalls: [null, { id: "c", name: "__proto__", args: "{", status: 4 }],
      },
      { $set: { messages: { length: 3 } } },
      { $set: [] },
      { $rewindTo: {} },
      { id: "z", type: ["user"] },
      {},
    );
    expect(fold.calls(false)).toEqual([{ id: "c", tool: "__proto__", status: "interrupted" }]);
  });
});
