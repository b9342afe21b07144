/**
 * Real agents, offline, with hooks and nobody supervising them. A sample; with the full counts (npm run test:full) every agent that is
 * installed. The oracle is the script of the mock model.
 */
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../support/cli.ts";
import { need, needAgent } from "../../support/needs.ts";
import { type HookedEvidence, runHooked } from "./evidence.ts";
import { HOOKED_AGENTS, type HookedAgent } from "./prepare-hooks.ts";

const isFull = process.env.REFLOAT_SWEEP === "full" || process.env.REFLOAT_HOOKS_ALL === "1";
const SAMPLE: readonly HookedAgent[] = ["gemini", "codex"];
const CHOSEN = isFull ? HOOKED_AGENTS : SAMPLE;

const sessionOf = ({ sessions }: HookedEvidence, agent: string): JsonObject =>
  sessions.sessions.find((one: JsonObject) => one.agent === agent) ?? {};

const callsOf = (evidence: HookedEvidence, agent: string): readonly JsonObject[] =>
  evidence.inspected[String(sessionOf(evidence, agent).id)]?.calls ?? [];

const ownersIn = (evidence: HookedEvidence, agent: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    (evidence.inspected[String(sessionOf(evidence, agent).id)]?.groups ?? []).flatMap((group: JsonObject) =>
      group.changes.map(({ path, owner }: JsonObject) => [path, owner]),
    ),
  );

describe.each(CHOSEN)("%s with hooks", (agent) => {
  it("K2, C4: killed in a tool leaves a beginning without an end, and refloat names that call once, of the right session", async () => {
    needAgent(agent);
    const evidence = await runHooked({ agent, script: "tool", isKilled: true });
    expect(evidence.heads.length).toBeGreaterThan(2);
    expect(evidence.heads.every((head) => head.includes("\nancestor "))).toBe(true);
    expect(evidence.sessions.sessions).toMatchObject([{ agent, state: "interrupted", supervised: false }]);
    const open = callsOf(evidence, agent).filter(({ status }) => status !== "done");
    expect(open.map(({ status }) => status)).toEqual(["unknown-outcome"]);
    expect(JSON.stringify(open[0]?.input)).toContain("sleep 3600");
    expect(ownersIn(evidence, agent)["half.txt"]).toBe("session");
  });

  it("L7: that came to its end has its end record, and each call once", async () => {
    needAgent(agent);
    const evidence = await runHooked({ agent, script: "clean", isKilled: false });
    expect(evidence.sessions.sessions).toMatchObject([{ agent, state: "finished", cause: "clean" }]);
    expect(callsOf(evidence, agent).map(({ status }) => status)).toEqual(["done", "done"]);
    const { turn } = evidence.inspected[String(sessionOf(evidence, agent).id)] ?? {};
    expect(turn).toMatchObject({ outcome: "completed" });
  });

  it("W8: that removes a file by its shell has it held before, and the capture gives it back", async () => {
    needAgent(agent);
    const evidence = await runHooked({ agent, script: "remove", isKilled: false });
    expect(evidence.heads.filter((head) => head.includes("\nheld "))).toHaveLength(1);
    expect(evidence.heads.filter((head) => head.includes("\nno-before-image "))).toEqual([]);
    expect(evidence.held).toEqual([
      { before: expect.stringContaining("rm -rf"), files: expect.objectContaining({ "made.txt": "made\n" }) },
    ]);
    const call = callsOf(evidence, agent).find(({ input }) =>
      JSON.stringify(input).includes("rm -rf made.txt"),
    );
    // Asked after the hook was: without a person Codex runs no `rm -rf`.
    const refuses = agent === "codex";
    expect(call).toMatchObject({ status: refuses ? "failed" : "done", before: { kind: "held" } });
    expect(evidence.files.includes("made.txt")).toBe(refuses);
  });
});

it("two agents at once in one repository, one of them killed: the other is live, and each call and file has its own owner (W5)", async () => {
  need("agent CLIs");
  const evidence = await runHooked(
    { agent: "gemini", script: "tool", isKilled: true },
    { agent: "codex", script: "parallel", isKilled: false },
  );
  expect(sessionOf(evidence, "gemini")).toMatchObject({ state: "interrupted" });
  expect(sessionOf(evidence, "codex")).toMatchObject({ state: "live", supervised: false });
  expect(JSON.stringify(callsOf(evidence, "gemini"))).not.toContain("par.txt");
  expect(JSON.stringify(callsOf(evidence, "gemini"))).toContain("sleep 3600");
  expect(ownersIn(evidence, "gemini")["half.txt"]).toBe("session");
  expect(ownersIn(evidence, "gemini")["par.txt"]).not.toBe("session");
});
