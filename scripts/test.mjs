// `npm test`: builds dist (the end-to-end tests run the built program), then runs vitest with the
// arguments given. REFLOAT_TEST_FULL and REFLOAT_SWEEP reach the tests through the environment.
import { spawnSync } from "node:child_process";

const build = spawnSync(process.execPath, ["scripts/build.mjs"], { stdio: "inherit" });
if (build.status !== 0) process.exit(build.status ?? 1);

const vitest = ["node_modules/vitest/vitest.mjs", "run", ...process.argv.slice(2)];
const tests = spawnSync(process.execPath, vitest, { stdio: "inherit" });
if (tests.error) throw tests.error;
process.exit(tests.status ?? 1);
