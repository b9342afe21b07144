/** What real agents with hooks are told to do, and what refloat says of it afterwards. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { agentsRoot, nodeFolder } from "../../agents/real/agent-clis.ts";
import { BIN, type JsonObject } from "../../support/cli.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import type { HookedAgent } from "./prepare-hooks.ts";

export interface HookedRun {
  readonly agent: HookedAgent;
  readonly script: "clean" | "tool" | "parallel" | "remove";
  readonly isKilled: boolean;
}

export interface HookedOrder {
  readonly runs: readonly HookedRun[];
  readonly folder: string;
  readonly root: string;
  readonly refloat: readonly string[];
}

export interface HookedEvidence {
  /** What stood above the payloads in the inbox when the agents were killed. */
  readonly heads: readonly string[];
  readonly sessions: JsonObject;
  /** Those that were taken before a command: what it was, and what is in each, by path. */
  readonly held: readonly { readonly before: string; readonly files: Readonly<Record<string, string>> }[];
  /** What is in the repository at the end. */
  readonly files: readonly string[];
  /** By session. */
  readonly inspected: Readonly<Record<string, JsonObject>>;
}

export async function runHooked(...runs: readonly HookedRun[]): Promise<HookedEvidence> {
  const root = agentsRoot();
  const folder = temporaryFolder();
  const order: HookedOrder = { runs, folder, root, refloat: [process.execPath, BIN] };
  mkdirSync(folder, { recursive: true });
  const path = join(folder, "order.json");
  writeFileSync(path, JSON.stringify(order));
  const user = process.getuid?.() === 0 ? [] : ["--user", "--map-root-user"];
  const own = ["--net", "--pid", "--fork", "--kill-child", "--mount-proc"];
  const inside = [join(nodeFolder(root), "node"), join(import.meta.dirname, "inside.ts"), path];
  const child = spawn("unshare", [...user, ...own, "--", ...inside], {
    env: { PATH: process.env.PATH ?? "" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (piece: string) => {
    said += piece;
  });
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`${runs.map(({ agent }) => agent).join(", ")}: ${said.slice(-2000)}`);
  return JSON.parse(readFileSync(join(folder, "evidence.json"), "utf8")) as HookedEvidence;
}
