/** A user's home with the folders of every agent that can be set up, and `init` and `uninstall` in it, with the MCP server on. */
import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { type EndedInit, type InitOrder, init } from "../../src/app/agents/init.ts";
import { type EndedUninstall, type UninstallOrder, uninstall } from "../../src/app/agents/uninstall.ts";
import { openPlace } from "../../src/app/place/open-place.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** Files that are others' and get entries of ours, and in which form. */
export const JSON_FILES = [
  ".claude/settings.json",
  ".claude.json",
  ".codex/hooks.json",
  ".gemini/settings.json",
  ".qwen/settings.json",
  ".copilot/mcp-config.json",
  ".config/opencode/opencode.json",
] as const;
export const TOML_FILE = ".codex/config.toml";
export const YAML_FILE = ".continue/config.yaml";
export const OWN_FILES = [
  ".copilot/hooks/refloat.json",
  ".config/opencode/plugin/refloat.js",
  ".pi/agent/extensions/refloat.ts",
] as const;

const FOLDERS = [
  ".claude",
  ".codex",
  ".gemini",
  ".qwen",
  ".copilot",
  ".config/opencode",
  ".pi/agent",
  ".continue",
];

export interface AgentsHome {
  readonly home: string;
  /** The store's folder. */
  readonly own: string;
  path(name: string): string;
  init(order?: Partial<InitOrder>): Promise<EndedInit>;
  uninstall(order?: Partial<UninstallOrder>): Promise<EndedUninstall>;
}

export function agentsHome(folders: readonly string[] = FOLDERS): AgentsHome {
  const home = temporaryFolder();
  for (const folder of folders) mkdirSync(join(home, folder), { recursive: true });
  const env = { PATH: process.env.PATH, HOME: home };
  const place = () => openPlace({ place: () => home, env, store: null });
  return {
    home,
    own: join(home, ".local/state/refloat"),
    path: (name) => join(home, name),
    init: (order = {}) =>
      init(place(), {
        ...{ agents: [], scope: "user", shell: false, hasServer: true, isDryRun: false },
        ask: async () => "yes",
        ...order,
      }),
    uninstall: (order = {}) =>
      uninstall(place(), {
        ...{ purge: false, dropUnsettled: false, isDryRun: false },
        ask: async () => "yes",
        ...order,
      }),
  };
}

/** Every name below it with its kind, mode and content: what must be the same again. */
export function treeOf(folder: string): Readonly<Record<string, string>> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted();
  return Object.fromEntries(
    names.map((name) => {
      const path = join(folder, name);
      const stat = lstatSync(path);
      const mode = (stat.mode & 0o7777).toString(8);
      if (stat.isSymbolicLink()) return [name, `link ${readlinkSync(path)}`];
      if (stat.isDirectory()) return [name, `folder ${mode}`];
      return [name, `file ${mode} ${createHash("sha256").update(readFileSync(path)).digest("hex")}`];
    }),
  );
}
