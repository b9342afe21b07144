/** The brief in a command line (DESIGN 10): as text, as a path, and never as commands of a shell (T3). */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { typedWithHandoff, withHandoff, wordFiles } from "./brief-file.ts";

const TEXT = "# Handoff\n`touch pwned` $(touch pwned) \"; touch pwned; ' $& $1\n";
const brief = { path: "/h/a b.md", text: TEXT, isEmpty: false };

it("{handoff} is the text and {handoff-file} the path, wherever in a word they stand; what is recorded is what was typed", () => {
  const typed = ["claude", "-p", "{handoff} Go on; see {handoff-file}."];
  const given = withHandoff(typed, brief);
  expect(given.command).toEqual(["claude", "-p", `${TEXT} Go on; see /h/a b.md.`]);
  expect(given.typed).toBe(typed);
  expect(given.childEnv).toEqual({ REFLOAT_HANDOFF_FILE: "/h/a b.md" });
  expect(withHandoff(["x", "{handoff}"], { ...brief, text: "", isEmpty: true })).toMatchObject({
    command: ["x", ""],
    childEnv: {},
  });
});

it.each([
  ["sh", "-c"],
  ["bash", "-lc"],
  ["env", "A=1", "/bin/sh", "-c"],
  ["timeout", "9", "dash", "-ec"],
])("T3: in a script of a shell (%s %s ...) the text is expanded once and run never", (...shell) => {
  const here = temporaryFolder();
  const { command, childEnv } = withHandoff([...shell, 'printf %s "{handoff}" > got; ls > listed'], brief);
  const [file = "", ...args] = command;
  execFileSync(file, args, { cwd: here, env: { PATH: process.env.PATH, ...childEnv } });
  expect(readFileSync(join(here, "got"), "utf8")).toBe(TEXT);
  expect(readFileSync(join(here, "listed"), "utf8")).not.toContain("pwned");
});

it("T6: what is printed of it can be typed: the text comes from its file, in one line", () => {
  const path = join(temporaryFolder(), "it's a brief.md");
  writeFileSync(path, TEXT);
  const line = typedWithHandoff(withHandoff(["printf", "%s|", "a {handoff} b"], { ...brief, path }));
  expect(line).not.toContain("\n");
  expect(execFileSync("sh", ["-c", line], { encoding: "utf8" })).toBe(`a ${TEXT.trimEnd()} b|`);
});

it("T5: a brief that is longer than a word may be is cut at a line, with where all of it is", () => {
  const long = { ...brief, text: `${"x".repeat(99)}\n`.repeat(3000) };
  const [, word = ""] = withHandoff(["x", "{handoff}"], long).command;
  expect(Buffer.byteLength(word)).toBeLessThan(128 * 1024);
  expect(word).toMatch(/x\n\n\(Cut here\. All of it: \/h\/a b\.md\)\n$/);
});

it("T6: a word with lines of its own around the brief is printed by a file that has it to the byte; other words in quotes that know escapes", () => {
  const path = join(temporaryFolder(), "b.md");
  const command = ["printf", "%s|", `[begin]\n${TEXT.trimEnd()}\n[end]\n\nGo on`, "two\nlines\tit's \\n"];
  const shown = ["printf", "%s|", "[begin]\n{handoff}\n[end]\n\nGo on", "two\nlines\tit's \\n"];
  const given = { command, typed: ["printf"], shown, childEnv: {} };
  const line = typedWithHandoff({ ...given, wordFiles: wordFiles(given, { ...brief, path }) });
  expect(line).not.toMatch(/[\n\t]/);
  const printed = execFileSync("bash", ["-c", line], { encoding: "utf8", cwd: temporaryFolder() });
  expect(printed).toBe(`${command[2]}|${command[3]}|`);
});

it.each([
  [["ssh", "box", "claude -p {handoff}"]],
  [["/usr/bin/ssh", "box", "sh", "-c", 'claude -p "{handoff}"']],
  [["su", "me", "-c", "claude -p {handoff}"]],
  [["runuser", "-u", "me", "--command", "claude -p {handoff}"]],
])("T3: {handoff} is refused where a shell that no variable reaches would read it: %j", (words) => {
  expect(() => withHandoff(words, brief)).toThrow(expect.objectContaining({ code: "E_USAGE" }));
  // A prompt that says so is text, and its path is no text of anybody's.
  expect(withHandoff(["ssh", "box", "cat {handoff-file}"], brief).command).toContain("cat /h/a b.md");
  expect(withHandoff(["ssh", "{handoff}"], brief, new Set([1])).command).toEqual(["ssh", "{handoff}"]);
});
