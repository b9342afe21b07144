// Lockfiles as npm makes them, for pairs whose dependencies changed: one of the two files is left behind.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { cachePath } from "./fetch.mjs";

const run = promisify(execFile);

/** Pairs that lockfiles are made for: npm takes seconds for each, and a pair gives a few states. */
const MAX_PAIRS = 16;

/** So long that a busy machine chooses the same pairs. */
const LOCK_TIMEOUT_MS = 20 * 60_000;

/** The pairs a lockfile can be made for, with both lockfiles. What development needs is left out: it takes minutes. */
export async function withLocks(pairs) {
  const found = [];
  for (const pair of pairs) {
    if (found.length >= MAX_PAIRS) break;
    const [was, is] = [pair.before, pair.after].map((tree) => manifestOf(tree));
    if (!was || !is || JSON.stringify(was.dependencies ?? {}) === JSON.stringify(is.dependencies ?? {}))
      continue;
    const locks = await Promise.all([lockOf(was), lockOf(is)]);
    if (locks.some((lock) => lock === null)) continue;
    const [before, after] = [new Map(pair.before), new Map(pair.after)];
    for (const [tree, manifest, lock] of [
      [before, was, locks[0]],
      [after, is, locks[1]],
    ])
      tree
        .set("package.json", Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`))
        .set("package-lock.json", lock);
    const changed = [...new Set([...pair.changed, "package.json", "package-lock.json"])].sort();
    found.push({ ...pair, before, after, changed });
  }
  return found;
}

function manifestOf(tree) {
  const text = tree.get("package.json")?.toString();
  if (text === undefined) return null;
  const { devDependencies: _dev, scripts: _scripts, workspaces: _workspaces, ...manifest } = JSON.parse(text);
  return manifest;
}

async function lockOf(manifest) {
  const text = JSON.stringify(manifest, null, 2);
  const place = cachePath("locks", createHash("sha256").update(text).digest("hex").slice(0, 16));
  const file = join(place, "package-lock.json");
  if (existsSync(join(place, "failed"))) return null;
  if (!existsSync(file)) {
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, "package.json"), text);
    const args = [
      "i",
      "--package-lock-only",
      "--ignore-scripts",
      "--no-audit",
      "--no-fund",
      "--silent",
      "--omit-lockfile-registry-resolved",
      "--engine-strict=false",
    ];
    try {
      await run("npm", args, { cwd: place, timeout: LOCK_TIMEOUT_MS });
    } catch (thrown) {
      if (thrown.code === undefined) throw thrown;
      rmSync(file, { force: true });
      writeFileSync(join(place, "failed"), "");
      return null;
    }
  }
  return readFileSync(file);
}

/** Manifest without lockfile, or the reverse; the other files of the work are there or not. */
export function lockNotUpdated(pair, random) {
  const now = new Map(pair.changed.map((path) => [path, pair.after.get(path) ?? null]));
  for (const path of pair.changed) if (!/package/.test(path) && random.next() < 0.3) now.delete(path);
  const left = random.next() < 0.6 ? "package-lock.json" : "package.json";
  now.delete(left);
  return { now, damaged: [left === "package.json" ? "package-lock.json" : "package.json"] };
}
