/**
 * Real runs whose context the agent shortened (`/compact`, `/compress`, a token limit): what its model lost is in the journal, and what its
 * program put in its place is nobody's request and no turn of its own (C4, T1).
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { plainSession } from "./plain-session.ts";

const SHORTENED = ["claude", "codex", "copilot", "gemini"] as const;

describe("a context that was shortened is no loss", () => {
  it.each(SHORTENED)("%s", async (agent) => {
    const { refloat, home } = plainSession(`${agent}/compacted`, {
      files: { "notes.txt": "line one\nline two\n" },
    });
    const log = await refloat("log");
    expect(log).toContain("SCENARIO:clean");
    const { turns } = JSON.parse(await refloat("show", "--json"));
    const outcomes = turns.map(({ outcome }: { outcome: string }) => outcome);
    // Of Claude Code's fixture the output of `/context` was trimmed, by which its end would be told.
    if (agent !== "claude") expect(outcomes).not.toContain("failed");
    const { markdown } = JSON.parse(await refloat("handoff", "--json"));
    expect(markdown).toContain("Its context was shortened 1 time");
    // The model of these runs answers so where it is asked for a summary.
    expect(markdown).not.toContain("mock title");
    expect(log).not.toContain("mock title");
    const names = readdirSync(home, { recursive: true, encoding: "utf8" });
    const transcript = names.find((name) =>
      /(?:projects|sessions|session-state|chats)\/.*\.jsonl$/.test(name),
    );
    expect(await refloat("transcript", "check", join(home, transcript ?? ""))).toContain("Whole.");
  });
});
