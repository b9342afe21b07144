import { describe, expect, it } from "vitest";
import { claude } from "./claude/agent.ts";
import { codex } from "./codex/agent.ts";
import { gemini } from "./gemini/agent.ts";
import { pi } from "./pi/agent.ts";
import { qwen } from "./qwen/agent.ts";
import { AGENTS } from "./registry.ts";
import type { AgentAdapter, Landing } from "./words/adapter.ts";

const HOME = { home: "/home/u", env: {} };
const ID = "01a1dd04-e3b9-42d3-8a64-373f8cf12428";

const landing = (agent: AgentAdapter, path: string, cwd: string | null = "/there"): Landing | undefined =>
  agent.places.lands?.(HOME, { nativeId: ID, path, cwd, folder: "/here/repo" });

describe("where a conversation of another machine is put", () => {
  it("is where its agent looks for it from the folder here, under the name the agent gave it", () => {
    const rollout = `rollout-2026-11-15T02-24-07-${ID}.jsonl`;
    expect(landing(claude, `/root/.claude/projects/-there/${ID}.jsonl`)).toEqual({
      ...{ kind: "at", path: `/home/u/.claude/projects/-here-repo/${ID}.jsonl`, isMoved: false },
    });
    expect(landing(codex, `C:\\codex\\sessions\\2026\\11\\15\\${rollout}`)).toEqual({
      ...{ kind: "at", path: `/home/u/.codex/sessions/2026/11/15/${rollout}`, isMoved: false },
    });
    expect(landing(pi, `/x/--there--/2026_${ID}.jsonl`)).toEqual({
      ...{ kind: "at", path: `/home/u/.pi/agent/sessions/--here-repo--/2026_${ID}.jsonl`, isMoved: true },
    });
    expect(landing(pi, `/x/--here-repo--/2026_${ID}.jsonl`, "/here/repo")).toMatchObject({ isMoved: false });
    expect(landing(gemini, "/x/chats/session-2026-11-16T12-35-982200f4.jsonl")).toMatchObject({
      path: `/home/u/.gemini/tmp/refloat-${ID}/chats/session-2026-11-16T12-35-982200f4.jsonl`,
    });
    const qwens = `/root/.qwen/projects/-here-repo/chats/${ID}.jsonl`;
    expect(landing(qwen, qwens, "/here/repo")).toMatchObject({
      path: `/home/u/.qwen/projects/-here-repo/chats/${ID}.jsonl`,
    });
    expect(landing(qwen, qwens)).toMatchObject({ kind: "nowhere" });
  });

  it("is nowhere for a name that is not of the agent's form: nothing that came with it leads out of its folder (T2)", () => {
    const hostile = [
      "/x/../../../etc/passwd",
      "/x/chats/..",
      "",
      `/x/rollout-a-${ID}.jsonl`,
      "/x/a\0b.jsonl",
    ];
    for (const agent of AGENTS)
      for (const path of hostile)
        for (const nativeId of ["../../x", "", "a/b", "x".repeat(5000)]) {
          const brought = { nativeId, path, cwd: "/here/repo", folder: "/here/repo" };
          expect(agent.places.lands?.(HOME, brought).kind ?? "nowhere", `${agent.name} ${path}`).toBe(
            "nowhere",
          );
        }
  });

  it("is said by every agent that can be started", () => {
    for (const { launch, places, name } of AGENTS)
      expect(places.lands !== undefined, name).toBe(launch !== null);
  });
});
