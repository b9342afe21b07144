/** OpenCode's command line: the user's flags stay, the prompt gives way, the brief is told apart. */
import { describe, expect, it } from "vitest";
import { opencodeLaunch } from "./launch.ts";

const COMMAND = ["opencode", "run", "--format", "json", "--model", "a/b", "do the work", "-c"];

describe("going on with OpenCode", () => {
  it("is by its id with the user's flags, the brief before a fixed sentence and no word of the old prompt", () => {
    const made = opencodeLaunch.resume("ses_1", COMMAND, "what was");
    expect(made?.command.slice(0, 8)).toEqual([
      "opencode",
      "run",
      "--session",
      "ses_1",
      "--format",
      "json",
      "--model",
      "a/b",
    ]);
    expect(made?.command).toHaveLength(9);
    expect(made?.command.at(-1)).toMatch(/^\[refloat: [^\n]+\nwhat was\n\[refloat: end[^\n]+\n\nGo on with/);
    expect(made?.brief).toBe("before-prompt");
  });
  it("in a new conversation keeps the prompt behind the brief", () => {
    expect(opencodeLaunch.startWith(COMMAND, "what was")?.command.at(-1)).toMatch(/\n\ndo the work$/);
    expect(opencodeLaunch.startWith(["opencode", "run", "--format", "json"], "x")).toBeNull();
  });
  it("is not tried with a TUI, whose prompt was never seen to arrive", () => {
    expect(opencodeLaunch.resume("ses_1", ["opencode", "."], "x")).toBeNull();
  });
  it("knows its program behind env and npx, and its stream by its format", () => {
    expect(opencodeLaunch.recognizes(["env", "A=1", "npx", "opencode-ai@1.18.33", "run", "x"])).toBe(true);
    expect(opencodeLaunch.recognizes(["echo", "opencode"])).toBe(false);
    expect(opencodeLaunch.stream(["opencode", "run", "x"])).toBeNull();
    expect(opencodeLaunch.stream(COMMAND)).not.toBeNull();
  });
});
