/** Traps of OpenCode's database that no sample has: subagents, made-up results, plans, summaries, going back, hostile rows. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeDatabase } from "../../../test/agents/fixture-home.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import type { JsonObject } from "../../model/json.ts";
import { HeardFold } from "../transcript/fold-heard.ts";
import { toEnd } from "../transcript/piece-by-piece.ts";
import { readDatabase } from "../transcript/read-database.ts";
import type { Heard } from "../words/heard.ts";
import { opencodePlaces } from "./places.ts";
import { opencodeTranscript } from "./transcript.ts";

type Row = Readonly<Record<string, unknown>>;

/** A session "s" of these messages, each with its parts. */
function made({
  messages,
  sessions = [{ id: "s", directory: "/w", version: "1", time_created: 1, time_updated: 2 }],
}: {
  readonly messages: readonly {
    readonly id: string;
    readonly in?: string;
    readonly data: unknown;
    readonly parts?: readonly unknown[];
  }[];
  readonly sessions?: readonly Row[];
}): string {
  const path = join(temporaryFolder(), "opencode.db");
  makeDatabase(path, {
    project: { sql: "CREATE TABLE project (id text)", rows: [] },
    session: {
      sql: `CREATE TABLE session (id text PRIMARY KEY, directory text, version text, model text, revert text, parent_id text,
            time_created integer, time_updated integer)`,
      rows: sessions,
    },
    message: {
      sql: "CREATE TABLE message (id text PRIMARY KEY, session_id text, time_created integer, data)",
      rows: messages.map(({ id, data, in: session = "s" }, at) => ({
        id,
        session_id: session,
        time_created: at,
        data,
      })),
    },
    part: {
      sql: "CREATE TABLE part (id text PRIMARY KEY, message_id text, data)",
      rows: messages.flatMap(({ id, parts = [] }) =>
        parts.map((data, at) => ({ id: `${id}-p${at}`, message_id: id, data })),
      ),
    },
  });
  return path;
}

function heardOf(path: string): { readonly heard: readonly Heard[]; readonly fold: HeardFold } {
  const heard: Heard[] = [];
  const fold = new HeardFold();
  toEnd(
    readDatabase(path, opencodeTranscript, "s", {
      hear(one) {
        heard.push(one);
        fold.hear(one);
      },
      damaged: () => undefined,
    }),
  );
  return { heard, fold };
}

const tool = (name: string, state: JsonObject, callID = "c"): unknown => ({
  type: "tool",
  tool: name,
  callID,
  state,
});
const answer = (
  parts: readonly unknown[],
  more: JsonObject = {},
): { id: string; data: unknown; parts: readonly unknown[] } => ({
  id: "m",
  data: { role: "assistant", time: { created: 1, completed: 2 }, ...more },
  parts,
});

