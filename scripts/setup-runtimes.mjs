// `npm run setup:runtimes`: the other runtimes that test/library/core-package.test.ts runs @refloat/core on, and the frameworks that want a newer Node
// than ours (test/adapters/frameworks.json), exact versions, without install scripts, into node_modules/.cache/refloat-runtimes
// (REFLOAT_RUNTIMES_ROOT). What is there already stays.
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const REPOSITORY = join(import.meta.dirname, "..");
const ROOT = process.env.REFLOAT_RUNTIMES_ROOT || join(REPOSITORY, "node_modules/.cache/refloat-runtimes");
const RUNTIMES = JSON.parse(readFileSync(join(REPOSITORY, "test/library/runtimes.json"), "utf8"));
const FRAMEWORKS = JSON.parse(readFileSync(join(REPOSITORY, "test/adapters/frameworks.json"), "utf8"));

if (process.platform !== "linux" || process.arch !== "x64") {
  console.log("The runtimes are pinned for Linux on x64: nothing was installed.");
  process.exit(0);
}
for (const [name, { package: pack, version, program }] of Object.entries(RUNTIMES)) {
  const folder = join(ROOT, name);
  if (existsSync(join(folder, program))) continue;
  install(folder, [`${pack}@${version}`]);
  chmodSync(join(folder, program), 0o755); // npm keeps no such bit of what is no `bin`
}
for (const [name, packages] of Object.entries(FRAMEWORKS)) {
  const folder = join(ROOT, name);
  if (Object.entries(packages).every(([pack, version]) => isThere(folder, pack, version))) continue;
  install(
    folder,
    Object.entries(packages).map(([pack, version]) => `${pack}@${version}`),
  );
}
console.log(`The runtimes are in ${ROOT}`);

function install(folder, packages) {
  mkdirSync(folder, { recursive: true });
  const quiet = ["--no-audit", "--no-fund", "--loglevel", "error"];
  const args = ["install", "--prefix", folder, "--ignore-scripts", "--no-engine-strict", ...quiet];
  const { status } = spawnSync("npm", [...args, ...packages], { cwd: folder, stdio: "inherit" });
  if (status !== 0) process.exit(1);
}

function isThere(folder, pack, version) {
  const manifest = join(folder, "node_modules", pack, "package.json");
  return existsSync(manifest) && JSON.parse(readFileSync(manifest, "utf8")).version === version;
}
