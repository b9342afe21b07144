/**
 * A work tree with everything in it that people lose, and the proof that nothing of it is lost: every byte as it was is to be had from the
 * store and the remote alone.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { type JsonObject, makePlace, type Place } from "./cli.ts";
import { type TestRepository, testRepository } from "./git-repository.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const ENV = {
  PATH: process.env.PATH,
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_AUTHOR_NAME: "Ann",
  GIT_AUTHOR_EMAIL: "ann@example.invalid",
  GIT_COMMITTER_NAME: "Ann",
  GIT_COMMITTER_EMAIL: "ann@example.invalid",
};

export interface Teardown {
  readonly place: Place;
  /** The clone, with one remote that stays. */
  readonly repo: TestRepository;
  readonly origin: string;
  /** What is about to go: the clone itself, or a linked work tree of it on a branch `topic`. */
  readonly tree: string;
  git(...args: string[]): string;
  guard(...flags: string[]): Promise<{ code: number | null; json: JsonObject }>;
  /** Fails unless all that was in the tree at the beginning comes back, by the commands the guard said. */
  expectNothingLost(said: JsonObject, options?: LossOptions): Promise<void>;
}

export interface LossOptions {
  /** A repository that is still there, with its commits; left out: they come back from what is held. */
  readonly commitsIn?: string;
}

export function tornDown(kind: "clone" | "worktree"): Teardown {
  const place = makePlace();
  const origin = join(temporaryFolder(), "origin.git");
  execFileSync("git", ["init", "-q", "--bare", "-b", "main", origin], { env: ENV });
  const repo = testRepository(join(temporaryFolder(), "clone"));
  repo.write("kept.txt", "kept\n");
  repo.write("changed.txt", "one\n");
  repo.write("gone.txt", "gone\n");
  repo.write(".gitignore", ".env\nnode_modules/\nnotes/\n");
  repo.commit("base");
  repo.git("remote", "add", "origin", origin);
  repo.git("push", "-q", "-u", "origin", "main");
  const tree = kind === "clone" ? repo.root : join(temporaryFolder(), "topic");
  if (kind === "worktree") repo.git("worktree", "add", "-q", "-b", "topic", tree);
  const git = (...args: string[]): string => repo.git("-C", tree, ...args);
  fillTree(tree, git);
  const before = { files: filesOf(tree), commits: commitsIn(git), staged: git("rev-parse", ":staged.txt") };
  return {
    ...{ place, repo, origin, tree, git },
    guard: (...flags) => place.json(["guard", tree, ...flags], { cwd: place.workspace }),
    expectNothingLost: (said, options = {}) => cameBack(place, origin, before, said, options),
  };
}

function fillTree(tree: string, git: Teardown["git"]): void {
  const write = (path: string, text: string | Uint8Array): void => writeFileSync(join(tree, path), text);
  write("committed.txt", "never pushed\n");
  git("add", "-A");
  git("commit", "-q", "-m", "never pushed");
  write("kept.txt", "before it was taken back\n");
  git("commit", "-q", "-am", "taken back");
  git("reset", "-q", "--hard", "HEAD~1"); // only the log knows that one
  write("changed.txt", "two\n");
  execFileSync("rm", [join(tree, "gone.txt")]);
  write("staged.txt", "staged only\n");
  git("add", "staged.txt");
  write("staged.txt", "and changed again\n");
  mkdirSync(join(tree, "new/deep"), { recursive: true });
  write("new/deep/untracked.bin", Buffer.from(Array.from({ length: 70_000 }, (_, i) => (i * 7) % 256)));
  write("new/run.sh", "#!/bin/sh\n");
  chmodSync(join(tree, "new/run.sh"), 0o755);
  write("new/private", "mine\n");
  chmodSync(join(tree, "new/private"), 0o600);
  symlinkSync("../kept.txt", join(tree, "new/link"));
  symlinkSync("nowhere", join(tree, "new/dangling"));
  writeFileSync(Buffer.concat([Buffer.from(`${tree}/new/odd `), Buffer.from([0xff, 0x0a, 0x27])]), "odd\n");
  write("new/empty", "");
  write(".env", "KEY=1\n");
  mkdirSync(join(tree, "notes"));
  write("notes/[a]*.txt", "ignored, and somebody's\n");
}

interface Before {
  readonly files: ReadonlyMap<string, string>;
  readonly commits: readonly string[];
  readonly staged: string;
}

/** Without git's own. */
function filesOf(root: string): Map<string, string> {
  const found = new Map<string, string>();
  const visit = (folder: Buffer): void => {
    for (const name of readdirSync(folder, { encoding: "buffer" })) {
      const path = Buffer.concat([folder, Buffer.from("/"), name]);
      const shown = path.subarray(root.length + 1).toString("latin1");
      const stat = lstatSync(path);
      if (shown === ".git") continue;
      if (stat.isDirectory()) visit(path);
      else if (stat.isSymbolicLink()) found.set(shown, `-> ${readlinkSync(path)}`);
      else
        found.set(
          shown,
          `${(stat.mode & 0o777).toString(8)} ${createHash("sha256").update(readFileSync(path)).digest("hex")}`,
        );
    }
  };
  visit(Buffer.from(root));
  return found;
}

/** Of every ref, stash and log. */
function commitsIn(git: Teardown["git"]): string[] {
  return git("rev-list", "--all", "--reflog", "HEAD").split("\n");
}

async function cameBack(
  place: Place,
  origin: string,
  before: Before,
  said: JsonObject,
  { commitsIn }: LossOptions,
): Promise<void> {
  const out = temporaryFolder();
  const clone = join(out, "clone");
  const run = (...args: string[]): string =>
    execFileSync("git", args, {
      cwd: commitsIn ?? clone,
      env: ENV,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    }).trimEnd();
  execFileSync("git", ["clone", "-q", origin, clone], { env: ENV });
  const [{ capture }] = said.trees;
  expect(said.back).toEqual([
    `refloat restore ${capture} --to DIR`,
    `refloat restore ${capture} --commits DIR`,
  ]);
  if (commitsIn === undefined) {
    const commits = await place.json(["restore", capture, "--commits", join(out, "commits")], { cwd: clone });
    expect(commits.code).toBe(0);
    run("fetch", "-q", commits.json.commits.bundle, "+refs/*:refs/held/*");
  }
  run("fsck", "--strict", "--no-dangling");
  for (const id of before.commits) run("rev-list", "--objects", "-1", id);
  expect(run("cat-file", "blob", before.staged)).toBe("staged only");
  const cwd = commitsIn ?? clone;
  const files = await place.json(["restore", capture, "--to", join(out, "tree")], { cwd });
  expect(files.json.left).toEqual([]);
  expect(files.code).toBe(0);
  const wanted = new Map([...before.files].filter(([path]) => !path.startsWith("node_modules/")));
  // What is as HEAD has it comes back as a checkout would write it.
  expect([...filesOf(join(out, "tree"))].sort()).toEqual([...wanted].sort());
}
