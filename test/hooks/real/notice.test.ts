/** Real agents, offline: the notice is in the next request to the model, once, and not again. */
import { expect, it } from "vitest";
import { agentsRoot } from "../../agents/real/agent-clis.ts";
import { needAgent } from "../../support/needs.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { SCRIPT } from "../recorder.ts";
import { type NoticedAgent, noticeRun } from "./notice-run.ts";

const NOTICED: readonly NoticedAgent[] = ["codex", "gemini", "opencode", "pi", "qwen", "claude"];

/** Without a terminal these print what a hook says to the person; the others keep it for their screens. */
const PRINTED: ReadonlySet<NoticedAgent> = new Set<NoticedAgent>(["gemini", "pi"]);

it.each(NOTICED)(
  "%s, killed in a tool and started again, tells its model of it once, and the session after that not at all; so it tells the person, where it prints that",
  (agent) => {
    needAgent(agent);
    const evidence = noticeRun({ agent, root: agentsRoot(), folder: temporaryFolder(), recorder: SCRIPT });
    expect(evidence.beforeDeath.every((count) => count === 0)).toBe(true);
    expect(evidence.next.length).toBeGreaterThan(0);
    expect(evidence.next.every((count) => count === 1)).toBe(true);
    expect(evidence.afterThat.every((count) => count === 0)).toBe(true);
    // Of Claude Code nobody has looked yet.
    if (agent !== "claude") expect(evidence.seen).toEqual([PRINTED.has(agent), false]);
  },
  300_000,
);

/** One of them in each run, which anybody may install; all of them are minutes. Without a terminal pi runs no extension of a repository. */
const TWICE =
  process.env.REFLOAT_SWEEP === "full" ? NOTICED.filter((agent) => agent !== "pi") : (["qwen"] as const);

it.each(TWICE)(
  "%s with entries of ours in its user's settings and in the repository's calls both, and its model is told once",
  (agent) => {
    needAgent(agent);
    const place = { root: agentsRoot(), folder: temporaryFolder(), recorder: SCRIPT };
    const evidence = noticeRun({ agent, ...place, shared: true });
    expect(evidence.starts).toBe(6);
    expect(evidence.next.length).toBeGreaterThan(0);
    expect(evidence.next.every((count) => count === 1)).toBe(true);
    expect(evidence.afterThat.every((count) => count === 0)).toBe(true);
  },
  300_000,
);
