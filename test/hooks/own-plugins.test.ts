/** Our plugin for OpenCode and our extension for pi, loaded as those load them: what they leave in the inbox, and what it is understood as. */
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
    for (const event of events) expect(event.pidNamespace).toMatch(/^pid:/);
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
