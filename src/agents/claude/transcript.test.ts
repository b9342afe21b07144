import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../model/json.ts";
import { briefBefore, GO_ON } from "../words/go-on.ts";
import type { Heard } from "../words/heard.ts";
import { claudeTranscript } from "./transcript.ts";

const record = (more: JsonObject): JsonObject => ({
  isSidechain: false,
  parentUuid: null,
  uuid: "u1",
  sessionId: "s1",
  cwd: "/w",
  version: "2.1.325",
  ...more,
});
const user = (content: JsonObject["x"], more: JsonObject = {}): JsonObject =>
  record({ type: "user", message: { role: "user", content }, ...more });
const assistant = (content: readonly JsonObject[], more: JsonObject = {}): JsonObject =>
  record({ type: "assistant", message: { role: "assistant", model: "m", content, ...more } });

function hear(...lines: readonly JsonObject[]): readonly Heard[] {
  const reader = claudeTranscript.reader();
  return lines.flatMap((line) => reader.read(line)).filter(({ kind }) => kind !== "session");
}
const saidBy = (line: JsonObject): unknown =>
  hear(line).map((one) => (one.kind === "message" ? [one.from, one.parts[0]?.text] : one.kind));

describe("who said what the user's role says", () => {
  it.each([
    ["fix it", "person", "fix it"],
    ["[Request interrupted: the session ended before this agent finished.", "machinery", undefined],
    ["<system-reminder>x</system-reminder>", "machinery", undefined],
    ["<task-notification>x</task-notification>", "machinery", undefined],
    ["<bash-input>ls -l</bash-input>", "person", "! ls -l"],
    [
      "<command-message>review</command-message>\n<command-name>/review</command-name>\n<command-args>it all</command-args>",
      "person",
      "/review it all",
    ],
    [briefBefore("what is known", GO_ON), "machinery", undefined],
    [briefBefore("what is known", "and now fix it"), "person", "and now fix it"],
  ])("%j", (content, from, said) => {
    expect(saidBy(user(content))).toEqual([[from, said ?? content]]);
  });

  it("nobody typed what a record marks as its program's, or as another program's", () => {
    expect(saidBy(user("x", { isMeta: true }))).toEqual([["machinery", "x"]]);
    expect(saidBy(user("x", { origin: { kind: "peer" } }))).toEqual([["machinery", "x"]]);
    expect(saidBy(user("x", { origin: { kind: "human" } }))).toEqual([["person", "x"]]);
  });

  it("what is typed while it works comes as an attachment", () => {
    const queued = (more: JsonObject): JsonObject =>
      record({ type: "attachment", attachment: { type: "queued_command", prompt: "also this", ...more } });
    expect(saidBy(queued({ commandMode: "prompt" }))).toEqual([["person", "also this"]]);
    expect(saidBy(queued({ commandMode: "task-notification" }))).toEqual([["machinery", "also this"]]);
  });

  it("a prompt of a subagent is its parent's, not the person's", () => {
    expect(saidBy(user("do it", { isSidechain: true, agentId: "a1" }))).toEqual([
      "child",
      ["machinery", "do it"],
    ]);
  });
});

describe("results the program made up", () => {
  const block = (content: string): JsonObject => ({
    type: "tool_result",
    tool_use_id: "t1",
    content,
    is_error: true,
  });
  const rejected =
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file).";

  it.each([
    ["[Tool call interrupted: the session ended", {}],
    [rejected, {}],
    ["in words of another version", { toolUseResult: "User rejected tool use" }],
    ["in words of another version", { toolDenialKind: "interrupted" }],
  ])("prove nothing: %j %j", (content, more) => {
    expect(hear(user([block(content)], more))).toMatchObject([
      { kind: "result", call: "t1", origin: "synthetic", status: "cancelled", edits: [] },
    ]);
  });

  it("a tool that was ended by SIGTERM really failed", () => {
    expect(hear(user([block("Exit code 137")]))).toMatchObject([{ origin: "real", status: "failed" }]);
  });
});

