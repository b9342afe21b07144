/** Our plugin for OpenCode and our extension for pi, loaded as those load them: what they leave in the inbox, and what it is understood as. */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import type { InboxEvent } from "../../src/agents/inbox/format.ts";
import { pluginText } from "../../src/agents/install/commands.ts";
import { agentNamed } from "../../src/agents/registry.ts";
import { agentsHome } from "../init/agents-home.ts";
import { BIN, type JsonObject } from "../support/cli.ts";
import { testRepository } from "../support/git-repository.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { hookedHome, recorded } from "./recorder.ts";

const packaged = (name: string): string =>
  readFileSync(join(import.meta.dirname, "../../hooks", name), "utf8");

async function loaded(home: string, name: "opencode.js" | "pi.js"): Promise<JsonObject> {
  const file = join(temporaryFolder(), `${name}.mjs`);
  writeFileSync(file, pluginText([home], [packaged("inbox-writer.js"), packaged(name)]));
  return (await import(/* @vite-ignore */ pathToFileURL(file).href)) as JsonObject;
}

const understood = ({ agent, event, body }: InboxEvent) =>
  agentNamed(agent)?.hooks?.hear(event, JSON.parse(Buffer.from(body).toString()));

describe("OpenCode's plugin", () => {
  it("says whose subagent a session is, in each of its events, and of the session's own nothing of the kind (S1)", async () => {
    const home = hookedHome();
    const { RefloatRecorder } = await loaded(home, "opencode.js");
    const plugin = await RefloatRecorder({ directory: "/repo", worktree: "/repo" });
    const created = (id: string, more = {}) =>
      plugin.event({ event: { type: "session.created", properties: { info: { id, ...more } } } });
    const calls = (sessionID: string) =>
      plugin["tool.execute.before"]({ tool: "read", sessionID, callID: `c-${sessionID}` }, { args: {} });
    await created("own");
    await created("sub", { parentID: "own", title: "look around" });
    await calls("sub");
    await calls("own");
    await plugin.event({ event: { type: "session.idle", properties: { sessionID: "sub" } } });
    const events = recorded(home).toSorted((a, b) => (a.uptime ?? 0) - (b.uptime ?? 0));
    // The recorder writes a turn's end: its process is that of the session's start.
    for (const { event, pidNamespace, ancestors } of events) {
      expect(ancestors[0]?.pid).toBe(process.pid);
      if (event !== "session.idle") expect(pidNamespace).toMatch(/^pid:/);
    }
    const of = (name: string) => events.filter(({ event }) => event === name).map(understood);
    const sources = of("tool.execute.before").map((heard) => heard?.source);
    expect(sources).toContainEqual(expect.objectContaining({ nativeId: "own", child: "sub" }));
    expect(sources).toContainEqual(expect.objectContaining({ nativeId: "own", child: null }));
    // The subagent's end is not the session's (L7).
    expect(of("session.idle")).toMatchObject([{ source: { nativeId: "own", child: "sub" }, heard: [] }]);
  });
});

describe("pi's extension", () => {
  async function told(message: JsonObject): Promise<InboxEvent> {
    const home = hookedHome();
    const listening = new Map<string, (event: JsonObject, context: JsonObject) => Promise<void>>();
    const extension = (await loaded(home, "pi.js")).default;
    extension({ on: (name: string, listen: never) => listening.set(name, listen) });
    const context = { cwd: "/repo", sessionManager: { getSessionId: () => "s-1" } };
    const messages = [{ role: "user", content: "a long conversation" }, message];
    await listening.get("agent_end")?.({ type: "agent_end", messages }, context);
    const [event] = recorded(home);
    if (event === undefined) throw new Error("nothing was recorded");
    return event;
  }

  it("hands on how the last answer ended and what it said, not the conversation (L7, T5)", async () => {
    const content = [{ type: "text", text: "Done." }];
    const event = await told({ role: "assistant", stopReason: "stop", content });
    expect(Buffer.from(event.body).toString()).not.toContain("a long conversation");
    expect(understood(event)).toMatchObject({
      source: { nativeId: "s-1" },
      heard: [{ kind: "turn-ended", outcome: "completed", answer: "Done." }],
    });
  });

  it.each([
    ["aborted", "cancelled"],
    ["error", "failed"],
  ])("an answer that was %s completes no turn: %s (L7)", async (stopReason, outcome) => {
    const event = await told({ role: "assistant", stopReason, content: [] });
    expect(understood(event)?.heard).toMatchObject([{ kind: "turn-ended", outcome }]);
  });
});

it.each([
  ["opencode.js", "tool.execute.before"],
  ["pi.js", "tool_call"],
] as const)("%s: what a destructive command would take is held before it runs (W4)", async (name, event) => {
  const repo = testRepository();
  repo.write("a.txt", "a\n");
  repo.commit();
  repo.write("made.txt", "nobody has committed this\n");
  const home = hookedHome();
  writeFileSync(join(home, "bin/refloat-program"), `${process.execPath}\n${BIN}\n`);
  process.env.REFLOAT_HOOK_WAIT = "20";
  const plugin = await loaded(home, name);
  const command = "rm -rf made.txt";
  try {
    if (name === "opencode.js") {
      const { [event]: before } = await plugin.RefloatRecorder({ directory: repo.root, worktree: repo.root });
      await before({ tool: "bash", sessionID: "s-1", callID: "c" }, { args: { command } });
    } else {
      const context = { cwd: repo.root, sessionManager: { getSessionId: () => "s-1" } };
      const on = (on: string, listen: (event: JsonObject, context: JsonObject) => Promise<void>) =>
        on === event
          ? calls.push(listen({ toolName: "bash", toolCallId: "c", input: { command } }, context))
          : 0;
      const calls: Promise<void>[] = [];
      plugin.default({ on });
      await Promise.all(calls);
    }
  } finally {
    delete process.env.REFLOAT_HOOK_WAIT;
  }
  expect(recorded(home).map(({ before }) => before?.kind)).toEqual(["held"]);
});

