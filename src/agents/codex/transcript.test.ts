/** Traps of Codex's rollout files: each line here has the form of one from a real run (0.166.0), or of its source where that says so. */
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../model/json.ts";
import { HeardFold } from "../transcript/fold-heard.ts";
import { briefBefore, GO_ON } from "../words/go-on.ts";
import type { Heard } from "../words/heard.ts";
import { codexTranscript } from "./transcript.ts";

const META = { type: "session_meta", payload: { id: "t1", cwd: "/r", cli_version: "0.166.0" } };
const event = (type: string, more: JsonObject = {}): JsonObject => ({
  type: "event_msg",
  payload: { type, ...more },
});
const item = (payload: JsonObject): JsonObject => ({ type: "response_item", payload });
const user = (text: string, origin?: string): JsonObject =>
  item({
    type: "message",
    role: "user",
    id: `m-${text.slice(0, 8)}`,
    content: [{ type: "input_text", text }],
    ...(origin === undefined
      ? {}
      : {
          internal_chat_message_metadata_passthrough: {
            content_item_metadata: [{ provenance: { type: origin } }],
          },
        }),
  });
const call = (id: string, cmd: string, name = "exec_command", more: JsonObject = {}): JsonObject =>
  item({ type: "function_call", name, call_id: id, arguments: JSON.stringify({ cmd, ...more }) });
const output = (id: string, text: string): JsonObject =>
  item({ type: "function_call_output", call_id: id, output: text });
const ended = (id: string, exit: number, text = ""): JsonObject =>
  event("item_completed", {
    item: {
      type: "CommandExecution",
      id,
      command: ["/bin/bash", "-lc", "x"],
      exit_code: exit,
      aggregated_output: text,
    },
  });

function heard(...lines: JsonObject[]): { readonly all: readonly Heard[]; readonly fold: HeardFold } {
  const reader = codexTranscript.reader();
  const all = [META, ...lines].flatMap((line) => reader.read(line));
  const fold = new HeardFold();
  for (const one of all) fold.hear(one);
  return { all, fold };
}
const results = (all: readonly Heard[]): unknown[] =>
  all.flatMap((one) => (one.kind === "result" ? [[one.call, one.status]] : []));
const froms = (all: readonly Heard[]): unknown[] =>
  all.flatMap((one) => (one.kind === "message" ? [one.from] : []));

describe("a command of Codex's", () => {
  it("D4: has one end, although it is told twice, in either order", () => {
    const told = output("c1", "Chunk ID: 1\nProcess exited with code 0\nOutput:\nhi\n");
    expect(results(heard(call("c1", "x"), ended("c1", 0), told).all)).toEqual([["c1", "done"]]);
    const aborted = output("c1", "Wall time: 3.3 seconds\naborted by user");
    const { all, fold } = heard(
      call("c1", "x"),
      aborted,
      event("turn_aborted", { reason: "interrupted" }),
      ended("c1", -1),
    );
    expect(results(all)).toEqual([["c1", "cancelled"]]);
    expect(fold.status(false)).toBe("cancelled-by-user");
  });

  it("K2: that goes on after its call came back is open until it ends, whoever hears of it", () => {
    const running = output("c1", "Wall time: 1 seconds\nProcess running with session ID 77\nOutput:\nup\n");
    expect(heard(call("c1", "serve"), running).fold.status(false)).toBe("dirty-in-tool");
    const done = event("task_complete");
    expect(heard(call("c1", "serve"), running, done, ended("c1", -1)).fold.status(false)).toBe("ended-clean");
    const asked = call("c2", "", "write_stdin", { session_id: 77 });
    const over = output("c2", "Process exited with code 3\nOutput:\n");
    expect(results(heard(call("c1", "serve"), running, asked, over).all)).toEqual([
      ["c1", "failed"],
      ["c2", "failed"],
    ]);
  });

  it("T3: what it printed is not taken for Codex's own words about it", () => {
    const fake = output(
      "c1",
      "Process exited with code 0\nOutput:\nProcess running with session ID 9\nExit code: 1\n",
    );
    expect(results(heard(call("c1", "x"), fake).all)).toEqual([["c1", "done"]]);
    const older = output("c1", JSON.stringify({ output: "no", metadata: { exit_code: 2 } }));
    expect(results(heard(call("c1", "x"), older).all)).toEqual([["c1", "failed"]]);
  });
});

