/** Runs `set-up-inside.ts` in namespaces of its own, from outside. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type AgentName, nodeFolder } from "../../agents/real/agent-clis.ts";
import type { JsonObject } from "../../support/cli.ts";

export interface SetUpOrder {
  readonly agent: AgentName;
  /** Where scripts/setup-agents.mjs put the programs. */
  readonly root: string;
  readonly folder: string;
  readonly refloat: readonly string[];
}

export interface SetUpEvidence {
  readonly code: number | null;
  readonly printed: string;
  /** Of each session. */
  readonly inspected: readonly JsonObject[];
}

export function setUpRun(order: SetUpOrder): SetUpEvidence {
  mkdirSync(order.folder, { recursive: true });
  const path = join(order.folder, "order.json");
  writeFileSync(path, JSON.stringify(order));
  const user = process.getuid?.() === 0 ? [] : ["--user", "--map-root-user"];
  const own = ["--net", "--pid", "--fork", "--kill-child", "--mount-proc"];
  const inside = [join(nodeFolder(order.root), "node"), join(import.meta.dirname, "set-up-inside.ts"), path];
  const { status, stderr } = spawnSync("unshare", [...user, ...own, "--", ...inside], {
    env: { PATH: process.env.PATH ?? "" },
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`${order.agent}: ${stderr.slice(-2000)}`);
  return JSON.parse(readFileSync(join(order.folder, "evidence.json"), "utf8")) as SetUpEvidence;
}
