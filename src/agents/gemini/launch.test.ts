/** Gemini's command line and live stream: the process we start is the agent, and its calls are heard before they are over. */
import { describe, expect, it } from "vitest";
import { briefBefore, GO_ON } from "../words/go-on.ts";
import { geminiLaunch } from "./launch.ts";

const COMMAND = [
  "node",
  "/x/@google/gemini-cli/bundle/gemini.js",
  "-m",
  "a",
  "--yolo",
  "-o",
  "stream-json",
  "-p",
  "do it",
];
const SESSION = { id: "s", attempt: 1 };

describe("starting Gemini", () => {
  it("S2: keeps it from starting itself a second time, with an id of ours where the user chose none", () => {
    const made = geminiLaunch.agent().prepare(COMMAND, SESSION);
    expect(made.env).toEqual({ GEMINI_CLI_NO_RELAUNCH: "true" });
    expect(made.command.slice(2, 4)).toEqual(["--session-id", made.nativeId]);
    for (const words of [["--resume", "latest"], ["mcp", "list"], ["--list-sessions"]])
      expect(geminiLaunch.agent().prepare(["gemini", ...words], SESSION)).toMatchObject({
        command: ["gemini", ...words],
        nativeId: null,
      });
  });
});

describe("going on with Gemini", () => {
  it("is by its id with the user's flags, the brief before a fixed sentence", () => {
    const made = geminiLaunch.resume("id-1", [...COMMAND, "--session-id", "old"], "what was");
    expect(made?.command.slice(0, 10)).toEqual([
      ...COMMAND.slice(0, 2),
      "--resume",
      "id-1",
      ...COMMAND.slice(2, 8),
    ]);
    expect(made?.command.at(-1)).toMatch(/what was\n.*\n\nGo on with/);
    expect(made?.command).toHaveLength(11);
  });
  it("on its own screen is by a prompt that leaves the screen there; its other commands have no conversation", () => {
    const made = geminiLaunch.resume("id-1", ["gemini", "--yolo"], "what was");
    expect(made?.command.slice(0, 5)).toEqual(["gemini", "--resume", "id-1", "--yolo", "-i"]);
    expect(made?.command.at(-1)).toMatch(/what was\n.*\n\nGo on with/);
    expect(geminiLaunch.resume("id-1", ["gemini", "mcp", "list"], "x")).toBeNull();
  });
  it("in a new conversation keeps the prompt behind the brief", () => {
    expect(geminiLaunch.startWith(COMMAND, "x")?.command.at(-1)).toMatch(/\n\ndo it$/);
    expect(geminiLaunch.startWith(["gemini", "-o", "text"], "x")).toBeNull();
    expect(geminiLaunch.startWith(["gemini"], "x")?.command).toEqual([
      "gemini",
      "-i",
      briefBefore("x", GO_ON),
    ]);
  });
});

describe("Gemini's stream", () => {
  it("has text as it grows, calls before they are over, and an end of its own", () => {
    const reader = geminiLaunch.stream(COMMAND);
    const heard = [
      { type: "init", session_id: "s", model: "m" },
      { type: "message", role: "user", content: "do it" },
      { type: "message", role: "assistant", content: "I ", delta: true },
      { type: "message", role: "assistant", content: "do", delta: true },
      { type: "tool_use", tool_name: "run_shell_command", tool_id: "c", parameters: { command: "x" } },
      { type: "tool_result", tool_id: "c", status: "error", error: { type: "x", message: "no" } },
      { type: "message", role: "assistant", content: "sorry", delta: true },
      { type: "result", status: "success" },
    ].flatMap((line) => reader?.read(line) ?? []);
    expect(heard).toMatchObject([
      { kind: "session", nativeId: "s", model: "m" },
      { kind: "delta", id: "answer-1", text: "I " },
      { kind: "delta", id: "answer-1", text: "do" },
      { kind: "delta-over", id: "answer-1" },
      { kind: "call", id: "c", does: "execute" },
      { kind: "result", call: "c", status: "failed", output: "no" },
      { kind: "delta", id: "answer-2" },
      { kind: "delta-over", id: "answer-2" },
      { kind: "turn-ended", outcome: "completed", proof: "record" },
    ]);
  });
});
