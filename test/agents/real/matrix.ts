/**
 * The whole matrix: every agent that is installed in every situation, as a markdown table, misses included. `node matrix.ts [--agent A]...
 * [--situation S]... [--resumes N]`, by the Node the agents need; REFLOAT_NODE is the one refloat runs on.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { AGENTS, type AgentName, agentsRoot, isInstalled, versionOf } from "./agent-clis.ts";
import { checksOf, missesOf } from "./checks.ts";
import { runSituation } from "./run-situation.ts";
import { SITUATIONS, type SituationName } from "./situations.ts";

const { values } = parseArgs({
  options: {
    agent: { type: "string", multiple: true },
    situation: { type: "string", multiple: true },
    resumes: { type: "string", default: "2" },
    keep: { type: "string" },
  },
});
const root = agentsRoot();
const agents = AGENTS.filter((name) => isInstalled(root, name) && (values.agent?.includes(name) ?? true));
const situations = (Object.keys(SITUATIONS) as SituationName[]).filter(
  (name) => values.situation?.includes(name) ?? true,
);
const folder = values.keep ?? mkdtempSync(join(tmpdir(), "refloat-matrix-"));
mkdirSync(folder, { recursive: true });
const refloat = [
  process.env.REFLOAT_NODE ?? process.execPath,
  process.env.REFLOAT_TEST_BIN || join(import.meta.dirname, "../../../dist/cli/bin.js"),
];

const misses: string[] = [];
const rows: string[] = [];
for (const agent of agents) rows.push(await rowOf(agent));
console.log(`| agent | ${situations.map((name) => SITUATIONS[name].title).join(" | ")} |`);
console.log(`|---|${situations.map(() => "---|").join("")}`);
for (const row of rows) console.log(row);
console.log(`\n${misses.length === 0 ? "No misses." : misses.join("\n")}`);
if (values.keep === undefined) rmSync(folder, { recursive: true, force: true });

async function rowOf(agent: AgentName): Promise<string> {
  const cells: string[] = [];
  for (const situation of situations) cells.push(await cellOf(agent, situation));
  return `| ${agent} ${versionOf(agent)} | ${cells.join(" | ")} |`;
}

/** How many checks held of those that apply. */
async function cellOf(agent: AgentName, situation: SituationName): Promise<string> {
  const at = join(folder, `${agent}-${situation}`);
  rmSync(at, { recursive: true, force: true });
  const resumes = SITUATIONS[situation].signal === null ? 0 : Number(values.resumes);
  try {
    const evidence = await runSituation({ agent, situation, folder: at, root, refloat, resumes });
    const all = checksOf(evidence);
    const missed = missesOf(evidence);
    for (const miss of missed) misses.push(`- ${agent}, ${SITUATIONS[situation].title}: ${miss}`);
    const said = `${all.length - missed.length}/${all.length}`;
    console.error(`${agent} ${situation} ${said} ${missed.join(" | ")}`);
    return said;
  } catch (thrown) {
    misses.push(`- ${agent}, ${SITUATIONS[situation].title}: ${thrown}`);
    console.error(`${agent} ${situation} ${thrown}`);
    return "not run";
  }
}