describe("OpenCode's sessions", () => {
  it("take a result that its cleanup made up for no result", () => {
    const { fold } = heardOf(
      made({
        messages: [
          answer(
            [
              tool("bash", {
                status: "error",
                input: { command: "x" },
                error: "Tool execution aborted",
                metadata: { interrupted: true },
              }),
            ],
            { error: { name: "MessageAbortedError", data: { message: "" } } },
          ),
        ],
      }),
    );
    expect(fold.calls(false)).toEqual([{ id: "c", tool: "bash", status: "unknown-outcome" }]);
    expect(fold.status(false)).toBe("cancelled-by-user");
  });

  it("hold a subagent's conversation as the child's own, once, also where a call names its own session", () => {
    const sessions = [
      { id: "s", directory: "/w" },
      { id: "k", directory: "/w", parent_id: "s" },
      { id: "lost", directory: "/w", parent_id: "s" },
    ];
    const task = (sessionId: string, status: string): unknown =>
      tool("task", { status, input: { description: "look" }, metadata: { sessionId } }, `call-${sessionId}`);
    const { heard, fold } = heardOf(
      made({
        sessions,
        messages: [
          answer([task("k", "completed"), task("s", "running")]),
          { id: "km", in: "k", data: { role: "user" }, parts: [{ type: "text", text: "look there" }] },
          {
            id: "ka",
            in: "k",
            data: { role: "assistant", time: { completed: 3 }, finish: "stop" },
            parts: [{ type: "text", text: "seen" }, task("k", "running")],
          },
          { id: "lm", in: "lost", data: { role: "user" }, parts: [{ type: "text", text: "and there" }] },
        ],
      }),
    );
    const said = heard.flatMap((one) => (one.kind === "message" ? [[one.id, one.child, one.from]] : []));
    expect(said).toEqual([
      ["km", "k", "machinery"],
      ["ka", "k", "agent"],
      ["lm", "lost", "machinery"],
    ]);
    expect(heard.filter(({ kind }) => kind === "turn-ended")).toEqual([]);
    expect(fold.status(false)).toBe("dirty-in-tool");
  });

  it("have a plan of what is open, without what was called off; a failing command is a failed call", () => {
    const todos = [
      { content: "a", status: "completed" },
      { content: "b", status: "in_progress" },
      { content: "c", status: "pending" },
      { content: "d", status: "cancelled" },
    ];
    const { fold } = heardOf(
      made({
        messages: [
          answer([
            tool("todowrite", { status: "completed", input: { todos } }),
            tool("bash", { status: "completed", input: {}, metadata: { exit: 2 } }, "c2"),
          ]),
        ],
      }),
    );
    expect(fold.plan).toEqual([
      { text: "a", state: "done" },
      { text: "b", state: "doing" },
      { text: "c", state: "open" },
    ]);
    expect(fold.calls(false).map(({ status }) => status)).toEqual(["done", "failed"]);
  });

  it("know edits and reads to the letter, and claim no whole file from lines", () => {
    const { heard } = heardOf(
      made({
        messages: [
          answer([
            tool("edit", {
              status: "completed",
              input: { filePath: "/w/a", oldString: "x", newString: "y", replaceAll: true },
            }),
            tool(
              "edit",
              { status: "completed", input: { filePath: "/w/n", oldString: "", newString: "new" } },
              "c2",
            ),
            tool(
              "read",
              {
                status: "completed",
                input: { filePath: "/w/a" },
                metadata: {
                  display: { type: "file", path: "/w/a", text: "1\n2", lineStart: 1, totalLines: 2 },
                },
              },
              "c3",
            ),
          ]),
        ],
      }),
    );
    const edits = heard.flatMap((one) => (one.kind === "call" || one.kind === "result" ? one.edits : []));
    expect(edits).toEqual([
      { kind: "replace", path: "/w/a", old: "x", new: "y", everywhere: true, areLineEndsLost: true },
      { kind: "write", path: "/w/n", after: "new" },
      { kind: "write", path: "/w/n", after: "new", before: null },
      { kind: "read", path: "/w/a", text: "1\n2", isWhole: false, fromLine: 1, areLineEndsLost: true },
    ]);
  });

  it("know what a patch was to do to each file it names", () => {
    const patchText = [
      "*** Begin Patch",
      "*** Add File: new.txt",
      "+one",
      "*** Update File: old.txt",
      "*** Move to: moved.txt",
      "@@",
      "-a",
      "+b",
      "*** Delete File: gone.txt",
      "*** End Patch",
    ].join("\n");
    const { heard } = heardOf(
      made({ messages: [answer([tool("apply_patch", { status: "running", input: { patchText } })])] }),
    );
    const [call] = heard.filter((one) => one.kind === "call");
    expect(call?.paths.toSorted()).toEqual(["gone.txt", "moved.txt", "new.txt", "old.txt"]);
    expect(call?.edits).toContainEqual({ kind: "write", path: "new.txt", after: "one\n" });
  });

  it("tell the person's words from what was put beside them, a summary from an answer, a limit from a failure", () => {
    const { heard } = heardOf(
      made({
        messages: [
          {
            id: "u",
            data: { role: "user", time: { created: 1 } },
            parts: [
              { type: "text", text: "mine" },
              { type: "text", text: "reminder", synthetic: true },
              { type: "file", mime: "image/png", filename: "a.png", url: "data:image/png;base64,xx" },
            ],
          },
          { ...answer([{ type: "text", text: "so far" }], { summary: true, finish: "stop" }), id: "m1" },
          {
            ...answer([], {
              error: {
                name: "APIError",
                data: { statusCode: 429, responseHeaders: { "retry-after": "60" } },
              },
            }),
            id: "m2",
          },
        ],
      }),
    );
    expect(heard.slice(1)).toMatchObject([
      { kind: "message", from: "person", parts: [{ text: "mine" }, { type: "media", name: "a.png" }] },
      { kind: "message", from: "machinery", id: "u-p1" },
      { kind: "message", from: "machinery", id: "m1" },
      { kind: "compacted", summary: "so far" },
      { kind: "limit", resetsAtMs: 60_002 },
      { kind: "turn-ended", outcome: "failed" },
    ]);
  });

  it("say what the person took back", () => {
    const messages = ["u1", "u2", "u3"].map((id) => ({ id, data: { role: "user" } }));
    const sessions = [{ id: "s", directory: "/w", revert: { messageID: "u2" } }];
    expect(heardOf(made({ messages, sessions })).heard.at(-1)).toMatchObject({ kind: "rewound", to: "u1" });
  });

  it("do no harm with rows of wrong types", () => {
    const path = made({
      messages: [
        { id: "1", data: "not json" },
        { id: "2", data: '{"role":["x"]}' },
        { id: "3", data: '{"role":"assistant","time":7,"error":[],"__proto__":{"summary":true}}' },
        answer([
          null,
          7,
          '{"type":"tool","callID":9}',
          tool("constructor", {
            status: "completed",
            input: [] as unknown as JsonObject,
            time: { start: "x", end: 1e300 },
          }),
          tool(
            "todowrite",
            {
              status: "completed",
              input: { todos: [1, { content: 2 }, { content: "x", status: "__proto__" }] },
            },
            "c2",
          ),
          { type: { deep: [] } },
        ]),
      ],
      sessions: [
        { id: "s", directory: 5, model: "{", revert: "[]", time_created: "soon", time_updated: 1e300 },
      ],
    });
    const { heard, fold } = heardOf(path);
    expect(fold.calls(false).map(({ id }) => id)).toEqual(["c", "c2"]);
    expect(heard.every((one) => one.kind !== "call" || one.does === "other" || one.does === "plan")).toBe(
      true,
    );
  });
});

describe("OpenCode's places", () => {
  it("are its data folder's databases or the one the environment names, with each session's folder; a subagent is no session", () => {
    const sessions = [
      { id: "old", directory: "/w", time_updated: 1 },
      { id: "new", directory: "/x", time_updated: 9 },
      { id: "kid", directory: "/x", parent_id: "new", time_updated: 10 },
    ];
    const path = made({ messages: [], sessions });
    const found = opencodePlaces.find({ home: "/nowhere", env: { OPENCODE_DB: path } }, "/w");
    expect(found.map(({ nativeId, cwd }) => [nativeId, cwd])).toEqual([
      ["new", "/x"],
      ["old", "/w"],
    ]);
    expect(opencodePlaces.find({ home: "/nowhere", env: {} }, "/w")).toEqual([]);
  });
});
