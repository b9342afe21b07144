/** One test: a real agent in one situation, held against everything that must hold there but what is known to be missed. */
import { expect } from "vitest";
import { BIN } from "../../support/cli.ts";
import { need } from "../../support/needs.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { type AgentName, agentsRoot } from "./agent-clis.ts";
import { missesOf } from "./checks.ts";
import { runSituation } from "./run-situation.ts";
import { SITUATIONS, type SituationName } from "./situations.ts";

/** Killed once more while it goes on, then let end. */
const RESUMES = 2;

export async function holds(agent: AgentName, situation: SituationName): Promise<void> {
  need("agent CLIs");
  const resumes = SITUATIONS[situation].signal === null ? 0 : RESUMES;
  const places = { folder: temporaryFolder(), root: agentsRoot(), refloat: [process.execPath, BIN] };
  const evidence = await runSituation({ agent, situation, resumes, ...places });
  expect(missesOf(evidence), JSON.stringify(evidence.troubles)).toEqual([]);
}
