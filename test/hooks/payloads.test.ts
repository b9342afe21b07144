/**
 * What real agents' hooks told, event by event (test/hooks/payloads, by version and by what was done to the agent), held as golden files:
 * a change of a table shows here as a change of words. Then the traps, each by name.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { observedEvent } from "../../src/agents/inbox/observed-event.ts";
import { HookedWork } from "../../src/agents/journal/hooked-work.ts";
import { AGENTS, agentNamed } from "../../src/agents/registry.ts";
import type { Heard } from "../../src/agents/words/heard.ts";
import type { HeardHook } from "../../src/agents/words/hooks.ts";
import { encodeJson, type JsonObject } from "../../src/model/json.ts";
import { changed, odd } from "../agents/hostile-json.ts";
import { linesOf } from "../agents/stream-fixture.ts";
import fc from "../support/fast-check.ts";

const PAYLOADS = join(import.meta.dirname, "payloads");

interface Told extends HeardHook {
  readonly event: string;
}

function told(agent: string, file: string): readonly Told[] {
  const lines = readFileSync(join(PAYLOADS, agent, `${file}.jsonl`), "utf8")
    .trimEnd()
    .split("\n");
  return lines.map((line) => {
    const { event, payload } = JSON.parse(line) as { event: string; payload: JsonObject };
    const hooks = agentNamed(agent)?.hooks;
    if (!hooks) throw new Error(`${agent} has no hooks`);
    return { event, ...hooks.hear(event, payload) };
  });
}

function workOf(agent: string, file: string): HookedWork {
  const work = new HookedWork();
  for (const heard of told(agent, file).flatMap((one) => one.heard)) work.hear(heard);
  return work;
}

const WAITING = {
  ...{ atMs: null, uptime: 1, cwd: "/work/repo", mark: null, boot: null, pidNamespace: null },
  ...{ ancestors: [], before: null, held: null, cutAt: null, others: [] },
};

const kindsOf = (heard: readonly Heard[]): readonly string[] => heard.map(({ kind }) => kind);

const HOOKED = AGENTS.filter(({ hooks }) => hooks !== null).map(({ name }) => name);

describe.each(HOOKED)("the hooks of %s", (agent) => {
  const files = readdirSync(join(PAYLOADS, agent)).map((name) => name.replace(/\.jsonl$/, ""));

  it.each(files)("in %s mean what the golden file has", async (file) => {
    const all = told(agent, file);
    await expect(`${JSON.stringify(all, null, 1)}\n`).toMatchFileSnapshot(
      join(import.meta.dirname, "golden", `${agent}-${file}.json`),
    );
  });

  it.each(files)("in %s all tell of one session in one folder", (file) => {
    const sources = told(agent, file).filter(({ source }) => source.nativeId !== null);
    expect(new Set(sources.map(({ source }) => source.nativeId)).size).toBe(1);
    expect(new Set(sources.map(({ source }) => source.cwd))).toEqual(new Set(["/work/repo"]));
  });

  it.each(files.filter((file) => file.endsWith("-clean")))(
    "in %s have a prompt, calls with their results, and the end record of the turn (L7)",
    (file) => {
      const { turns } = workOf(agent, file);
      expect(turns).toHaveLength(1);
      expect(turns[0]?.prompt?.parts).toEqual([
        { type: "text", text: expect.stringContaining("SCENARIO:clean") },
      ]);
      expect(turns[0]?.calls.length).toBeGreaterThan(0);
      expect(turns[0]?.calls.filter(({ result }) => result?.status !== "done")).toEqual([]);
      expect(turns[0]?.end?.outcome).toBe("completed");
    },
  );

  it.each(files.filter((file) => file.endsWith("-killed-in-tool")))(
    "in %s name the call that was open, and no end of the turn or of the program",
    (file) => {
      const work = workOf(agent, file);
      expect(work.isInCall).toBe(true);
      expect(work.hasEnded).toBe(false);
      const open = work.last?.calls.filter(({ result }) => result === null);
      expect(open?.map(({ call }) => call.does)).toEqual(["execute"]);
      expect(JSON.stringify(open?.[0]?.call.input)).toContain("sleep 3600");
    },
  );

  it("of an unknown name, or with a payload of nonsense, say nothing and throw nothing", () => {
    const hooks = agentNamed(agent)?.hooks;
    const nonsense: readonly JsonObject[] = [
      {},
      { session_id: 3, tool_input: [], tool_response: "x", timestamp: {} },
      { sessionId: null, toolArgs: "{", toolResult: [], event: [], properties: 1, input: "", output: "" },
    ];
    expect(hooks?.hear("NotYetInvented", { a: 1 }).heard).toEqual([]);
    for (const { name } of hooks?.events ?? [])
      for (const payload of nonsense) expect(() => hooks?.hear(name, payload)).not.toThrow();
  });

  it("with any value of a real payload in the place of any other become a record, or are nobody's, and throw nothing (T3, D6)", () => {
    const hooks = agentNamed(agent)?.hooks;
    if (!hooks) throw new Error(`${agent} has no hooks`);
    const lines = files.flatMap((file) => linesOf(join(PAYLOADS, agent, `${file}.jsonl`)));
    const steps = fc.record({
      at: fc.nat(),
      path: fc.array(fc.nat(40), { minLength: 1, maxLength: 6 }),
      put: odd,
    });
    fc.assert(
      fc.property(steps, ({ at, path, put }) => {
        const { event, payload } = lines[at % lines.length] as JsonObject;
        const body = Buffer.from(JSON.stringify(changed(payload, path, put)) ?? "");
        const observed = observedEvent({ ...WAITING, agent, event: String(event), body }, hooks);
        if (observed) expect(() => encodeJson(observed.body)).not.toThrow();
      }),
      { numRuns: 300 },
    );
  });
});

/** Made by hand: no real agent was seen to tell of these (docs/hooks.md). */
describe.each(["claude", "codex", "qwen"])("a subagent and a compaction of %s, by their fields", (agent) => {
  const about = { session_id: "s", cwd: "/work/repo" };
  const hear = (event: string, more: JsonObject): readonly Heard[] =>
    agentNamed(agent)?.hooks?.hear(event, { ...about, ...more }).heard ?? [];

  it("begin and end a child of its session, and a compaction that may be called off shortens nothing", () => {
    const child = { agent_id: "a1", agent_type: "Explore" };
    expect(hear("SubagentStart", child)).toMatchObject([
      { kind: "child", id: "a1", label: "Explore", state: "begun" },
    ]);
    expect(hear("SubagentStop", child)).toMatchObject([{ kind: "child", id: "a1", state: "done" }]);
    expect(hear("SubagentStop", {})).toEqual([]);
    expect(hear("PreCompact", { trigger: "auto" })).toEqual([]);
    if (agent !== "qwen") expect(kindsOf(hear("PostCompact", { trigger: "auto" }))).toEqual(["compacted"]);
  });
});

