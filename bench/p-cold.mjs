// @ts-check
// What `npx refloat` costs who has nothing of it yet: packed, installed by npm into an empty folder with an empty cache, as it would be from a registry.
// Megabytes on disk, and megabytes that were fetched: the package itself, and what npm's cache holds afterwards. Needs the registry npm is set up for.
import { execFileSync } from "node:child_process";
import { lstatSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { scratchDirectory } from "./raw.mjs";

const ROOT = resolve(import.meta.dirname, "..");
const MB = 1e6;
const INSTALLED_MB = 60;
/** Nobody set a goal: as much as was fetched when it was first counted (38.7 MB, npm's lists of versions among them). */
const FETCHED_MB = 39;

export async function run() {
  const dir = scratchDirectory("cold");
  const npm = (/** @type {string} */ cwd, /** @type {string[]} */ args) =>
    execFileSync("npm", [...args, "--ignore-scripts", "--silent"], {
      cwd,
      stdio: ["ignore", "pipe", "inherit"],
    });
  npm(ROOT, ["pack", "--pack-destination", dir]);
  const [packed = ""] = readdirSync(dir);
  const app = join(dir, "app");
  const cache = join(dir, "cache");
  execFileSync("mkdir", [app]);
  writeFileSync(join(app, "package.json"), '{"name":"cold","version":"1.0.0"}');
  npm(app, ["install", join(dir, packed), "--cache", cache, "--no-audit", "--no-fund"]);
  const installed = bytesIn(join(app, "node_modules"));
  // The package itself is in the cache, too, though it came from a file.
  const [own, fetched] = [lstatSync(join(dir, packed)).size, bytesIn(join(cache, "_cacache/content-v2"))];
  const ofOurs = bytesIn(join(app, "node_modules/refloat"));
  rmSync(dir, { recursive: true });
  const mb = (/** @type {number} */ bytes) => `${(bytes / MB).toFixed(1)} MB`;
  return [
    {
      goal: "cold",
      what: "the package with all it needs, installed on this platform: MB on disk",
      ...{ value: installed / MB, target: INSTALLED_MB, want: "at most" },
      note: `${mb(ofOurs)} of it refloat's own`,
    },
    {
      goal: "cold",
      what: "`npx refloat` with an empty cache: MB fetched",
      ...{ value: fetched / MB, target: FETCHED_MB, want: "at most" },
      note: `${mb(own)} of it refloat's own; npm's lists of versions are among the rest`,
    },
  ];
}

/** @param {string} folder @returns {number} */
function bytesIn(folder) {
  let sum = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true }))
    if (entry.isFile()) sum += lstatSync(join(entry.parentPath, entry.name)).size;
  return sum;
}
