/** The prompt of a queue's item in a worker's command line: one word, and nothing that a shell reads (T3). */
import { expect, it } from "vitest";
import { withHandoff } from "../handoff/brief-file.ts";
import { asksItself } from "../run/continue-agent.ts";
import { assertPromptWords, withPrompt } from "./prompt-words.ts";

const PROMPT = "$(touch pwned); {handoff} {prompt}";

it("is a word of its own, an option's value, or a quoted variable of a shell's script", () => {
  expect(withPrompt(["claude", "-p", "--", "{prompt}"], PROMPT).command).toEqual([
    ...["claude", "-p", "--", PROMPT],
  ]);
  expect(withPrompt(["x", "--message={prompt}"], "-v").command).toEqual(["x", "--message=-v"]);
  expect(withPrompt(["sh", "-c", 'a "{prompt}"'], PROMPT).command).toEqual([
    ...["sh", "-c", `a "\${REFLOAT_PROMPT-}"`],
  ]);
  expect(withPrompt(["sh", "-c", 'a "$1"', "sh", "{prompt}"], PROMPT).command.at(-1)).toBe(PROMPT);
});

it.each([
  [["ssh", "box", "claude -p {prompt}"]],
  [["ssh", "box", "claude", "-p", "{prompt}"]],
  [["su", "me", "-c", "claude -p {prompt}"]],
  [["bash", "-c", "-e", 'claude -p "{prompt}"']],
  [["sh", "-c", "claude -p {prompt}"]],
  [["sh", "-c", "{prompt}"]],
  [["sh", "-c", 'ssh box "claude -p {prompt}"']],
])("T3: is refused where some shell would read it: %j", (words) => {
  expect(() => assertPromptWords(words)).toThrow(
    expect.objectContaining({ code: "E_USAGE", message: expect.stringContaining("REFLOAT_PROMPT") }),
  );
});

it("T3: a place for the brief in the prompt is the prompt's own text; one of the command is filled", () => {
  const { command, verbatim } = withPrompt(["x", "{handoff}", "{prompt}"], PROMPT);
  const brief = { path: "/b.md", text: "the brief", isEmpty: false };
  expect(withHandoff(command, brief, verbatim).command).toEqual(["x", "the brief", PROMPT]);
  expect(asksItself(command, verbatim)).toBe(true);
  const other = withPrompt(["x", "{prompt}"], PROMPT);
  expect(asksItself(other.command, other.verbatim)).toBe(false);
});
