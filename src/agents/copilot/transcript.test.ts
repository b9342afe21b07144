import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../model/json.ts";
import { briefBefore, GO_ON } from "../words/go-on.ts";
import type { Heard } from "../words/heard.ts";
import { copilotTranscript } from "./transcript.ts";

const event = (type: string, data: JsonObject, more: JsonObject = {}): JsonObject => ({
  type,
  data,
  id: "e1",
  parentId: null,
  ...more,
});
function hear(...lines: readonly JsonObject[]): readonly Heard[] {
  const reader = copilotTranscript.reader();
  return lines.flatMap((line) => reader.read(line));
}
const ran = (toolName: string, args: JsonObject, done: JsonObject): readonly Heard[] =>
  hear(
    event("tool.execution_start", { toolCallId: "c1", toolName, arguments: args }),
    event("tool.execution_complete", { toolCallId: "c1", success: true, ...done }),
  ).slice(1);
const editsOf = (heard: readonly Heard[]): unknown =>
  heard.flatMap((one) => (one.kind === "result" ? one.edits : []));

describe("turns of Copilot CLI", () => {
  const start = event("assistant.turn_start", { turnId: "0" });
  const end = event("assistant.turn_end", { turnId: "0" });
  const said = (toolRequests: readonly JsonObject[]): JsonObject =>
    event("assistant.message", { messageId: "m1", content: "x", toolRequests });
  const ended = (...lines: readonly JsonObject[]): unknown =>
    hear(...lines).flatMap((one) => (one.kind === "turn-ended" ? [one.outcome] : []));

  it("the end of a round is the turn's only after an answer that asks for no tool (L7)", () => {
    expect(ended(start, said([]), end)).toEqual(["completed"]);
    expect(ended(start, said([{ toolCallId: "c1" }]), end)).toEqual([]);
  });

  it("it is also written when the answer was cut off, and then is none", () => {
    expect(ended(start, said([]), end, start, end, event("abort", { reason: "user_abort" }))).toEqual([
      "completed",
      "cancelled",
    ]);
  });

  it("a subagent's rounds are not the session's", () => {
    const child = { agentId: "a1" };
    expect(ended({ ...start, ...child }, { ...said([]), ...child }, { ...end, ...child })).toEqual([]);
    expect(hear({ ...start, ...child })).toEqual([]);
  });

  it("a limit is one, and any error ends the turn", () => {
    expect(hear(event("session.error", { errorType: "rate_limit" })).map(({ kind }) => kind)).toEqual([
      "limit",
      "turn-ended",
    ]);
    expect(ended(event("session.error", { errorType: "query" }))).toEqual(["failed"]);
  });
});

describe("who said it", () => {
  it.each([
    ["fix it", {}, "person", "fix it"],
    ["x", { source: "skill-pdf" }, "machinery", "x"],
    ["x", { isAutopilotContinuation: true }, "machinery", "x"],
    [briefBefore("known", GO_ON), {}, "machinery", undefined],
    [briefBefore("known", "fix it"), {}, "person", "fix it"],
  ])("%j %j", (content, more, from, text) => {
    const parts = [{ type: "text", text: text ?? content }];
    expect(hear(event("user.message", { content, messageId: "m1", ...more }))).toMatchObject([
      { kind: "message", id: "m1", from, parts },
    ]);
  });
});

describe("results", () => {
  it("one its program made up proves nothing", () => {
    const made = {
      success: false,
      error: { message: "Tool execution was interrupted before a result was recorded. Its…" },
    };
    expect(ran("create", { path: "/w/a", file_text: "x" }, made)).toMatchObject([
      { kind: "result", origin: "synthetic", status: "cancelled", edits: [] },
    ]);
  });

  it("a command that ended with another code than 0 failed", () => {
    expect(ran("bash", {}, { shellExecution: { exitCode: 2 } })).toMatchObject([
      { status: "failed", origin: "real" },
    ]);
  });

  it("a file that was created was not there before", () => {
    expect(editsOf(ran("create", { path: "/w/a", file_text: "x\r\n" }, {}))).toEqual([
      { kind: "write", path: "/w/a", after: "x\r\n", before: null },
    ]);
  });

  it("a file that was shown is read to the byte, a folder or what was too large is not", () => {
    const shown = (content: string, detailedContent: string | undefined): JsonObject => ({
      result: { content, ...(detailedContent === undefined ? {} : { detailedContent }) },
    });
    const file = "\ndiff --git a/w/a b/w/a\nindex 0000000..0000000 100644\n";
    expect(editsOf(ran("view", { path: "/w/a" }, shown("one\r\n", file)))).toEqual([
      { kind: "read", path: "/w/a", text: "one\r\n", isWhole: true, fromLine: 1 },
    ]);
    expect(editsOf(ran("view", { path: "/w/a", view_range: [2, 3] }, shown("2\n3", file)))).toMatchObject([
      { isWhole: false, fromLine: 2 },
    ]);
    expect(
      editsOf(ran("view", { path: "/w" }, shown("a\nb", "\ndiff --git\ncreate file mode 100644\n"))),
    ).toEqual([]);
    expect(
      editsOf(ran("view", { path: "/w/a" }, shown("File too large to read at once", undefined))),
    ).toEqual([]);
    expect(editsOf(ran("view", { path: "/w/a" }, shown("x".repeat(20_000), file)))).toEqual([]);
  });

  it("whose call stands before the place where reading began is of no known file", () => {
    expect(editsOf(hear(event("tool.execution_complete", { toolCallId: "c9", success: true })))).toEqual([]);
  });
});

describe("the list in its database", () => {
  const plan = (query: string): unknown =>
    ran("sql", { query }, {}).flatMap((one) =>
      one.kind === "plan-item" ? [[one.id, one.text, one.state]] : [],
    );

  it.each<[string, readonly unknown[]]>([
    [
      "INSERT INTO todos (id, title, description, status) VALUES ('a', 'It''s one, (really)', 'x', 'pending'), ('b', 'Two', 'y', 'in_progress')",
      [
        ["a", "It's one, (really)", "open"],
        ["b", "Two", "doing"],
      ],
    ],
    ["insert or replace into todos(id,title) values('a','A');", [["a", "A", "open"]]],
    ["UPDATE todos SET status = 'done', updated_at = 'now' WHERE id = 'a'", [["a", null, "done"]]],
    [
      "UPDATE todos SET status='in_progress' WHERE id IN ('a', 'b'); DELETE FROM todos WHERE id = 'c'",
      [
        ["a", null, "doing"],
        ["b", null, "doing"],
        ["c", null, "dropped"],
      ],
    ],
    ["SELECT * FROM todos WHERE status = 'done'", []],
    ["INSERT INTO todos (id, title) SELECT id, title FROM other", []],
    ["INSERT INTO others (id, title) VALUES ('todos', 'x')", []],
    ["UPDATE todos SET title = 'status = done' WHERE id = 'a'", []],
  ])("%s", (query, items) => {
    expect(plan(query)).toEqual(items);
  });

  it("a statement made to be slow to read is not", () => {
    expect(plan(`INSERT INTO todos (id) VALUES ${"('".repeat(9000)}`)).toEqual([]);
    expect(plan(`UPDATE todos SET ${"'' ".repeat(6000)} where id`)).toEqual([]);
  });
});
