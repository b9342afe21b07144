// Published versions of packages, unpacked into a cache that is never committed. Says how many, never from where.
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import semver from "semver";

const run = promisify(execFile);
const CACHES = process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache");
const CACHE = process.env.REFLOAT_BENCH_CACHE ?? join(CACHES, "refloat-bench-triage");
/** Fetched at once. */
const AT_ONCE = 6;
const NPM = ["--silent", "--ignore-scripts", "--no-audit", "--no-fund"];
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

export const cachePath = (...parts) => join(CACHE, ...parts);
const folderOf = (name, version) => cachePath("unpacked", name.replace("/", "+"), version);

/** The stable versions of a package, the oldest first; none where it cannot be had. For choosing only. */
export async function versionsOf(name) {
  const file = cachePath("versions", `${name.replace("/", "+")}.json`);
  if (!existsSync(file)) {
    mkdirSync(cachePath("versions"), { recursive: true });
    const { stdout } = await run("npm", ["view", name, "versions", "--json", ...NPM], {
      maxBuffer: MAX_OUTPUT_BYTES,
    }).catch((thrown) => {
      if (thrown.code === undefined) throw thrown;
      return { stdout: "[]" };
    });
    writeFileSync(file, stdout);
  }
  const all = [JSON.parse(readFileSync(file, "utf8"))].flat();
  return semver.sort(all.filter((version) => semver.valid(version) && !semver.prerelease(version)));
}

/** Unpacks what is not there yet. */
export async function unpackAll(wanted) {
  const missing = wanted.filter(({ name, version }) => !existsSync(folderOf(name, version)));
  if (missing.length === 0) return;
  const { stdout } = await run("npm", ["config", "get", "registry", ...NPM]);
  const registry = stdout.trim().replace(/\/$/, "");
  const waiting = [...missing];
  const worker = async () => {
    for (let one = waiting.shift(); one; one = waiting.shift()) await unpack(registry, one);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  console.error(`unpacked ${missing.length}`);
}

/** Under another name until it is whole: a killed run goes on where it was. */
async function unpack(registry, { name, version }) {
  const file = `${name.slice(name.indexOf("/") + 1)}-${version}.tgz`;
  const answer = await fetch(`${registry}/${name}/-/${file}`);
  if (!answer.ok) throw new Error(`${name} ${version} cannot be had: ${answer.status}`);
  const place = cachePath("packed", `${process.pid}-${name.replace("/", "+")}-${version}`);
  mkdirSync(place, { recursive: true });
  const packed = join(place, "package.tgz");
  writeFileSync(packed, Buffer.from(await answer.arrayBuffer()));
  mkdirSync(join(place, "files"));
  const into = ["-C", join(place, "files"), "--strip-components=1", "--no-same-owner"];
  await run("tar", ["-xzf", packed, ...into], { maxBuffer: MAX_OUTPUT_BYTES });
  mkdirSync(folderOf(name, ""), { recursive: true });
  renameSync(join(place, "files"), folderOf(name, version));
  rmSync(place, { recursive: true });
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
