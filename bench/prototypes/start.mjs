// @ts-check
// The floor of a command: a Node that loads the chosen parts from a bundle (zod, commander), opens the store's file in SQLite and reads it once, and
// runs the git processes that the command ran, all of them at the same time; nothing of refloat. Which ones they are is seen by a `git`
// before the real one in PATH, once. What a command takes beyond this is ours; what this takes beyond an empty script comes with the parts.
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { rolldown } from "rolldown";
import { processMs } from "../as-process.mjs";

const SQLITE = resolve(import.meta.dirname, "../../dist/store/sqlite/load.js");
const REPLAY = resolve(import.meta.dirname, "replay-git.mjs");

/** Notes how git was called and what it was told on stdin, then is git. */
const WITNESS = `#!/bin/bash
at=$(mktemp -d "$BENCH_GIT_SEEN/XXXXXXXX")
printf '%s\\0' "$@" > "$at/args"
env -0 | grep -z '^GIT_' > "$at/env"
pwd > "$at/cwd"
tee "$at/stdin" | "$BENCH_GIT" "$@"
exit "\${PIPESTATUS[1]}"
`;

/** zod and commander as one file, as the program has them. @param {string} dir */
export async function bundleParts(dir) {
  const entry = join(dir, "parts-entry.mjs");
  const from = (/** @type {string} */ name) =>
    JSON.stringify(import.meta.resolve(name).replace("file://", ""));
  writeFileSync(
    entry,
    `export * as zod from ${from("zod")};\nexport { Command } from ${from("commander")};\n`,
  );
  const bundle = await rolldown({ input: entry, platform: "node", logLevel: "silent" });
  const file = join(dir, "parts.mjs");
  await bundle.write({ file, format: "esm", codeSplitting: false, comments: { jsdoc: false } });
  await bundle.close();
  return file;
}

/**
 * Runs the command once, watched. The processes are to be repeated in copies of its folders, for some of them write.
 * @param {string} dir of its own @param {readonly string[]} argv @param {{ root: string, home: string }} place
 */
export function seenGit(dir, argv, { root, home }) {
  const [bin, seen] = [join(dir, "bin"), join(dir, "seen")];
  mkdirSync(bin, { recursive: true });
  mkdirSync(seen);
  writeFileSync(join(bin, "git"), WITNESS, { mode: 0o755 });
  const git = execFileSync("bash", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  const copy = { root: join(dir, "root"), home: join(dir, "home") };
  cpSync(root, copy.root, { recursive: true, preserveTimestamps: true });
  cpSync(home, copy.home, { recursive: true, preserveTimestamps: true });
  processMs(
    argv,
    { root, home },
    { PATH: `${bin}:${process.env.PATH}`, BENCH_GIT: git, BENCH_GIT_SEEN: seen },
  );
  const there = (/** @type {string} */ text) => text.replaceAll(root, copy.root).replaceAll(home, copy.home);
  const calls = readdirSync(seen).map((name) => {
    const told = (/** @type {string} */ what) => there(readFileSync(join(seen, name, what), "utf8"));
    const env = told("env").split("\0").filter(Boolean);
    return {
      args: told("args").split("\0").slice(0, -1),
      env: Object.fromEntries(
        env.map((one) => [one.slice(0, one.indexOf("=")), one.slice(one.indexOf("=") + 1)]),
      ),
      cwd: told("cwd").trim(),
      stdin: told("stdin"),
    };
  });
  for (const { args, env, cwd } of calls) {
    const trees = args.flatMap((arg) => /^--work-tree=(.*)$/.exec(arg)?.[1] ?? []);
    const index = env.GIT_INDEX_FILE ? [dirname(env.GIT_INDEX_FILE)] : [];
    // What was there for that command only.
    for (const folder of [cwd, ...trees, ...index])
      if (folder.startsWith(dir)) mkdirSync(folder, { recursive: true });
  }
  // Without the witness; git's index in the copy knows other inodes, as after any copying.
  spawnSync(git, ["update-index", "-q", "--refresh"], { cwd: copy.root });
  return { calls, ...copy };
}

/** What a process of the parts alone is told to do, as a script. @param {string} dir @param {string} parts @param {ReturnType<typeof seenGit>} seen */
export function partsScript(dir, parts, seen) {
  const [calls, script] = [join(dir, "calls.json"), join(dir, "start.mjs")];
  writeFileSync(calls, JSON.stringify(seen.calls));
  const told = JSON.stringify({ sqlite: SQLITE, store: join(seen.home, "refloat.db"), calls });
  writeFileSync(
    script,
    `import ${JSON.stringify(parts)};\nimport { replay } from ${JSON.stringify(REPLAY)};\nawait replay(${told});\n`,
  );
  return script;
}
