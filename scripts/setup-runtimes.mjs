// `npm run setup:runtimes`: the other runtimes that test/library/runtimes.test.ts runs @refloat/core on, exact versions, without install scripts, into
// node_modules/.cache/refloat-runtimes (REFLOAT_RUNTIMES_ROOT). What is there already stays.
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const REPOSITORY = join(import.meta.dirname, "..");
const ROOT = process.env.REFLOAT_RUNTIMES_ROOT || join(REPOSITORY, "node_modules/.cache/refloat-runtimes");
const RUNTIMES = JSON.parse(readFileSync(join(REPOSITORY, "test/library/runtimes.json"), "utf8"));

if (process.platform !== "linux" || process.arch !== "x64") {
  console.log("The runtimes are pinned for Linux on x64: nothing was installed.");
  process.exit(0);
}
for (const [name, { package: pack, version, program }] of Object.entries(RUNTIMES)) {
  const folder = join(ROOT, name);
  if (existsSync(join(folder, program))) continue;
  mkdirSync(folder, { recursive: true });
  const args = [
    "install",
    "--prefix",
    folder,
    "--ignore-scripts",
    "--no-engine-strict",
    "--no-audit",
    "--no-fund",
  ];
  const { status } = spawnSync("npm", [...args, "--loglevel", "error", `${pack}@${version}`], {
    cwd: folder,
    stdio: "inherit",
  });
  if (status !== 0) process.exit(1);
  chmodSync(join(folder, program), 0o755); // npm keeps no such bit of what is no `bin`
}
console.log(`The runtimes are in ${ROOT}`);
