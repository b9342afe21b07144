// @ts-check
// Generated repositories for P6 and P7: so many small files, twenty to a folder, committed once. They are kept
// under bench/out between runs, because making the large one takes a minute.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { OUT } from "./raw.mjs";

const FILES_PER_FOLDER = 20;
const FOLDERS_PER_FOLDER = 100;
export const CHANGED = 20;

const env = {
  PATH: process.env.PATH,
  HOME: OUT,
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_AUTHOR_NAME: "bench",
  GIT_AUTHOR_EMAIL: "bench@example.invalid",
  GIT_COMMITTER_NAME: "bench",
  GIT_COMMITTER_EMAIL: "bench@example.invalid",
};

/** @param {string} root @param {readonly string[]} args @param {Record<string, string>} [more] */
export function git(root, args, more = {}) {
  return execFileSync("git", args, { cwd: root, env: { ...env, ...more }, maxBuffer: 1 << 28 });
}

/** @param {number} i */
function nameOf(i) {
  const folder = Math.floor(i / FILES_PER_FOLDER);
  return join(
    `d${Math.floor(folder / FOLDERS_PER_FOLDER)}`,
    `e${folder % FOLDERS_PER_FOLDER}`,
    `file-${i}.txt`,
  );
}

/** A repository of so many files, made once. @param {number} files */
export function repositoryOf(files) {
  const root = join(OUT, "repositories", String(files));
  const done = join(root, ".git", "bench-is-complete");
  if (existsSync(done)) return root;
  process.stderr.write(`making a repository of ${files} files ...\n`);
  rmSync(root, { recursive: true, force: true });
  for (let i = 0; i < files; i += FILES_PER_FOLDER)
    mkdirSync(join(root, nameOf(i), ".."), { recursive: true });
  for (let i = 0; i < files; i++) writeFileSync(join(root, nameOf(i)), `file ${i}\n`.repeat(20));
  git(root, ["init", "-q", "-b", "main"]);
  git(root, ["config", "gc.auto", "0"]); // nothing runs behind the measurement
  git(root, ["add", "-A"]);
  git(root, ["commit", "-qm", "all of it"]);
  git(root, ["gc", "-q"]);
  writeFileSync(done, "");
  return root;
}

/** Twenty files spread over the tree, the same ones each time. @param {number} files */
export function changedPaths(files) {
  return Array.from({ length: CHANGED }, (_, i) => nameOf(Math.floor((i * files) / CHANGED)));
}

let round = 0;
/** Gives those files bytes nobody has seen yet. @param {string} root @param {number} files */
export function change(root, files) {
  round++;
  for (const path of changedPaths(files))
    writeFileSync(join(root, path), `changed ${process.pid} ${round} ${path}\n`.repeat(20));
}