describe("what a result says of the file", () => {
  const done = (toolUseResult: JsonObject): unknown =>
    hear(user([{ type: "tool_result", tool_use_id: "t1", content: "ok" }], { toolUseResult })).map((one) =>
      one.kind === "result" ? one.edits : one.kind,
    )[0];
  const edit = { filePath: "/w/a", oldString: "x", newString: "y", originalFile: "x\n", replaceAll: false };

  it("a new file had nothing before; an old one whose text was left out is not known", () => {
    expect(done({ type: "create", filePath: "/w/a", content: "x", originalFile: null })).toEqual([
      { kind: "write", path: "/w/a", after: "x", before: null },
    ]);
    expect(done({ type: "update", filePath: "/w/a", content: "x", originalFile: null })).toEqual([
      { kind: "write", path: "/w/a", after: "x" },
    ]);
  });

  it("an edit's text before is the file's with its line ends lost", () => {
    expect(done(edit)).toMatchObject([
      { kind: "replace", old: "x", new: "y", before: "x\n", areLineEndsLost: true },
    ]);
  });

  it("curly quotes are put in for straight ones: only the patch knows, and only where it is one", () => {
    const lines = ["-say “hi”", "+say “ho”"];
    const curly = { ...edit, oldString: "say “hi”", newString: 'say "ho"', originalFile: "say “hi”\n" };
    expect(done({ ...curly, structuredPatch: [{ lines }] })).toMatchObject([
      {
        kind: "patch",
        hunks: [
          {
            lines: [
              { sign: "-", text: "say “hi”" },
              { sign: "+", text: "say “ho”" },
            ],
          },
        ],
      },
    ]);
    // A tab at the beginning of a line is blanks in its patch.
    expect(done({ ...curly, structuredPatch: [{ lines: [...lines, "   y"] }] })).toEqual([]);
    expect(
      done({ ...curly, structuredPatch: [{ lines: [...lines, "\\ No newline at end of file"] }] }),
    ).toEqual([]);
  });

  it("one note beside two results is of neither", () => {
    const two = ["t1", "t2"].map((id) => ({ type: "tool_result", tool_use_id: id, content: "ok" }));
    const heard = hear(user(two, { toolUseResult: edit }));
    expect(heard.map((one) => (one.kind === "result" ? one.edits : one))).toEqual([[], []]);
  });

  it("a read of the middle is not the file", () => {
    const file = { filePath: "/w/a", content: "2\n3", numLines: 2, startLine: 2, totalLines: 5 };
    expect(done({ type: "text", file })).toMatchObject([
      { kind: "read", isWhole: false, fromLine: 2, text: "2\n3" },
    ]);
    expect(done({ type: "text", file: { ...file, startLine: 1, totalLines: 2 } })).toMatchObject([
      { isWhole: true },
    ]);
    expect(done({ type: "text", file: { ...file, startLine: 1, totalLines: 2, numLines: 1 } })).toMatchObject(
      [{ isWhole: false }],
    );
  });
});

describe("turns", () => {
  const ended = (...lines: readonly JsonObject[]): unknown =>
    hear(...lines).flatMap((one) => (one.kind === "turn-ended" ? [[one.outcome, one.proof]] : []));
  const last = assistant([{ type: "text", text: "done" }], { stop_reason: "end_turn" });

  it("the last answer is no end record; its program's records are (L7)", () => {
    expect(ended(last)).toEqual([["completed", "inferred"]]);
    expect(ended(last, record({ type: "system", subtype: "turn_duration" }))).toEqual([
      ["completed", "inferred"],
      ["completed", "record"],
    ]);
  });

  it("the model's word that its turn is over and, with nothing between, its program's end are one; either alone is none (L7)", () => {
    const end = { type: "cost-state", sessionId: "s1" };
    const both = [
      ["completed", "inferred"],
      ["completed", "record"],
    ];
    expect(ended(last, end)).toEqual(both);
    expect(ended(end)).toEqual([]);
    const call = assistant([{ type: "tool_use", id: "t1", name: "Bash", input: { command: "x" } }], {
      stop_reason: "tool_use",
    });
    expect(ended(call, end)).toEqual([]);
    // Something was asked since, or a model: nobody said that this is over.
    for (const since of [
      user("and this"),
      { type: "api-request", sessionId: "s1", querySource: "sdk" },
      call,
    ])
      expect(ended(last, since, end)).toEqual([["completed", "inferred"]]);
    const stopped = user([{ type: "text", text: "[Request interrupted by user]" }]);
    expect(ended(stopped, end)).toEqual([["cancelled", "record"]]);
  });

  it("who was stopped by the person has not completed, whatever is written afterwards", () => {
    const stopped = user([{ type: "text", text: "[Request interrupted by user for tool use]" }]);
    expect(ended(stopped, record({ type: "system", subtype: "turn_duration" }))).toEqual([
      ["cancelled", "record"],
    ]);
  });

  it("until somebody asks again, refloat included", () => {
    const stopped = user([{ type: "text", text: "[Request interrupted by user]" }]);
    expect(ended(stopped, user(briefBefore("known", GO_ON)), last)).toEqual([
      ["cancelled", "record"],
      ["completed", "inferred"],
    ]);
  });

  it("the output of the person's own command ends a turn only where no model is asked about it", () => {
    expect(ended(user("<local-command-stdout>x</local-command-stdout>"))).toEqual([
      ["completed", "inferred"],
    ]);
    expect(ended(user("<bash-stdout>x</bash-stdout>", { turnOrigin: "human" }))).toEqual([]);
  });

  it("the program's own answers are no answers of the model", () => {
    const none = assistant([{ type: "text", text: "No response requested." }], {
      model: "<synthetic>",
      stop_reason: "stop_sequence",
    });
    expect(hear(none)).toMatchObject([{ kind: "message", from: "machinery" }]);
  });

  it("asides of its program do not ask for the conversation", () => {
    const asked = (querySource: string): unknown =>
      hear({ type: "api-request", sessionId: "s1", querySource });
    expect(asked("sdk")).toMatchObject([{ kind: "asked-model" }]);
    expect(asked("generate_session_title")).toEqual([]);
    expect(hear({ type: "api-request", querySource: "agent:builtin:x", agentId: "a1" })).toEqual([]);
  });

  it("a limit is heard as one, with its end where it is told", () => {
    const limit = (text: string): JsonObject => ({
      ...assistant([{ type: "text", text }], { model: "<synthetic>" }),
      isApiErrorMessage: true,
      error: "rate_limit",
    });
    expect(hear(limit("Claude AI usage limit reached|1794832800"))).toContainEqual({
      kind: "limit",
      resetsAtMs: 1_794_832_800_000,
      at: null,
    });
    expect(hear(limit("API Error"))).toContainEqual({ kind: "limit", resetsAtMs: null, at: null });
  });
});