describe("the traps of hooks", () => {
  it("Gemini's PreCompress, which comes before every call of its model, shortens nothing", () => {
    const storm = told("gemini", "0.61.0-clean").filter(({ event }) => event === "PreCompress");
    expect(storm.length).toBeGreaterThan(2);
    expect(storm.flatMap(({ heard }) => heard)).toEqual([]);
  });

  it("Qwen's empty prompts after each tool are nobody's words and begin no turn", () => {
    const prompts = told("qwen", "0.24.4-clean").filter(({ event }) => event === "UserPromptSubmit");
    expect(prompts.map(({ heard }) => kindsOf(heard))).toEqual([["message"], [], []]);
    expect(workOf("qwen", "0.24.4-clean").turns).toHaveLength(1);
  });

  it("Qwen's result for a call that a signal cut off is made up: what the call did is not known (T2)", () => {
    const failed = told("qwen", "0.24.4-sigint-in-tool").find(({ event }) => event === "PostToolUseFailure");
    expect(failed?.heard).toMatchObject([{ kind: "result", status: "cancelled", origin: "synthetic" }]);
  });

  it.each(["0.61.0-sigint-in-tool", "0.61.0-killed-in-tool"])(
    "Gemini in %s has an open call that its transcript never has",
    (file) => {
      expect(workOf("gemini", file).isInCall).toBe(true);
    },
  );

  it.each(["1.0.102-sigint-in-tool", "1.0.102-sigterm-in-tool"])(
    "Copilot's sessionEnd `complete` in %s ends the program and no turn (L7)",
    (file) => {
      const end = told("copilot", file).at(-1);
      expect(end).toMatchObject({ event: "sessionEnd", heard: [{ kind: "ended" }] });
      const work = workOf("copilot", file);
      expect(work.last?.end).toBeNull();
      expect(work.isInCall).toBe(true);
    },
  );

  it.each(["0.166.0", "0.160.0"])(
    "Codex's Interrupt of %s is a cancelled turn, no completed one",
    (version) => {
      const work = workOf("codex", `${version}-sigint-in-tool`);
      expect(work.last?.end?.outcome).toBe("cancelled");
      expect(work.hasEnded).toBe(true);
    },
  );

  it.each(["2.1.325-sigint-in-tool", "2.1.325-sigterm-in-tool", "2.1.300-sigint-in-tool"])(
    "Claude's SessionEnd `other` in %s, without a PostToolUse before it, leaves the call open (L7)",
    (file) => {
      const work = workOf("claude", file);
      expect(work.hasEnded).toBe(true);
      expect(work.isInCall).toBe(true);
      expect(work.last?.end).toBeNull();
    },
  );
});
