/** Real agents that go on in a copy where their folder was moved, offline, at a terminal: the same session, told once (S1, D4). */
import { expect, it } from "vitest";
import { BIN } from "../../support/cli.ts";
import { need } from "../../support/needs.ts";
import { isFull } from "../../support/seed.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { agentsRoot } from "./agent-clis.ts";
import type { MovedEvidence, MovedOrder } from "./inside-moved.ts";
import { inNamespaces } from "./run-situation.ts";

const CASES: readonly Pick<MovedOrder, "agent" | "ends">[] = [
  { agent: "pi", ends: "run" },
  { agent: "pi", ends: "both" },
  { agent: "gemini", ends: "run" },
  { agent: "gemini", ends: "both" },
  { agent: "continue", ends: "run" },
];

// One end of each agent; with REFLOAT_SWEEP=full every one.
const SAMPLE = CASES.filter(({ agent, ends }) => isFull || (agent === "pi") === (ends === "both"));

it.each(SAMPLE)(
  "S1, D4: $agent, its folder moved, gone on with until $ends is ended: one session, and nothing in it twice",
  async (how) => {
    need("agent CLIs");
    const places = { folder: temporaryFolder(), root: agentsRoot(), refloat: [process.execPath, BIN] };
    const found = await inNamespaces<MovedEvidence>("inside-moved.ts", { ...how, ...places }, how.agent);
    const { before, afterwards, request, transcripts } = found;
    expect(before.sessions).toHaveLength(1);
    // It did write a new one.
    expect(transcripts[1]).toBeGreaterThan(transcripts[0] ?? 0);
    expect(afterwards.sessions).toMatchObject([{ id: before.sessions[0]?.id, agent: how.agent }]);
    expect(request.briefs).toBe(1);
    // Gemini CLI sends each result twice in what it goes on with, with or without us.
    if (how.agent !== "gemini") expect(request.faults).toEqual([]);
    // In its own screen Continue goes on without the conversation it was told to copy.
    if (how.agent !== "continue") expect(request.hasOld).toBe(true);
    const ids = afterwards.items.map(({ id }) => id);
    for (const { id } of before.items) expect(ids).toContain(id);
    const said = JSON.stringify(afterwards.items);
    for (const words of ["please do the scripted work", "Step 1: create half.txt."])
      if (JSON.stringify(before.items).includes(words)) expect(said.split(words).length - 1, words).toBe(1);
    expect(afterwards.items.length).toBeGreaterThan(before.items.length);
    if (how.agent === "gemini") expect(found.nextCommand).toContain('"--resume"');
  },
  400_000,
);
