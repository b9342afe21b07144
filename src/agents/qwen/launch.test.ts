/** Qwen's command line and live stream. */
import { describe, expect, it } from "vitest";
import { qwenLaunch } from "./launch.ts";

const COMMAND = ["qwen", "--auth-type", "openai", "--yolo", "--output-format", "stream-json", "-p", "do it"];

describe("going on with Qwen", () => {
  it("is by its id with the user's flags, the brief in the system prompt and a fixed sentence for a prompt", () => {
    expect(qwenLaunch.resume("id-1", [...COMMAND, "--continue"], "what was")).toEqual({
      command: [
        "qwen",
        "--resume",
        "id-1",
        "--append-system-prompt",
        "what was",
        ...COMMAND.slice(1, -1),
        expect.stringMatching(/^Go on with/),
      ],
      brief: "system-prompt-flag",
    });
  });
  it("keeps what the user adds to the system prompt, and the prompt of a new conversation", () => {
    const made = qwenLaunch.startWith([...COMMAND, "--append-system-prompt", "be brief"], "what was");
    expect(made?.command.slice(0, 3)).toEqual(["qwen", "--append-system-prompt", "be brief\n\nwhat was"]);
    expect(made?.command.slice(3)).toEqual(COMMAND.slice(1));
    expect(qwenLaunch.startWith(["qwen", "mcp", "list"], "x")).toBeNull();
  });
  it("on its own screen is told to go on by a prompt that leaves the screen there", () => {
    expect(qwenLaunch.resume("id-1", ["qwen"], "what was")?.command).toEqual([
      ...["qwen", "--resume", "id-1", "--append-system-prompt", "what was", "-i"],
      expect.stringMatching(/^Go on with/),
    ]);
    expect(qwenLaunch.startWith(["qwen", "-o", "text"], "x")?.command).not.toContain("-i");
  });
  it("begins with an id of ours where the user chose none", () => {
    const made = qwenLaunch.agent().prepare(COMMAND, { id: "s", attempt: 1 });
    expect(made.command.slice(0, 3)).toEqual(["qwen", "--session-id", made.nativeId]);
    expect(qwenLaunch.agent().prepare([...COMMAND, "-c"], { id: "s", attempt: 1 }).nativeId).toBeNull();
  });
});

describe("Qwen's stream", () => {
  it("has growing text once, and made-up results as such", () => {
    const reader = qwenLaunch.stream(COMMAND);
    const text = { type: "text", text: "I do" };
    const heard = [
      { type: "stream_event", event: { type: "message_start", message: { id: "m1" } } },
      {
        type: "stream_event",
        event: { type: "content_block_delta", delta: { type: "text_delta", text: "I do" } },
      },
      { type: "assistant", message: { id: "m1", content: [text] } },
      {
        type: "assistant",
        message: { id: "m2", content: [text, { type: "tool_use", id: "c", name: "edit", input: {} }] },
      },
      {
        type: "user",
        message: {
          content: [
            { type: "tool_result", tool_use_id: "c", is_error: true, content: "[Operation Cancelled] x" },
          ],
        },
      },
      { type: "result", subtype: "error_during_execution", is_error: true },
    ].flatMap((line) => reader?.read(line) ?? []);
    expect(heard).toMatchObject([
      { kind: "delta", id: "m1", text: "I do" },
      { kind: "delta-over", id: "m1" },
      { kind: "delta", id: "m2" },
      { kind: "delta-over", id: "m2" },
      { kind: "call", id: "c", does: "edit" },
      { kind: "result", call: "c", status: "cancelled", origin: "synthetic" },
      { kind: "turn-ended", outcome: "failed", proof: "record" },
    ]);
  });
});
