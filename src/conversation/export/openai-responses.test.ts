import { expect, test } from "vitest";
import { end, type Step, sampleView, say, start } from "../../../test/support/sample-view.ts";
import { exportOpenAiResponses } from "./openai-responses.ts";

const thinking = (text: string, encrypted?: string) => ({
  type: "thinking",
  text,
  ...(encrypted ? { encrypted } : {}),
});
const text = (value: string) => ({ type: "text", text: value });

/** The items of an answer in short, without the user's message before it. */
function items(steps: readonly Step[]): string[] {
  const { input } = exportOpenAiResponses(sampleView([say("user", "go"), ...steps]));
  return input.slice(1).map((item) => (item.type === "message" ? String(item.content) : item.type));
}

test("a whole conversation: leading system texts are instructions, later ones messages; no item has an id", () => {
  const steps = [
    say("system", "be kind"),
    say("user", "go"),
    say("assistant", "so"),
    start("a"),
    end("a"),
    say("system", "be brief"),
  ];
  expect(exportOpenAiResponses(sampleView(steps))).toEqual({
    instructions: "be kind",
    input: [
      { type: "message", role: "user", content: [{ type: "input_text", text: "go" }] },
      { type: "message", role: "assistant", content: "so" },
      { type: "function_call", call_id: "a", name: "bash", arguments: '{"command":"ls"}' },
      { type: "function_call_output", call_id: "a", output: "ok" },
      { type: "message", role: "system", content: [{ type: "input_text", text: "be brief" }] },
    ],
  });
});

test("reasoning is kept with what it led to, with its summary when it has a text", () => {
  const view = sampleView([
    say("user", "go"),
    say("assistant", [thinking("looking", "gAAA"), thinking("", "gBBB")]),
    start("a"),
    end("a"),
  ]);
  expect(exportOpenAiResponses(view).input.slice(1, 4)).toEqual([
    { type: "reasoning", summary: [{ type: "summary_text", text: "looking" }], encrypted_content: "gAAA" },
    { type: "reasoning", summary: [], encrypted_content: "gBBB" },
    expect.objectContaining({ type: "function_call" }),
  ]);
});

test("reasoning without encrypted content, or that led to nothing, is left out", () => {
  expect(items([say("assistant", [thinking("looking"), text("so")])])).toEqual(["so"]);
  expect(
    items([say("assistant", [thinking("looking", "gAAA")], { state: "cut-off" }), say("user", "well?")]),
  ).toEqual(["[object Object]"]);
});

test("nothing comes between calls and their outputs, and nothing between reasoning and the call it led to", () => {
  const steps = [
    say("assistant", [thinking("plan", "gAAA")]),
    start("a"),
    say("assistant", [thinking("more", "gBBB"), text("meanwhile")]),
    start("b"),
    end("a"),
    end("b"),
  ];
  expect(items(steps)).toEqual([
    "meanwhile",
    "reasoning",
    "function_call",
    "function_call",
    "function_call_output",
    "function_call_output",
  ]);
});
