/** Runs `upgraded-inside.ts` in namespaces of its own, from outside. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type AgentName, nodeFolder } from "../../agents/real/agent-clis.ts";
import type { JsonObject } from "../../support/cli.ts";

export interface UpgradeOrder {
  readonly agent: AgentName;
  /** Where scripts/setup-agents.mjs put the programs. */
  readonly older: string;
  /** Left out: it is not upgraded. */
  readonly newer?: string;
  readonly folder: string;
  readonly refloat: readonly string[];
}

export interface Ran {
  readonly code: number | null;
  /** What its hooks told meanwhile, by the names in the inbox. */
  readonly events: readonly string[];
  /** How often the notice stood in each request to the model. */
  readonly notices: readonly number[];
}

export interface UpgradeEvidence {
  /** Killed in a tool and started again, in the older version and in the newer one; then after `uninstall`. */
  readonly lives: readonly { readonly killed: Ran; readonly next: Ran }[];
  readonly without: Ran;
  /** Of its home's files, outside of our own folder, those that still call us after `uninstall`. */
  readonly left: readonly string[];
  readonly sessions: readonly JsonObject[];
  /** In the same order. */
  readonly inspected: readonly JsonObject[];
}

export function upgradeRun(order: UpgradeOrder): UpgradeEvidence {
  mkdirSync(order.folder, { recursive: true });
  const path = join(order.folder, "order.json");
  writeFileSync(path, JSON.stringify(order));
  const user = process.getuid?.() === 0 ? [] : ["--user", "--map-root-user"];
  const own = ["--net", "--pid", "--fork", "--kill-child", "--mount-proc"];
  const node = join(nodeFolder(order.newer ?? order.older), "node");
  const inside = [node, join(import.meta.dirname, "upgraded-inside.ts"), path];
  const { status, stderr } = spawnSync("unshare", [...user, ...own, "--", ...inside], {
    env: { PATH: process.env.PATH ?? "" },
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`${order.agent}: ${stderr.slice(-2000)}`);
  return JSON.parse(readFileSync(join(order.folder, "evidence.json"), "utf8")) as UpgradeEvidence;
}
