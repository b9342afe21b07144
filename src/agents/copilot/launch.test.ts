import { describe, expect, it } from "vitest";
import { briefBefore, GO_ON } from "../words/go-on.ts";
import { copilotLaunch } from "./launch.ts";

const session = { id: "s", attempt: 1 };

describe("Copilot CLI's id", () => {
  it("is chosen where the user chose none", () => {
    const { command, nativeId } = copilotLaunch
      .agent()
      .prepare(["copilot", "-p", "do it", "--yolo"], session);
    expect(command).toEqual(["copilot", "--session-id", nativeId, "-p", "do it", "--yolo"]);
  });

  it.each([
    [["copilot", "--session-id", "x", "-p", "do it"]],
    [["copilot", "--resume=x", "-p", "do it"]],
    [["copilot", "--continue"]],
    [["copilot", "update"]],
    [["copilot", "--model", "x", "mcp", "list"]],
    [["copilot", "--acp"]],
    [["copilot", "--version"]],
  ])("is left alone: %j", (command) => {
    expect(copilotLaunch.agent().prepare(command, session).command).toEqual(command);
  });
});

describe("going on", () => {
  const asked = briefBefore("BRIEF", GO_ON);

  it.each([
    [
      ["copilot", "-p", "do it", "--allow-all-tools", "--model", "m"],
      ["-p", asked, "--allow-all-tools", "--model", "m"],
    ],
    [["copilot", "--prompt=do it", "--session-id", "OLD"], [`--prompt=${asked}`]],
    [
      ["copilot", "--continue", "-i", "do it"],
      ["-i", asked],
    ],
    [
      ["copilot", "--allow-tool", "write", "-p", "do it"],
      ["--allow-tool", "write", "-p", asked],
    ],
    [
      ["copilot", "--yolo"],
      ["-i", asked, "--yolo"],
    ],
  ])("keeps the flags of %j and not its prompt", (command, kept) => {
    expect(copilotLaunch.resume("ID", command, "BRIEF")).toEqual({
      command: ["copilot", "--resume=ID", ...kept],
      brief: "before-prompt",
    });
  });

  it("knows no way for what is no work here", () => {
    expect(copilotLaunch.resume("ID", ["copilot", "mcp", "list"], "BRIEF")).toBeNull();
    expect(copilotLaunch.resume("ID", ["copilot", "--acp"], "BRIEF")).toBeNull();
  });

  it("a new conversation has the brief before its prompt; without one there is no place for it", () => {
    expect(copilotLaunch.startWith(["copilot", "--resume", "OLD", "-p", "do it"], "BRIEF")).toEqual({
      command: ["copilot", "-p", briefBefore("BRIEF", "do it")],
      brief: "before-prompt",
    });
    expect(copilotLaunch.startWith(["copilot", "--yolo"], "BRIEF")?.command).toEqual([
      ...["copilot", "-i", briefBefore("BRIEF", GO_ON), "--yolo"],
    ]);
    expect(copilotLaunch.startWith(["copilot", "mcp", "list"], "BRIEF")).toBeNull();
  });
});
