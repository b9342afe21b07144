/** One test: a real agent in one situation, held against everything that must hold there but what is known to be missed. */
import { expect } from "vitest";
import { BIN } from "../../support/cli.ts";
import { need } from "../../support/needs.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { type AgentName, agentsRoot } from "./agent-clis.ts";
import { missesOf } from "./checks.ts";
import { runSituation } from "./run-situation.ts";
import { SITUATIONS, type SituationName } from "./situations.ts";

/** `resumes`: how often the work is gone on with; all but the last time it is killed again. */
export async function holds(agent: AgentName, situation: SituationName, resumes = 1): Promise<void> {
  need("agent CLIs");
  const places = { folder: temporaryFolder(), root: agentsRoot(), refloat: [process.execPath, BIN] };
  const often = SITUATIONS[situation].signal === null ? 0 : resumes;
  const evidence = await runSituation({ agent, situation, resumes: often, ...places });
  expect(missesOf(evidence), JSON.stringify(evidence.troubles)).toEqual([]);
}