it("Codex hands its server the variables that say where the store is and whose session it is (K5)", async () => {
  const { init, path } = agentsHome([".codex"]);
  await init();
  expect(readFileSync(path(".codex/config.toml"), "utf8")).toMatch(
    /env_vars = \[\s*"REFLOAT_SESSION",\s*"REFLOAT_HOME",\s*"HOME",\s*"PATH",\s*"XDG_STATE_HOME"\s*\]/,
  );
});

describe("the notice by a plugin (DESIGN 9, K2)", () => {
  /** A turn of an agent that is gone: with its first prompt. */
  function cutOff(home: string, cwd: string): void {
    const agent = `require("node:child_process").spawnSync(process.argv[1], ["claude", "UserPromptSubmit"], { input: '{"session_id":"old"}' })`;
    spawnSync(process.execPath, ["-e", agent, join(home, "bin/refloat-hook")], { cwd });
  }

  it("OpenCode's stands beside the first prompt of a session, once, again after its context was shortened, and in no subagent's", async () => {
    const [home, cwd] = [hookedHome(), temporaryFolder()];
    cutOff(home, cwd);
    const { RefloatRecorder } = await loaded(home, "opencode.js");
    const toasts: string[] = [];
    const client = { tui: { showToast: async ({ body }: JsonObject) => toasts.push(body.message) } };
    const plugin = await RefloatRecorder({ directory: cwd, worktree: cwd, client });
    const prompted = async (sessionID: string): Promise<readonly JsonObject[]> => {
      const words = { id: "prt_0123456789abZZ", sessionID, messageID: "msg_1", type: "text", text: "go" };
      const output = { message: { id: "msg_1", sessionID }, parts: [words] };
      await plugin["chat.message"]({ sessionID }, output);
      return output.parts.slice(1);
    };
    const info = { id: "sub", parentID: "other" };
    await plugin.event({ event: { type: "session.created", properties: { info } } });
    expect(await prompted("sub")).toEqual([]);
    const [part, ...more] = await prompted("new");
    expect(more).toEqual([]);
    expect(part).toMatchObject({ sessionID: "new", messageID: "msg_1", type: "text", synthetic: true });
    expect(part?.text).toContain("refloat handoff");
    expect(part?.id.localeCompare("prt_0123456789abZZ")).toBe(1);
    expect(toasts).toHaveLength(1);
    expect(await prompted("new")).toEqual([]);
    await plugin.event({ event: { type: "session.compacted", properties: { sessionID: "new" } } });
    expect((await prompted("new"))[0]?.text).toBe(part?.text);
    expect(await prompted("new")).toEqual([]);
  });

  it("pi's is a message of its own before the first answer, once, and again after its context was shortened", async () => {
    const [home, cwd] = [hookedHome(), temporaryFolder()];
    cutOff(home, cwd);
    const listening = new Map<string, (event: JsonObject, context: JsonObject) => Promise<JsonObject>>();
    (await loaded(home, "pi.js")).default({
      on: (name: string, listen: never) => listening.set(name, listen),
    });
    const notified: string[] = [];
    const ui = { notify: (text: string) => notified.push(text) };
    const context = { cwd, ui, sessionManager: { getSessionId: () => "s-1" } };
    const prompted = async (): Promise<JsonObject | undefined> => {
      await listening.get("input")?.({ type: "input", text: "go" }, context);
      return listening.get("before_agent_start")?.({ type: "before_agent_start" }, context);
    };
    const first = await prompted();
    expect(first?.message.content).toContain("refloat handoff");
    expect(notified).toHaveLength(1);
    expect(await prompted()).toBeUndefined();
    await listening.get("session_compact")?.({ type: "session_compact" }, context);
    expect(await prompted()).toEqual(first);
  });

  it.each([
    ["opencode.js", "session.idle"],
    ["pi.js", "agent_end"],
  ] as const)("%s marks its turns: one that ended is told to nobody", async (name, end) => {
    const [home, cwd] = [hookedHome(), temporaryFolder()];
    const plugin = await loaded(home, name);
    const mark = join(home, "open", cwd, name === "pi.js" ? ".pi.s-1!" : ".opencode.s-1!");
    if (name === "opencode.js") {
      const hooks = await plugin.RefloatRecorder({ directory: cwd, worktree: cwd });
      await hooks["chat.message"]({ sessionID: "s-1" }, { message: {}, parts: [] });
      expect(readFileSync(mark, "utf8")).toContain(`${process.pid} `);
      await hooks.event({ event: { type: end, properties: { sessionID: "s-1" } } });
    } else {
      const listening = new Map<string, (event: JsonObject, context: JsonObject) => Promise<void>>();
      plugin.default({ on: (on: string, listen: never) => listening.set(on, listen) });
      const context = { cwd, sessionManager: { getSessionId: () => "s-1" } };
      await listening.get("input")?.({ text: "go" }, context);
      expect(readFileSync(mark, "utf8")).toContain(`${process.pid} `);
      await listening.get(end)?.({ messages: [] }, context);
    }
    expect(readFileSync(mark, "utf8")).toBe("");
  });
});
