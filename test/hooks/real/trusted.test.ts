/** Codex calls no hook that nobody trusted: the person's way from `init` to the first record, at its own window, offline. */
import { join } from "node:path";
import { expect, it } from "vitest";
import { agentsRoot } from "../../agents/real/agent-clis.ts";
import { inNamespaces } from "../../agents/real/run-situation.ts";
import { BIN } from "../../support/cli.ts";
import { need } from "../../support/needs.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import type { TrustEvidence } from "./trusted-inside.ts";

// On a machine with nothing else to do a third of the runs had no SessionStart before the first prompt, or none at all in one of the two ways; with
// work on it none of sixteen. Whether Codex did not wait for the hook or the recorder lost it was not found out; each try is a whole new home.
const TRIES = 4;

it("T1, T6: Codex tells nothing until its hooks are trusted where init says so, then it does in its window and without one", {
  retry: TRIES - 1,
}, async () => {
  need("agent CLIs", "terminal");
  const order = { folder: temporaryFolder(), root: agentsRoot(), refloat: [process.execPath, BIN] };
  const found = await inNamespaces<TrustEvidence>(
    join(import.meta.dirname, "trusted-inside.ts"),
    order,
    "codex, trusted",
  );
  const said = found.init.replace(/\s+/g, " ");
  const [choice = "", screen = ""] = [...said.matchAll(/"([^"]+)"/g)].map(([, words]) => words ?? "");
  expect([choice, screen]).toEqual(["Trust all", "Hooks need review"]);
  for (const words of [choice, screen]) expect(found.asked).toContain(words);
  expect(found.before).toEqual([]);
  const events = [
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PreToolUse",
    "PostToolUse",
  ];
  expect(found.events.slice(0, 7)).toEqual([...events, "Stop"]);
  expect(found.later).toEqual([...events, "Stop", "SessionEnd"]);
  // What Codex itself put down beside it is its own: whom it trusts, what it has shown.
  const [own, left] = found.settings;
  expect(left.startsWith(own)).toBe(true);
  expect(left).not.toContain("mcp_servers.refloat");
});
