/**
 * A removed work tree gets its place again, as its commit has it (step 1 to 4 of recreate-removed.ts). Git's own folder of
 * it is used where it is still there: with its index, its reflog and whatever was under way in it. Else git registers it
 * anew. Its files are written beside the place, never through a name somebody else may have, and get it by one rename.
 */
import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { RefloatError } from "../../model/errors.ts";
import { crashPoint } from "../../platform/crash-point.ts";
import { writeDurable } from "../../platform/durable-file.ts";
import { dropBeside, giveItsPlace, makeTreeBeside, treeBeside, vacate } from "../../platform/tree-beside.ts";
import type { Repository } from "../../workspace/git/repository.ts";
import type { RecreateFacts } from "./gather-recreate.ts";
import { GIT_FILE, type RecreateLook } from "./gather-recreate.ts";

/** Writing the files of a very large commit on a slow disk. */
const CHECKOUT_TIMEOUT_MS = 300_000;
/** Of the files git writes there itself. */
const GIT_MODE = { mode: 0o644 };
/** The word git locks a work tree with while it makes it. */
const GIT_MAKES_IT = "initializing";

export async function placeWorktree(
  look: RecreateLook,
  how: "keep" | "register",
  token: string,
): Promise<void> {
  const { repository, facts } = look;
  const beside = treeBeside(facts.path, token);
  if (facts.place === "begun") vacate(beside, GIT_FILE);
  if (how === "register") {
    await register(look, token);
    vacate(beside, GIT_FILE);
  }
  await bringBranch(repository, facts);
  const gitDir = gitDirOf(repository, facts.path);
  await unlock(repository, facts.path, gitDir);
  crashPoint("recreate.after-register");
  makeTreeBeside(beside);
  const options = {
    indexFile: beside.index,
    workTree: beside.tree,
    plan: token,
    timeoutMs: CHECKOUT_TIMEOUT_MS,
  };
  await repository.run(["read-tree", facts.head], options);
  await repository.run(["checkout-index", "--all", "--force", "--quiet", "--index"], options);
  const index = join(gitDir, "index");
  if (!existsSync(index)) writeDurable(index, readFileSync(beside.index), GIT_MODE);
  writeDurable(join(beside.tree, GIT_FILE), `gitdir: ${gitDir}\n`, GIT_MODE);
  crashPoint("recreate.after-fill");
  giveItsPlace(beside);
  dropBeside(beside);
  crashPoint("recreate.after-place");
}

/** Without a checkout: git makes the folder with its own file in it, and nothing else. */
async function register({ repository, facts, isHalfRegistered }: RecreateLook, token: string): Promise<void> {
  const { path, branch, head, tip } = facts;
  // Twice: over what a git that was stopped in the middle had locked.
  const force = isHalfRegistered ? ["--force", "--force"] : [];
  const where =
    branch === null ? ["--detach", path, head] : tip === null ? ["-b", branch, path, head] : [path, branch];
  const args = ["worktree", "add", "--no-checkout", ...force, ...where];
  await repository.run(args, { isWriting: true, plan: token });
}

/** Made again where it is gone; one that is there stays where it is (W2). */
async function bringBranch(repository: Repository, { branch, head }: RecreateFacts): Promise<void> {
  if (branch === null) return;
  const ref = `refs/heads/${branch}`;
  const found = await repository.run(["rev-parse", "-q", "--verify", ref], { answers: [1] });
  if (found.length > 0) return;
  const input = Buffer.from(`create ${ref}\0${head}\0`);
  await repository.run(["update-ref", "--stdin", "-z"], { input, isWriting: true });
}

async function unlock(repository: Repository, path: string, gitDir: string): Promise<void> {
  const lock = join(gitDir, "locked");
  if (!existsSync(lock) || readFileSync(lock, "utf8").trim() !== GIT_MAKES_IT) return;
  await repository.run(["worktree", "unlock", path], { isWriting: true });
}

/** Git's folder of the work tree: the one that says that this place is its own. */
function gitDirOf({ commonDir }: Repository, path: string): string {
  const folder = join(commonDir, "worktrees");
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const found = names.find((name) => {
    const pointer = join(folder, name, "gitdir");
    if (!existsSync(pointer)) return false;
    const named = dirname(resolve(join(folder, name), readFileSync(pointer, "utf8").replace(/\n$/, "")));
    return named === path || real(named) === path;
  });
  if (found === undefined)
    throw new RefloatError("E_GIT_FAILED", { command: "worktree", why: `it does not know ${path}` });
  return realpathSync(join(folder, found));
}

const real = (path: string): string => (existsSync(path) ? realpathSync(path) : path);