describe("what was taken back", () => {
  const prompt = (uuid: string, parentUuid: string | null): JsonObject => user("do it", { uuid, parentUuid });
  const answer = (uuid: string, parentUuid: string): JsonObject => ({
    ...assistant([{ type: "text", text: "ok" }]),
    uuid,
    parentUuid,
  });
  const rewound = (...lines: readonly JsonObject[]): unknown =>
    hear(...lines).flatMap((one) => (one.kind === "rewound" ? [one.to] : []));

  it("a prompt below what came before the last one takes that one back", () => {
    expect(
      rewound(
        prompt("p1", null),
        answer("a1", "p1"),
        prompt("p2", "a1"),
        answer("a2", "p2"),
        prompt("p3", "a1"),
      ),
    ).toEqual(["a1"]);
  });

  it("one below the last answer, or below a call that ran beside others, does not", () => {
    expect(
      rewound(
        prompt("p1", null),
        answer("a1", "p1"),
        answer("a2", "a1"),
        answer("a3", "a1"),
        prompt("p2", "a2"),
      ),
    ).toEqual([]);
  });

  it("nothing is known of what stands before the place where reading began", () => {
    expect(rewound(prompt("p9", "a8"))).toEqual([]);
  });
});

describe("plans", () => {
  it("the older tool gives the whole list", () => {
    const input = {
      todos: [{ content: "a", status: "completed" }, { content: "b", status: "in_progress" }, { content: 3 }],
    };
    expect(hear(assistant([{ type: "tool_use", id: "t1", name: "TodoWrite", input }]))).toContainEqual({
      kind: "plan",
      items: [
        { text: "a", state: "done" },
        { text: "b", state: "doing" },
      ],
      at: null,
    });
  });
});

describe("whose lines these are", () => {
  it("a record or the queue of Claude Code, by content", () => {
    expect(claudeTranscript.recognizes([user("x")])).toBe(true);
    expect(
      claudeTranscript.recognizes([{ type: "queue-operation", operation: "enqueue", sessionId: "s" }]),
    ).toBe(true);
    expect(
      claudeTranscript.recognizes([{ type: "user", uuid: "u", sessionId: "s", message: { parts: [] } }]),
    ).toBe(false);
    expect(claudeTranscript.recognizes([])).toBe(false);
  });

  it("an unknown kind is heard as one", () => {
    expect(hear({ type: "brand-new" }, record({ type: "system", subtype: "new_too" }))).toEqual([
      { kind: "unknown", type: "brand-new" },
      { kind: "unknown", type: "system new_too" },
    ]);
  });
});
