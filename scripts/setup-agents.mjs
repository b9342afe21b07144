// `npm run setup:agents [-- --all --older]`: the real agent CLIs that tests run, in exactly the versions of
// test/agents/real/clis.json, without their install scripts. Where: node_modules/.cache/refloat-agents, or
// REFLOAT_AGENTS_ROOT. `--all` adds those that are not freely licensed, `--older` an older version of each, below
// `older/` there. What is there already stays.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";

const REPOSITORY = join(import.meta.dirname, "..");
const ROOT = process.env.REFLOAT_AGENTS_ROOT || join(REPOSITORY, "node_modules/.cache/refloat-agents");
const CLIS = JSON.parse(readFileSync(join(REPOSITORY, "test/agents/real/clis.json"), "utf8"));

/** More at once only waits for the network together. */
const AT_ONCE = 4;

if (process.platform !== "linux" || process.arch !== "x64") {
  console.log("The agent CLIs are pinned for Linux on x64: nothing was installed.");
  process.exit(0);
}

const isWanted = ({ by }) => by === "default" || process.argv.includes("--all");
const wanted = Object.entries(CLIS).filter(([, cli]) => isWanted(cli));
const older = process.argv.includes("--older")
  ? wanted
      .filter(([, cli]) => cli.older)
      .map(([name, cli]) => [`older/${name}`, { ...cli, version: cli.older }])
  : [];
const waiting = [...wanted, ...older].filter(([name, cli]) => !isThere(name, cli));
const failed = [];
if (older.length > 0 && !existsSync(join(ROOT, "older/node22"))) {
  mkdirSync(join(ROOT, "older"), { recursive: true });
  symlinkSync("../node22", join(ROOT, "older/node22"));
}
await Promise.all(Array.from({ length: AT_ONCE }, installNext));
if (failed.length > 0) {
  console.error(`Could not be installed: ${failed.join(", ")}`);
  process.exit(1);
}
console.log(`The agent CLIs are in ${ROOT}`);

async function installNext() {
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const [name, cli] = next;
    const isInstalled = (await install(name, cli)) || (await install(name, cli));
    if (!isInstalled) failed.push(`${cli.package}@${cli.version}`);
  }
}

async function install(name, cli) {
  const folder = join(ROOT, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const quiet = ["--no-audit", "--no-fund", "--loglevel", "error"];
  // Some want a newer Node than ours: they are run by the one that is installed beside them.
  const args = ["install", "--prefix", folder, "--ignore-scripts", "--no-engine-strict", ...quiet];
  // What `omit` names stays out: the SDK of an agent that is here brings its program a second time.
  const omit = cli.omit ? [`--omit=${cli.omit}`] : [];
  const npm = spawn("npm", [...args, ...omit, `${cli.package}@${cli.version}`], {
    cwd: folder,
    stdio: "inherit",
  });
  const [code] = await once(npm, "close");
  return code === 0 && isThere(name, cli);
}

function isThere(name, { package: pkg, version }) {
  const manifest = join(ROOT, name, "node_modules", pkg, "package.json");
  return existsSync(manifest) && JSON.parse(readFileSync(manifest, "utf8")).version === version;
}
