// Checks that a project's user would give with --verify, for projects that build from what a machine has without a network: a compiler, an
// interpreter, the standard library. What runs is other people's code: as nobody where we are root, without our environment, for a bounded time.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const NOBODY = 65_534;
const TIMEOUT_MS = 120_000;

/** The first that passes on HEAD is the project's; what it needs may not be here. */
const CHECKS = {
  "pallets/click": [
    "PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=src:. python3 -m pytest -q -x -p no:cacheprovider tests",
    "PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=src:. python3 -c 'import click, click.testing'",
  ],
  "redis/hiredis": [
    'for f in *.c; do gcc -fsyntax-only -std=gnu99 -Werror=implicit-function-declaration -I. "$f" || exit 1; done',
  ],
  "google/gson": [
    'javac -nowarn -proc:none -d "$HOME/out" $(find gson/src/main/java -name "*.java" ! -name module-info.java)',
    'javac -nowarn -proc:none -d "$HOME/out" $(find src/main/java -name "*.java" ! -name module-info.java)',
  ],
};

/** Null: the project has none that passes here. `passes(changes)`: the check on HEAD with these, path to bytes or null. */
export async function realCheckOf({ name, before }) {
  const root = mkdtempSync(join(tmpdir(), "refloat-histories-check-"));
  const close = () => rmSync(root, { recursive: true, force: true });
  const known = new Map();
  const work = join(root, "work");
  for (const [path, bytes] of before) put(work, path, bytes);
  own(root);
  for (const command of CHECKS[name] ?? []) {
    if (!(await passes(command, work))) continue;
    return {
      command,
      close,
      async passes(changes) {
        const key = keyOf(changes);
        if (!known.has(key)) {
          for (const [path, bytes] of changes) put(work, path, bytes);
          known.set(key, await passes(command, work));
          for (const [path] of changes) put(work, path, before.get(path));
        }
        return known.get(key);
      },
    };
  }
  close();
  return null;
}

const keyOf = (changes) =>
  JSON.stringify(
    [...changes]
      .map(([path, bytes]) => [path, bytes && createHash("sha256").update(bytes).digest("hex")])
      .sort(),
  );

function put(root, path, bytes) {
  const at = join(root, path);
  if (bytes === null || bytes === undefined) return rmSync(at, { force: true });
  mkdirSync(dirname(at), { recursive: true });
  writeFileSync(at, bytes);
}

/** Its home is beside the tree, so that what it makes is no part of it. */
function own(root) {
  mkdirSync(join(root, "home", "out"), { recursive: true });
  if (process.getuid?.() !== 0) return;
  for (const folder of [root, join(root, "home"), join(root, "home", "out")])
    chownSync(folder, NOBODY, NOBODY);
}

function passes(command, cwd) {
  const who = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  const env = { PATH: process.env.PATH, HOME: join(dirname(cwd), "home") };
  return run("sh", ["-c", command], { cwd, env, timeout: TIMEOUT_MS, killSignal: "SIGKILL", ...who }).then(
    () => true,
    (thrown) => {
      if (typeof thrown.code === "number" || thrown.killed) return false;
      throw thrown;
    },
  );
}
