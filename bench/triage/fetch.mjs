// Published versions of packages, unpacked into a cache that is never committed. Says how many, never from where.
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import semver from "semver";

const run = promisify(execFile);
const CACHES = process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache");
const CACHE = process.env.REFLOAT_BENCH_CACHE ?? join(CACHES, "refloat-bench-triage");
/** Versions looked at per package, the newest of stable ones. */
const VERSIONS = 10;
/** Packages packed by one npm process. */
const BATCH = 20;
const NPM = ["--silent", "--ignore-scripts", "--no-audit", "--no-fund"];
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

export const cachePath = (...parts) => join(CACHE, ...parts);
const folderOf = (name, version) => cachePath("unpacked", name.replace("/", "+"), version);

export async function versionsOf(name) {
  const file = cachePath("versions", `${name.replace("/", "+")}.json`);
  if (!existsSync(file)) {
    mkdirSync(cachePath("versions"), { recursive: true });
    const { stdout } = await run("npm", ["view", name, "versions", "--json", ...NPM], {
      maxBuffer: MAX_OUTPUT_BYTES,
    });
    writeFileSync(file, stdout);
  }
  const all = [JSON.parse(readFileSync(file, "utf8"))].flat();
  const stable = all.filter((version) => semver.valid(version) && !semver.prerelease(version));
  return semver.sort(stable).slice(-VERSIONS);
}

/** Unpacks what is not there yet; a version that cannot be had is left out. */
export async function unpackAll(wanted) {
  const missing = wanted.filter(({ name, version }) => !existsSync(folderOf(name, version)));
  for (let at = 0; at < missing.length; at += BATCH) {
    const batch = missing.slice(at, at + BATCH);
    const place = cachePath("packed", `${process.pid}-${at}`);
    mkdirSync(place, { recursive: true });
    const specs = batch.map(({ name, version }) => `${name}@${version}`);
    const { stdout } = await run("npm", ["pack", ...specs, "--json", "--pack-destination", place, ...NPM], {
      maxBuffer: MAX_OUTPUT_BYTES,
    });
    for (const { name, version, filename } of JSON.parse(stdout)) {
      const folder = folderOf(name, version);
      mkdirSync(folder, { recursive: true });
      await run("tar", [
        "-xzf",
        join(place, filename),
        "-C",
        folder,
        "--strip-components=1",
        "--no-same-owner",
      ]);
    }
    rmSync(place, { recursive: true });
    console.error(`unpacked ${Math.min(at + BATCH, missing.length)} of ${missing.length}`);
  }
}

/** Files of one version: path to bytes. */
export function treeOf(name, version) {
  const root = folderOf(name, version);
  const tree = new Map();
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name).slice(root.length + 1);
    tree.set(path, readFileSync(join(root, path)));
  }
  return tree;
}
