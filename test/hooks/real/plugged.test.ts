/**
 * Our plugins for Claude Code and Codex and our extension for Gemini CLI, with the real programs, offline: added from a local folder, heard of, and taken away.
 * What is there afterwards is what was there before, but for what the agent keeps for itself.
 */
import { join } from "node:path";
import { expect, it } from "vitest";
import { agentsRoot } from "../../agents/real/agent-clis.ts";
import { inNamespaces } from "../../agents/real/run-situation.ts";
import { needAgent } from "../../support/needs.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import type { PlugEvidence, PlugOrder } from "./plugged-inside.ts";

interface Plugged extends Pick<PlugOrder, "agent" | "mine"> {
  /** What the agent keeps of its own where it has had a plugin: names it makes, and files of its own that it writes anew. */
  readonly keeps: readonly RegExp[];
  /** What it makes of the user's file meanwhile: only what is empty. */
  readonly mineAfter: string;
}

const SETTINGS = { path: ".claude/settings.json", text: '{\n  "model": "opus"\n}\n' };
const TOML = { path: ".codex/config.toml", text: '# mine\nmodel = "gpt-5"\n' };
const COMMENTED = { path: ".gemini/settings.json", text: '{\n  // mine\n  "ui": {}\n}\n' };

const PLUGGED: readonly Plugged[] = [
  { agent: "codex", mine: TOML, keeps: [], mineAfter: TOML.text },
  {
    ...{ agent: "gemini", mine: COMMENTED, mineAfter: COMMENTED.text },
    keeps: [
      /^\.gemini\/(?:extension_integrity|gemini-credentials|extensions\/extension-enablement)\.json$/,
      /^\.gemini\/installation_id$/,
    ],
  },
  {
    ...{ agent: "claude", mine: SETTINGS },
    keeps: [
      /^\.claude\.json$/,
      /^\.claude\/plugins\/(?:installed_plugins|known_marketplaces)\.json$/,
      // Its own copy, which it marks and clears away some time later; docs/plugins.md says the command.
      /^\.claude\/plugins\/cache\/refloat\//,
    ],
    mineAfter: `${JSON.stringify({ model: "opus", enabledPlugins: {}, extraKnownMarketplaces: {} }, null, 2)}\n`,
  },
];

it.each(PLUGGED)(
  "D1, T1: the plugin of $agent is added to a home, tells of the work, and is taken away: the tree is what it was, and nothing of it is called",
  async ({ agent, mine, keeps, mineAfter }) => {
    needAgent(agent);
    const order: PlugOrder = {
      ...{ agent, mine, folder: temporaryFolder(), root: agentsRoot() },
      plugins: join(import.meta.dirname, "../../../plugins"),
    };
    const script = join(import.meta.dirname, "plugged-inside.ts");
    const found = await inNamespaces<PlugEvidence>(script, order, `${agent}, plugged`);
    expect(found.events.length).toBe(8);
    expect(found.without).toEqual([]);
    const without = (tree: PlugEvidence["before"]): PlugEvidence["before"] =>
      Object.fromEntries(
        Object.entries(tree).filter(([name]) => name !== mine.path && !keeps.some((own) => own.test(name))),
      );
    expect(without(found.after)).toEqual(without(found.before));
    expect(found.after[mine.path]).toBe(mineAfter);
    for (const [name, text] of Object.entries(found.after))
      if (!name.includes("/cache/refloat/")) expect(text, name).not.toContain("refloat-hook");
  },
  400_000,
);
