import { expect, test } from "vitest";
import { end, type Step, sampleView, say, start } from "../../../test/support/sample-view.ts";
import type { View } from "../../model/view.ts";
import { exportAnthropic } from "./anthropic.ts";
import { BEGINS_NOTE, EARLIER_NOTE, EMPTY_RESULT, SUMMARY_LABEL, SYSTEM_LABEL } from "./round-content.ts";

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";
const thinking = (text: string, signature?: string) => ({
  type: "thinking",
  text,
  ...(signature ? { signature } : {}),
});
const text = (value: string) => ({ type: "text", text: value });

function messages(steps: readonly Step[], more: Partial<View> = {}) {
  return exportAnthropic(sampleView(steps, more)).messages;
}

/** The types of the blocks of the first answer. */
function answer(steps: readonly Step[]): string[] {
  const found = messages([say("user", "go"), ...steps]).find((message) => message.role === "assistant");
  return found?.content.map((block) => (block.type === "text" ? block.text : block.type)) ?? [];
}

test("an empty view is an empty list of messages and has no system", () => {
  expect(exportAnthropic(sampleView([]))).toEqual({ messages: [] });
});

test("system texts at the beginning are the system field, later ones user text under a label, never a system message", () => {
  const view = sampleView([
    say("system", "be kind"),
    say("system", "be brief"),
    say("user", "hi"),
    say("assistant", "hi"),
    say("system", "be late"),
  ]);
  expect(exportAnthropic(view)).toEqual({
    system: "be kind\n\nbe brief",
    messages: [
      { role: "user", content: [text("hi")] },
      { role: "assistant", content: [text("hi")] },
      { role: "user", content: [text(SYSTEM_LABEL), text("be late")] },
    ],
  });
});

test("a view that begins with the assistant gets a note before it, which says whether earlier messages are left out", () => {
  const greeting = [say("assistant", "hello")];
  expect(messages(greeting)[0]).toEqual({ role: "user", content: [text(BEGINS_NOTE)] });
  expect(messages(greeting, { earlier: 12 })[0]).toEqual({ role: "user", content: [text(EARLIER_NOTE)] });
  expect(messages(greeting, { earlier: null })[0]).toEqual({ role: "user", content: [text(EARLIER_NOTE)] });
});

test("a view that begins with a summary needs no note", () => {
  const summary = say("user", "much was done", { isSummary: true });
  expect(messages([summary, say("assistant", "next")])[0]).toEqual({
    role: "user",
    content: [text(SUMMARY_LABEL), text("much was done")],
  });
});

test("results come first in one message with what was said meanwhile and after", () => {
  const steps = [
    say("user", "go"),
    start("a"),
    start("b"),
    say("user", "faster"),
    end("b", ""),
    end("a"),
    say("user", "then stop"),
  ];
  expect(messages(steps).at(-1)).toEqual({
    role: "user",
    content: [
      { type: "tool_result", tool_use_id: "a", content: [text("ok")] },
      { type: "tool_result", tool_use_id: "b", content: [text(EMPTY_RESULT)] },
      text("faster"),
      text("then stop"),
    ],
  });
});

test("an input that is no object is wrapped, a result that is no text is JSON text", () => {
  const steps = [say("user", "go"), start("a", { input: [1, "two"] }), end("a", { exit: 0 })];
  const [, call, result] = messages(steps);
  expect(call?.content).toMatchObject([{ type: "tool_use", input: { value: [1, "two"] } }]);
  expect(result?.content).toMatchObject([{ content: [text('{"exit":0}')] }]);
});

test("a result's images are sent as images, but not with an error, which may hold text only", () => {
  const output = [text("see"), { type: "media", media_type: "image/png", data: PNG }];
  const result = (status: "done" | "failed") =>
    messages([say("user", "go"), start("a"), end("a", output, { status })]).at(-1);
  expect(result("done")?.content).toMatchObject([{ content: [text("see"), { type: "image" }] }]);
  expect(result("failed")?.content).toMatchObject([
    { is_error: true, content: [text("see"), { type: "text" }] },
  ]);
});

test("an answer that ends on text is trimmed at its end, one followed by calls is left as it is", () => {
  expect(answer([say("assistant", " so: \n")])).toEqual([" so:"]);
  expect(answer([say("assistant", "so: "), start("a"), end("a")])).toEqual(["so: ", "tool_use"]);
});

test("signed thinking is sent verbatim and first; text moves before the calls and thinking never moves", () => {
  const signed = thinking(" I see\n", "c2ln");
  expect(messages([say("user", "go"), say("assistant", [signed, text("so")])])[1]?.content[0]).toEqual({
    type: "thinking",
    thinking: " I see\n",
    signature: "c2ln",
  });
  expect(
    answer([say("assistant", [signed]), start("a"), say("assistant", "so"), start("b"), end("a"), end("b")]),
  ).toEqual(["thinking", "so", "tool_use", "tool_use"]);
  expect(
    answer([
      say("assistant", [signed]),
      start("a"),
      say("assistant", [signed]),
      start("b"),
      end("a"),
      end("b"),
    ]),
  ).toEqual(["thinking", "tool_use", "thinking", "tool_use"]);
  expect(
    answer([say("assistant", [signed]), start("a"), say("assistant", [signed, text("so")]), end("a")]),
  ).toEqual(["thinking", "so", "tool_use"]);
});

test("thinking that is unsigned, empty or not first is left out, and with one torn block all of its message's", () => {
  expect(answer([say("assistant", [thinking("I see"), text("so")])])).toEqual(["so"]);
  expect(answer([say("assistant", [thinking("", "c2ln"), text("so")])])).toEqual(["so"]);
  expect(answer([say("assistant", [text("so"), thinking("I see", "c2ln"), text("then")])])).toEqual([
    "so",
    "then",
  ]);
  expect(
    answer([say("assistant", [thinking("I see", "c2ln"), text("so"), thinking("and", ""), text("then")])]),
  ).toEqual(["so", "then"]);
  expect(
    answer([
      say("assistant", [thinking("I see", "c2ln"), { type: "redacted_thinking", data: "x" }, text("so")]),
    ]),
  ).toEqual(["so"]);
});
