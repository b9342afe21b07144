/**
 * An agent that init set up dies and is gone on with by `resume`, whose command names the conversation: what its hooks tell and what its
 * transcript tells of that try is one story, in that try, told once (D3, D4, L7).
 */
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { plainSession } from "../agents/plain-session.ts";
import type { JsonObject } from "../support/cli.ts";

/** Claude Code as far as it matters here: it goes on with the conversation it is told to, calls a tool, answers and calls its hooks. */
const CLAUDE = `#!/usr/bin/env node
const { spawnSync } = require("node:child_process");
const { appendFileSync, readFileSync } = require("node:fs");
const { join } = require("node:path");
const id = process.argv[process.argv.indexOf("--resume") + 1];
const projects = join(process.env.HOME, ".claude/projects");
const file = join(projects, process.cwd().replaceAll(/[^A-Za-z0-9]/g, "-"), id + ".jsonl");
const { hooks = {} } = JSON.parse(readFileSync(join(process.env.HOME, ".claude/settings.json"), "utf8"));
const about = { session_id: id, transcript_path: file, cwd: process.cwd() };
const hook = (event, more) => {
  for (const group of hooks[event] ?? []) for (const { command } of group.hooks)
    spawnSync("sh", ["-c", command], { input: JSON.stringify({ ...about, ...more }) });
};
let parent = null;
const line = (type, message, more = {}) => {
  const uuid = "go-" + Math.random().toString(16).slice(2);
  const row = { parentUuid: parent, isSidechain: false, type, message, uuid, ...more };
  appendFileSync(file, JSON.stringify({ ...row, timestamp: new Date().toISOString(), cwd: about.cwd, sessionId: id, version: "2.1.325" }) + "\\n");
  parent = uuid;
};
const tool = { name: "Bash", id: "toolu_again", input: { command: "make it" } };
const called = { tool_name: tool.name, tool_input: tool.input, tool_use_id: tool.id };
hook("SessionStart", { source: "resume" });
hook("UserPromptSubmit", { prompt: process.argv.at(-1), prompt_id: "p2" });
line("user", { role: "user", content: process.argv.at(-1) });
hook("PreToolUse", called);
line("assistant", { role: "assistant", id: "m1", model: "claude-x", content: [{ type: "tool_use", ...tool }], stop_reason: "tool_use" });
hook("PostToolUse", { ...called, tool_response: { stdout: "made", stderr: "", interrupted: false } });
line("user", { role: "user", content: [{ type: "tool_result", tool_use_id: tool.id, content: "made" }] }, { toolUseResult: { stdout: "made", stderr: "", interrupted: false } });
line("assistant", { role: "assistant", id: "m2", model: "claude-x", content: [{ type: "text", text: "It is made." }], stop_reason: "end_turn" });
line("system", undefined, { subtype: "turn_duration", durationMs: 5 });
// Looked at between what was said and the word that the turn is over, which becomes no record.
spawnSync("sleep", ["2"]);
line("system", undefined, { subtype: "turn_duration", durationMs: 6 });
hook("Stop", { stop_hook_active: false, last_assistant_message: "It is made." });
hook("SessionEnd", { reason: "other" });
console.log("It is made.");
`;

it.each([
  ["with its hooks", true],
  ["without hooks", false],
])(
  "what a try of resume did is told once, in that try, and its turn is completed, %s (D4, L7)",
  async (_how, hasHooks) => {
    const session = plainSession("claude/killed-in-tool");
    const { home, place, repo, refloat } = session;
    const bin = join(home, "programs");
    mkdirSync(bin);
    writeFileSync(join(bin, "claude"), CLAUDE);
    chmodSync(join(bin, "claude"), 0o755);
    writeFileSync(join(home, ".claude/settings.json"), "{}");
    if (hasHooks) await refloat("init", "--agent", "claude", "--yes");
    const env = { HOME: home, PATH: `${bin}:${process.env.PATH}` };
    const ran = await place.refloat(["resume"], { cwd: repo.root, env });
    expect(ran.stderr + ran.stdout).toContain("It is made.");
    // Whoever looks afterwards finds nothing new, however often.
    for (const command of ["status", "sessions", "status"]) await refloat(command);
    const shown: JsonObject = JSON.parse(await refloat("show", "--json"));
    expect(shown.attempts).toHaveLength(2);
    const turns: readonly JsonObject[] = shown.turns;
    expect(turns).toMatchObject([{ outcome: "interrupted" }, { outcome: "completed" }]);
    const calls: readonly JsonObject[] = shown.calls;
    expect(calls.filter((one) => JSON.stringify(one).includes("make it"))).toMatchObject([
      { status: "done" },
    ]);
  },
);
