/** Runs `notice-inside.ts` in namespaces of its own, from outside. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { nodeFolder } from "../../agents/real/agent-clis.ts";

export type NoticedAgent = "claude" | "codex" | "gemini" | "opencode" | "pi" | "qwen";

export interface NoticeOrder {
  readonly agent: NoticedAgent;
  /** Where scripts/setup-agents.mjs put the programs. */
  readonly root: string;
  readonly folder: string;
  readonly recorder: string;
  /** The repository's committed file has entries of ours as well (`init --shared`). */
  readonly shared?: boolean;
}

/** How often the notice stands in each request to the model. */
export interface NoticeEvidence {
  readonly beforeDeath: readonly number[];
  readonly next: readonly number[];
  readonly afterThat: readonly number[];
  /** How often the recorder was called for a session's start, or its first prompt. */
  readonly starts: number;
  /** The person's line stands in what the agent printed: at the next start, and at the one after that. */
  readonly seen: readonly [next: boolean, afterThat: boolean];
}

export function noticeRun(order: NoticeOrder): NoticeEvidence {
  mkdirSync(order.folder, { recursive: true });
  const path = join(order.folder, "order.json");
  writeFileSync(path, JSON.stringify(order));
  const user = process.getuid?.() === 0 ? [] : ["--user", "--map-root-user"];
  const own = ["--net", "--pid", "--fork", "--kill-child", "--mount-proc"];
  const inside = [join(nodeFolder(order.root), "node"), join(import.meta.dirname, "notice-inside.ts"), path];
  const { status, stderr } = spawnSync("unshare", [...user, ...own, "--", ...inside], {
    env: { PATH: process.env.PATH ?? "" },
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`${order.agent}: ${stderr.slice(-2000)}`);
  return JSON.parse(readFileSync(join(order.folder, "evidence.json"), "utf8")) as NoticeEvidence;
}
