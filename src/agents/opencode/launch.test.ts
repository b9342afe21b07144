/** OpenCode's command line: the user's flags stay, the prompt gives way, the brief is told apart. */
import { describe, expect, it } from "vitest";
import { GO_ON } from "../words/go-on.ts";
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
    expect(made?.command.at(-1)).toMatch(
      /^\[refloat: [^\n]+\nThis is how things stand now[^\n]+\nwhat was\n\[refloat: end[^\n]+\n\nGo on with/,
    );
    expect(made?.brief).toBe("before-prompt");
  });
  it("in a new conversation keeps the prompt behind the brief", () => {
    expect(opencodeLaunch.startWith(COMMAND, "what was")?.command.at(-1)).toMatch(/\n\ndo the work$/);
    expect(opencodeLaunch.startWith(["opencode", "run", "--format", "json"], "x")).toBeNull();
  });
  it("has the brief as instructions of this start alone, where the file is known: nothing of it stays in the conversation", () => {
    const around = { file: "/h/b.md", env: {}, hasAllFlags: true, version: null };
    const made = opencodeLaunch.resume("ses_1", COMMAND, "what was", around);
    expect(made?.command.at(-1)).toBe(GO_ON);
    expect(made?.env).toEqual({ OPENCODE_CONFIG_CONTENT: '{"instructions":["/h/b.md"]}' });
    const env = { OPENCODE_CONFIG_CONTENT: '{"model":"a/b","instructions":["mine.md"]}' };
    expect(opencodeLaunch.startWith(COMMAND, "what was", { ...around, env })).toMatchObject({
      brief: "instructions-file",
      env: { OPENCODE_CONFIG_CONTENT: '{"model":"a/b","instructions":["mine.md","/h/b.md"]}' },
    });
    // What nobody can read is not written over.
    const unread = { ...around, env: { OPENCODE_CONFIG_CONTENT: "{ // mine" } };
    expect(opencodeLaunch.resume("ses_1", COMMAND, "what was", unread)?.brief).toBe("before-prompt");
  });
  it("on its screen is told to go on in a new conversation; one that goes on waits for the person, and its other commands have none", () => {
    const around = { file: "/h/b.md", env: {}, hasAllFlags: true, version: null };
    expect(opencodeLaunch.startWith(["opencode"], "x", around)?.command).toEqual([
      "opencode",
      "--prompt",
      GO_ON,
    ]);
    expect(opencodeLaunch.resume("ses_1", ["opencode", "."], "x", around)).toMatchObject({
      command: ["opencode", "--session", "ses_1", "."],
      brief: "instructions-file",
    });
    expect(opencodeLaunch.resume("ses_1", ["opencode", "."], "x")).toBeNull();
    expect(opencodeLaunch.startWith(["opencode", "serve"], "x", around)).toBeNull();
  });
  it("knows its program behind env and npx, and its stream by its format", () => {
    expect(opencodeLaunch.recognizes(["env", "A=1", "npx", "opencode-ai@1.18.33", "run", "x"])).toBe(true);
    expect(opencodeLaunch.recognizes(["echo", "opencode"])).toBe(false);
    expect(opencodeLaunch.stream(["opencode", "run", "x"])).toBeNull();
    expect(opencodeLaunch.stream(COMMAND)).not.toBeNull();
  });
});
