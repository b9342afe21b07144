/**
 * What `init` puts where so that an agent tells us what it does, started as it always was. Which files and which entries is each agent's
 * own table; how they are merged and taken out again is `../install/`. Nothing here writes.
 */
import type { JsonObject } from "../../model/json.ts";
import type { TomlValues } from "../../text/edit-toml.ts";
import type { AgentHome } from "./agent-home.ts";

/** `user`: his own files. `repo`: the repository's file that git ignores. `shared`: the one that is committed, for everybody. */
export type InstallScope = "user" | "repo" | "shared";

export interface InstallPlace {
  readonly where: AgentHome;
  /** The folder of the workspace, for the two scopes that lie in it. */
  readonly root: string;
  readonly scope: InstallScope;
  /** The shell command of an event's hook. */
  command(event: string): string;
  /** How our own program is started by absolute path or by name; null: it is not installed, or no server is wanted. */
  readonly server: readonly [program: string, ...words: string[]] | null;
  /** The text of a file that is ours as a whole, made of the package's file of this name. */
  ownFile(name: "opencode.js" | "pi.js"): string;
}

/** One thing that is ours in a file that is not. */
export type InstallForm =
  /** Groups of hooks at `hooks.EVENT`, members of the objects named. */
  | {
      readonly kind: "json";
      readonly hooks: readonly HookEntry[];
      readonly members: readonly MemberEntry[];
      readonly syntax: SettingsSyntax;
    }
  | { readonly kind: "toml"; readonly table: readonly string[]; readonly values: TomlValues }
  /** A file of ours alone. */
  | { readonly kind: "own"; readonly text: string }
  /** Lines between two marks, at the end of a file for shells. */
  | { readonly kind: "block"; readonly lines: readonly string[] };

export interface HookEntry {
  readonly event: string;
  readonly group: JsonObject;
}

export interface MemberEntry {
  /** Of the object it is in, from the top. */
  readonly at: readonly string[];
  readonly key: string;
  readonly value: JsonObject;
}

export interface InstallFile {
  readonly path: string;
  readonly form: InstallForm;
  /** What it is for, in words for a screen: "9 hooks", "MCP server". */
  readonly what: string;
}

export interface AgentInstall {
  /** Its own folder: where it is, the user has the agent. */
  folder(where: AgentHome): string;
  /** Empty: nothing can be put into this scope. */
  files(place: InstallPlace): readonly InstallFile[];
  /** What only the user can do, or must know, one sentence each. */
  readonly afterwards?: Readonly<Partial<Record<InstallScope, readonly string[]>>>;
}

/** How long an agent waits for one of our hooks: ours end in milliseconds, so this is reached only where the machine stands still. */
export const HOOK_SECONDS = 10;

const LABEL = "MCP server";

/** Claude's form, which Codex and (in milliseconds) Gemini and Qwen share. */
export const hookGroups = (
  events: readonly string[],
  { command }: InstallPlace,
  timeout: (event: string) => number = () => HOOK_SECONDS,
): readonly HookEntry[] =>
  events.map((event) => ({
    event,
    group: { hooks: [{ type: "command", command: command(event), timeout: timeout(event) }] },
  }));

export const hooksText = (events: readonly string[]): string => `${events.length} hooks`;

/** A server of ours in a file with `mcpServers`; none in files others read: it would fail for whoever has no refloat. */
export function serverMember({ server, scope }: InstallPlace, more: JsonObject = {}): readonly MemberEntry[] {
  if (server === null || scope !== "user") return [];
  const [command, ...args] = server;
  return [{ at: ["mcpServers"], key: "refloat", value: { ...more, command, args } }];
}

/**
 * What an agent reads of its settings beyond plain JSON, as its own program was seen to: nothing; comments, and no comma before the end of
 * a list; both. A file that it does not read is one that it ignores or ends at, with everything in it.
 */
export type SettingsSyntax = "strict" | "comments" | "comments-and-commas";

/** One JSON file, left out where nothing would go into it. */
export function jsonFile(
  path: string,
  syntax: SettingsSyntax,
  hooks: readonly HookEntry[],
  members: readonly MemberEntry[],
): readonly InstallFile[] {
  if (hooks.length + members.length === 0) return [];
  const parts = [
    ...(hooks.length === 0 ? [] : [hooksText(hooks.map(({ event }) => event))]),
    ...(members.length === 0 ? [] : [LABEL]),
  ];
  return [{ path, form: { kind: "json", hooks, members, syntax }, what: parts.join(", ") }];
}
