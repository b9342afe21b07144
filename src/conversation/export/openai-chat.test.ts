import { expect, test } from "vitest";
import { end, sampleView, say, start } from "../../../test/support/sample-view.ts";
import { exportOpenAiChat } from "./openai-chat.ts";
import { FAILED_PREFIX, INTERRUPTED } from "./round-content.ts";

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";

test("a whole conversation: system texts in place, calls beside the text, one tool message for each call", () => {
  const steps = [
    say("system", "be kind"),
    say("user", "go"),
    say("assistant", "both"),
    start("a"),
    start("b", { tool: "mcp.read", input: null }),
    say("system", "be careful"),
    end("b", [1]),
    end("a"),
    say("assistant", "done"),
  ];
  const call = (id: string, name: unknown, input: string) => ({
    id,
    type: "function",
    function: { name, arguments: input },
  });
  expect(exportOpenAiChat(sampleView(steps)).messages).toEqual([
    { role: "system", content: "be kind" },
    { role: "user", content: "go" },
    {
      role: "assistant",
      content: "both",
      tool_calls: [
        call("a", "bash", '{"command":"ls"}'),
        call("b", expect.stringMatching(/^rf-mcp_read-/), "{}"),
      ],
    },
    { role: "tool", tool_call_id: "a", content: "ok" },
    { role: "tool", tool_call_id: "b", content: "[1]" },
    { role: "system", content: "be careful" },
    { role: "assistant", content: "done" },
  ]);
});

test("calls without text have null for content, never an empty text", () => {
  const { messages } = exportOpenAiChat(sampleView([say("user", "go"), start("a"), end("a")]));
  expect(messages[1]).toMatchObject({ role: "assistant", content: null, tool_calls: [{ id: "a" }] });
});

test("several texts stay apart as parts, so that nothing is glued or added between them", () => {
  const two = [
    { type: "text", text: "one" },
    { type: "text", text: "two" },
  ];
  const { messages } = exportOpenAiChat(sampleView([say("user", two), say("assistant", two)]));
  expect(messages).toEqual([
    { role: "user", content: two },
    { role: "assistant", content: two },
  ]);
});

test("an image is a part of a user's message, and a placeholder in a result", () => {
  const image = { type: "media", media_type: "image/png", data: PNG };
  const { messages } = exportOpenAiChat(sampleView([say("user", [image]), start("a"), end("a", [image])]));
  expect(messages[0]).toEqual({
    role: "user",
    content: [{ type: "image_url", image_url: { url: `data:image/png;base64,${PNG}` } }],
  });
  expect(messages.at(-1)).toEqual({
    role: "tool",
    tool_call_id: "a",
    content: "[attachment left out: image/png]",
  });
});

test("a failure says so in words, because nothing else marks it here; what was not seen to fail is not called failed", () => {
  const result = (more: { status: "failed" | "interrupted" | "unknown-outcome"; isSynthetic?: boolean }) =>
    exportOpenAiChat(sampleView([say("user", "go"), start("a"), end("a", "boom", more)])).messages.at(-1)
      ?.content;
  expect(result({ status: "failed" })).toBe(`${FAILED_PREFIX}\nboom`);
  expect(result({ status: "interrupted" })).toBe(`${INTERRUPTED}\nboom`);
  expect(result({ status: "unknown-outcome", isSynthetic: true })).toMatch(/^\[Outcome unknown/);
});
