/**
 * The agents that were measured, as fakes: each killed with SIGKILL in the middle of its tool, under `run`. One test
 * per row of the table in docs/run.md.
 */
import { describe, expect, it } from "vitest";
import { endOf, isAlive, type Plan, scene, until } from "./run-scene.ts";

interface Row {
  readonly agent: string;
  readonly plan: Plan;
  /** Calls without a result in the journal after the kill. */
  readonly orphans: readonly string[];
}

const ROWS: readonly Row[] = [
  { agent: "Claude Code", plan: { tool: "session", calls: "one" }, orphans: ["slow"] },
  { agent: "Codex", plan: { tool: "die-with", calls: "one" }, orphans: ["slow"] },
  { agent: "OpenCode", plan: { tool: "session", calls: "one", ignores: ["SIGTERM"] }, orphans: ["slow"] },
  { agent: "Gemini CLI", plan: { tool: "session", calls: "none", reexec: true }, orphans: [] },
  { agent: "pi", plan: { tool: "session", calls: "batch" }, orphans: ["fast", "slow"] },
  { agent: "Qwen Code", plan: { tool: "session", calls: "batch", clear: true }, orphans: ["fast", "slow"] },
  { agent: "Continue cn", plan: { tool: "group", calls: "none" }, orphans: [] },
  { agent: "Copilot CLI", plan: { tool: "session", calls: "one" }, orphans: ["slow"] },
];

describe.each(ROWS)("an agent like $agent, killed in its tool", ({ plan, orphans }) => {
  it("leaves no writer behind, its open calls in the journal, its last whole line, and others alone (S2, C4)", async () => {
    const stage = scene();
    const child = stage.start({ ...plan, says: ["first line", "last whole line"], tail: "half a li" });
    const ended = endOf(child);
    const tool = Number(await stage.noted("tool"));
    const pid = Number(await stage.noted(plan.reexec ? "wrapper" : "agent"));
    // A child without the mark is known once it was seen.
    if (plan.clear) await seen(stage.place.home, tool);
    process.kill(pid, "SIGKILL");
    const { code } = await ended;
    expect(code).toBe(137);
    expect(isAlive(tool)).toBe(false);
    expect(isAlive(Number(await stage.noted("agent")))).toBe(false);
    expect(isAlive(stage.bystander)).toBe(true);
    stage.go();
    expect(stage.half()).toBe("begin\n");
    expect(stage.report()).toMatchObject({
      exit_code: 137,
      whose: "agent",
      why: "signal",
      signal: "SIGKILL",
      state: "interrupted",
      cause: "crash",
      last_output: "first line\nlast whole line",
      recorded: true,
      troubles: [],
    });
    const { json } = await stage.place.json(["show", String(stage.report().session)]);
    const open = json.calls.filter(({ status }: { status: string }) => status !== "done");
    expect(open.map(({ id }: { id: string }) => id)).toEqual(orphans);
  });
});

async function seen(home: string, pid: number): Promise<void> {
  const { execFileSync } = await import("node:child_process");
  const grep = (): string =>
    execFileSync("sh", ["-c", `cat ${home}/runs/*/seen.json || true`], { encoding: "utf8" });
  await until(() => grep().includes(`"pid":${pid},`), `${pid} seen`);
}
