/** Traps of Qwen's sessions: a torn tail with the next record glued to it, results written in batches, results that were made up. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import type { JsonObject } from "../../model/json.ts";
import { HeardFold } from "../transcript/fold-heard.ts";
import { toEnd } from "../transcript/piece-by-piece.ts";
import { readLines } from "../transcript/read-lines.ts";
import type { Heard } from "../words/heard.ts";
import { qwenTranscript } from "./transcript.ts";

let last: string | null = null;
let count = 0;
/** The next record of the list. */
function record(type: string, more: JsonObject): JsonObject {
  const uuid = `r${++count}`;
  const made = { uuid, parentUuid: last, sessionId: "s", cwd: "/w", version: "1", type, ...more };
  last = uuid;
  return made;
}
const user = (text: string, more: JsonObject = {}): JsonObject =>
  record("user", { provenance: "real_user", message: { role: "user", parts: [{ text }] }, ...more });
const answer = (...parts: readonly JsonObject[]): JsonObject =>
  record("assistant", { model: "m", message: { role: "model", parts } });
const call = (id: string, name = "run_shell_command", args: JsonObject = {}): JsonObject => ({
  functionCall: { id, name, args },
});
const result = (id: string, response: JsonObject, toolCallResult: JsonObject): JsonObject =>
  record("tool_result", {
    message: { role: "user", parts: [{ functionResponse: { id, response } }] },
    toolCallResult,
  });
const telemetry = (call_id: string, status: string): JsonObject =>
  record("system", {
    subtype: "ui_telemetry",
    systemPayload: { uiEvent: { "event.name": "qwen-code.tool_call", call_id, status } },
  });

function heardOf(text: string): { heard: Heard[]; fold: HeardFold; damage: string[] } {
  const path = join(temporaryFolder(), "session.jsonl");
  writeFileSync(path, text);
  const [heard, damage, fold] = [[] as Heard[], [] as string[], new HeardFold()];
  toEnd(
    readLines(path, qwenTranscript, {
      hear(one) {
        heard.push(one);
        fold.hear(one);
      },
      damaged: ({ kind }) => damage.push(kind),
    }),
  );
  return { heard, fold, damage };
}
function session(make: () => readonly JsonObject[]): string {
  last = null;
  return make()
    .map((line) => `${JSON.stringify(line)}\n`)
    .join("");
}

describe("Qwen's sessions", () => {
  it("lose nothing before a torn tail, whose fragment the next resume glued its own record to", () => {
    const before = session(() => [user("first"), answer(call("c1"))]);
    const torn = JSON.stringify(
      record("tool_result", { message: { parts: [{ text: "x".repeat(80) }] } }),
    ).slice(0, -40);
    last = "r2";
    count = 2;
    const rest = session(() => [user("second"), answer({ text: "seen" })]);
    const { heard, damage } = heardOf(before + torn + rest);
    expect(damage).toEqual(["glued"]);
    expect(heard.flatMap((one) => (one.kind === "message" ? [contentOf(one)] : []))).toEqual([
      "first",
      "second",
      "seen",
    ]);
    expect(heardOf(before + torn).damage).toEqual(["torn"]);
  });

  it("name a cut of the list by the record whose parent is not there", () => {
    const [first = "", , third = ""] = session(() => [user("a"), user("b"), user("c")]).split(/(?<=\n)/);
    expect(heardOf(first + third).damage).toEqual(["dangling-parent"]);
  });

  it("know of a call that was over among others that were not, and only that it was", () => {
    const { fold, heard } = heardOf(
      session(() => [
        user("go"),
        answer(call("fast"), call("slow")),
        telemetry("fast", "success"),
        telemetry("slow", "cancelled"),
      ]),
    );
    expect(fold.calls(false).map(({ status }) => status)).toEqual(["done", "interrupted"]);
    expect(heard.at(-1)).toMatchObject({ kind: "result", call: "fast", output: "" });
    const whole = heardOf(
      session(() => [
        user("go"),
        answer(call("c")),
        telemetry("c", "success"),
        result("c", { output: "out" }, { status: "success" }),
      ]),
    );
    expect(whole.heard.filter(({ kind }) => kind === "result")).toMatchObject([{ output: "out" }]);
  });

  it("prove nothing by a result that was made up, and call a failing command failed", () => {
    const { fold } = heardOf(
      session(() => [
        answer(call("a"), call("b")),
        result(
          "a",
          { error: "[Operation Cancelled] Reason: The tool had already completed" },
          { status: "cancelled" },
        ),
        result("b", { output: "x" }, { status: "success", resultDisplay: { exitCode: 3 } }),
      ]),
    );
    expect(fold.calls(false).map(({ status }) => status)).toEqual(["unknown-outcome", "failed"]);
  });

  it("tell the person's words from the machinery's, a plan from a text, a settled turn from one that reads so", () => {
    const todos = [
      { id: "1", content: "a", status: "completed" },
      { id: "2", content: "b", status: "in_progress" },
    ];
    const { heard, fold } = heardOf(
      session(() => [
        user("mine"),
        user("tick", { subtype: "cron", provenance: "system" }),
        user("meanwhile", { subtype: "mid_turn_user_message" }),
        answer(call("p", "todo_write", { todos })),
        result("p", { output: "ok" }, { status: "success" }),
        answer({ text: "thinking", thought: true }, { text: "done" }),
        record("system", { subtype: "turn_result", systemPayload: { state: "completed", endedAt: 5 } }),
        record("system", { subtype: "something_new", systemPayload: {} }),
      ]),
    );
    expect(heard.flatMap((one) => (one.kind === "message" ? [one.from] : []))).toEqual([
      "person",
      "machinery",
      "person",
      "agent",
    ]);
    expect(fold.plan.map(({ state }) => state)).toEqual(["done", "doing"]);
    expect(fold.status(false)).toBe("ended-clean");
    expect([...fold.unknownTypes.keys()]).toEqual(["system something_new"]);
    expect(fold.session?.model).toBe("m");
  });

  it("say what was there before an edit, with what Qwen does not tell of a file", () => {
    const display = { filePath: "/w/a", originalContent: "a\n", newContent: "b\n" };
    const { heard } = heardOf(
      session(() => [
        answer(call("e", "edit", { file_path: "/w/a", old_string: "a", new_string: "b" })),
        result("e", { output: "ok" }, { status: "success", resultDisplay: display }),
      ]),
    );
    expect(heard.flatMap((one) => (one.kind === "result" ? one.edits : []))).toEqual([
      {
        kind: "replace",
        path: "/w/a",
        old: "a",
        new: "b",
        everywhere: false,
        before: "a\n",
        areLineEndsLost: true,
      },
    ]);
  });
});

const contentOf = (message: Extract<Heard, { kind: "message" }>): string =>
  message.parts.map((part) => ("text" in part ? String(part.text) : "")).join("");