describe("what stands in the user's mouth", () => {
  it("is the person's only where Codex says so, or where an older one did not put it there", () => {
    expect(froms(heard(user("do it", "user"), user("<environment_context>", "harness")).all)).toEqual([
      "person",
      "machinery",
    ]);
    expect(
      froms(
        heard(user("do it"), user("<environment_context>\n"), user("# AGENTS.md instructions for /r")).all,
      ),
    ).toEqual(["person", "machinery", "machinery"]);
    // Only the program says whose words these are, not the words.
    expect(froms(heard(user("<turn_aborted> what is that?", "user")).all)).toEqual(["person"]);
  });

  it("is ours where we put the brief before it, and the prompt behind it is the person's", () => {
    expect(froms(heard(user(briefBefore("the brief", GO_ON), "user")).all)).toEqual(["machinery"]);
    const { all } = heard(user(briefBefore("the brief", "do it"), "user"));
    expect(
      all.flatMap((one) => (one.kind === "message" ? [[one.from, one.parts.at(-1)]] : [])).at(-1),
    ).toEqual(["person", { type: "text", text: "do it" }]);
  });
});

describe("Codex's own story", () => {
  it("L7: a turn is completed by its end record and not by a last answer; one with an error failed", () => {
    const answer = item({
      type: "message",
      role: "assistant",
      id: "a",
      content: [{ type: "output_text", text: "done" }],
    });
    expect(heard(event("task_started"), answer).fold.status(false)).toBe("dirty-in-stream");
    expect(heard(event("task_started"), answer, event("task_complete")).fold.status(false)).toBe(
      "ended-clean",
    );
    const failed = event("task_complete", {
      error: { message: "x", codex_error_info: "usage_limit_exceeded" },
    });
    expect(heard(event("task_started"), failed).all.map(({ kind }) => kind)).toContain("limit");
  });

  it("says a limit only when it is reached, with the time the spent window ends", () => {
    const limits = (type: string | null): JsonObject =>
      event("token_count", {
        rate_limits: {
          rate_limit_reached_type: type,
          primary: { used_percent: 100, resets_at: 1_800_000_000 },
          secondary: null,
        },
      });
    expect(heard(limits(null)).all.map(({ kind }) => kind)).toEqual(["session"]);
    expect(heard(limits("rate_limit_reached")).all.at(-1)).toEqual({
      ...{ kind: "limit", resetsAtMs: 1_800_000_000_000, at: null },
    });
  });

  it("goes back to the message before the turns that were taken back", () => {
    const say = (id: string): JsonObject =>
      item({ type: "message", role: "assistant", id, content: [{ type: "output_text", text: id }] });
    const { all } = heard(
      user("one", "user"),
      say("a1"),
      user("two", "user"),
      say("a2"),
      event("thread_rolled_back", { num_turns: 1 }),
    );
    expect(all.at(-1)).toEqual({ kind: "rewound", to: "a1", at: null });
  });

  it("D4: a record without an id gets the same one each time it is read", () => {
    const older = item({ type: "message", role: "user", content: [{ type: "input_text", text: "do it" }] });
    const ids = [heard(older), heard(older)].map(({ all }) =>
      all.flatMap((one) => (one.kind === "message" ? [one.id] : [])),
    );
    expect(ids[0]).toEqual(ids[1]);
    expect(ids[0]?.[0]).toMatch(/^made-/);
  });

  it("numbers its records, and the head of a fork's parent is not its own", () => {
    expect(codexTranscript.reader().links({ ordinal: 7 })).toEqual({ id: null, ordinal: 7 });
    const parent = { type: "session_meta", payload: { id: "t0", cwd: "/other" } };
    expect(heard(parent).fold.session).toMatchObject({ nativeId: "t1", cwd: "/r" });
  });
});
