/**
 * The user's commit hooks: pre-commit, prepare-commit-msg and commit-msg, as they are at HEAD, run in a scratch clone in which
 * exactly what is to be committed is staged (DESIGN 7). Hooks that come after a commit are not run: none happened there.
 *
 * A hook that exists and cannot run there stops the act, and so does one that says no, or that changes what is committed:
 * the user decides, with a flag (hook-changes.ts).
 */
import { accessSync, constants, readFileSync, realpathSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { RefloatError } from "../../model/errors.ts";
import { isWithin, type PathName, pathFromText, pathToBytes } from "../../model/path-name.ts";
import { errnoOf } from "../../platform/io-error.ts";
import type { Environment } from "../../platform/places.ts";
import { placeInside } from "../../platform/places.ts";
import { type ProgramOutcome, runProgram } from "../../platform/run-program.ts";
import { putIntoScratch, putIntoScratchGit } from "../../platform/scratch-tree.ts";
import { redactEnd } from "../../text/redact-part.ts";
import { configuredValue } from "../../workspace/git/config.ts";
import { scrubbedEnvironment } from "../../workspace/git/environment.ts";
import type { Head } from "../../workspace/git/head.ts";
import type { Repository } from "../../workspace/git/repository.ts";
import { type ScratchClone, scratchClone } from "../../workspace/git/scratch-clone.ts";
import type { GitObject } from "../../workspace/git/status.ts";
import { type CommitPath, indexInfo } from "./commit-objects.ts";
import {
  asInTree,
  bringFromTree,
  changedByHook,
  changedNames,
  type HookedPath,
  takeHookChanges,
} from "./hook-changes.ts";

const HOOK_MODES = ["scratch", "in-place", "skip"] as const;
export type HookMode = (typeof HOOK_MODES)[number];

const HOOKS = ["pre-commit", "prepare-commit-msg", "commit-msg"] as const;
type Hook = (typeof HOOKS)[number];

/** A hook that runs a whole test suite takes minutes; longer means that it waits for somebody. */
const HOOK_TIMEOUT_MS = 10 * 60_000;
const HOOK_OUTPUT_BYTES = 16 * 1024 * 1024;
/** What of its words is shown: the last lines, where programs say why. */
const SHOWN_CHARS = 400;
/** What a shell says when it cannot run something. */
const CANNOT_RUN: ReadonlySet<number> = new Set([126, 127]);

export interface HookOrder {
  readonly env: Environment;
  readonly home: string;
  readonly paths: readonly CommitPath[];
  readonly entries: ReadonlyMap<PathName, GitObject | null>;
  readonly head: Head;
  readonly tree: string;
  readonly message: string;
  readonly hooks: HookMode;
  /** What a hook makes of the files that are committed is taken: into the commit and into the tree. */
  readonly acceptsChanges: boolean;
  readonly onNarration?: (line: string) => void;
}

export interface HookedCommit {
  readonly message: string;
  /** Committed files that are another now, where the user takes that. */
  readonly changed: readonly HookedPath[];
}

export async function runCommitHooks(repository: Repository, order: HookOrder): Promise<HookedCommit> {
  const { message } = order;
  const found = order.hooks === "skip" ? [] : hooksOf(repository, order.env);
  if (found.length === 0) return { message, changed: [] };
  const { home, env, head } = order;
  if (head.id === null) throw noCommit(order);
  const clone = await scratchClone(repository, { home, env, commit: head.id, branch: head.branch });
  try {
    await stage(clone, order);
    return await runAll(repository, clone, found, order);
  } finally {
    clone.remove();
  }
}

interface FoundHook {
  readonly name: Hook;
  readonly path: string;
}

/** Those that are there and may be executed; git ignores others, too. */
function hooksOf(repository: Repository, env: Environment): FoundHook[] {
  const folder = hooksFolder(repository, env);
  return HOOKS.map((name) => ({ name, path: join(folder, name) })).filter(({ path }) => isExecutable(path));
}

function hooksFolder({ config, root, commonDir }: Repository, env: Environment): string {
  const named = configuredValue(config, "core.hookspath");
  if (named === null || named === "") return join(commonDir, "hooks");
  const path = named.startsWith("~/") && env.HOME ? join(env.HOME, named.slice(2)) : named;
  return isAbsolute(path) ? path : join(root, path);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch (thrown) {
    if (errnoOf(thrown) !== null) return false;
    throw thrown;
  }
}

function noCommit({ head }: HookOrder): RefloatError {
  const why = `the branch ${head.branch ?? ""} has no commit to clone`;
  return notRun("pre-commit", why);
}

/** The clone's index and files as the commit will have them. */
async function stage({ root, repository }: ScratchClone, { paths, entries }: HookOrder): Promise<void> {
  for (const { path, state, bytes } of paths) {
    const name = pathToBytes(path);
    if (state === null || state.kind === "directory") putIntoScratch(root, name, { kind: "nothing" });
    else if (state.kind === "symlink" && bytes)
      putIntoScratch(root, name, { kind: "symlink", target: bytes });
    else if (state.kind === "file" && bytes)
      putIntoScratch(root, name, { kind: "file", bytes, isExecutable: (state.mode & 0o100) !== 0 });
  }
  await repository.run(["update-index", "-z", "--index-info"], { input: indexInfo(repository, entries) });
  await repository.run(["update-index", "-q", "--refresh"], { answers: [1] });
}

async function runAll(
  repository: Repository,
  clone: ScratchClone,
  found: readonly FoundHook[],
  order: HookOrder,
): Promise<HookedCommit> {
  const isInPlace = order.hooks === "in-place";
  const file = "COMMIT_EDITMSG";
  const write = (text: string): void =>
    putIntoScratchGit(clone.root, file, {
      kind: "file",
      bytes: Buffer.from(text),
      isExecutable: false,
    });
  write(order.message.endsWith("\n") ? order.message : `${order.message}\n`);
  const messageFile = join(clone.root, ".git", file);
  let changed: readonly PathName[] = [];
  for (const hook of found) {
    order.onNarration?.(`Running the hook ${hook.name}.`);
    const program = isInPlace ? hook.path : inClone(repository, clone, hook, order);
    const args =
      hook.name === "pre-commit" ? [] : hook.name === "commit-msg" ? [messageFile] : [messageFile, "message"];
    const outcome = await runHook(program, args, {
      cwd: isInPlace ? repository.root : clone.root,
      env: hookEnvironment(order.env, isInPlace ? repository.gitDir : join(clone.root, ".git"), clone.root),
    });
    await judgeOutcome(hook.name, outcome, { isInPlace });
    if (isInPlace) await bringFromTree(repository, clone, order.paths);
    changed = await changedByHook(clone, order.tree);
    if (changed.length > 0 && !order.acceptsChanges)
      throw new RefloatError(isInPlace ? "E_HOOK_CHANGED_TREE" : "E_HOOK_CHANGED", {
        hook: hook.name,
        paths: changedNames(changed),
      });
  }
  const message = messageLeft(messageFile, found, { isInPlace });
  if (changed.length === 0) return { message, changed: [] };
  order.onNarration?.(`The hooks changed ${changedNames(changed)}; that is taken.`);
  const taken = await takeHookChanges(repository, clone, order.paths, changed);
  return { message, changed: isInPlace ? taken.map((one) => asInTree(repository, one)) : taken };
}

/** Git makes no commit without a message: a hook that leaves none says no. */
function messageLeft(
  file: string,
  found: readonly FoundHook[],
  { isInPlace }: { readonly isInPlace: boolean },
): string {
  const message = readFileSync(file, "utf8");
  if (message.trim() !== "") return message;
  const hook = found.at(-1)?.name ?? "commit-msg";
  throw new RefloatError("E_HOOK_FAILED", {
    hook,
    code: 0,
    why: "it left no message.",
    instead: insteadOf(isInPlace),
  });
}

/** A hook that lies in the work tree, or is a link to a file there, is run as HEAD has it; one that lies elsewhere as it is. */
function inClone(repository: Repository, clone: ScratchClone, hook: FoundHook, order: HookOrder): string {
  const { name, path } = hook;
  const inside = insideTree(repository, path);
  if (inside === null) return linkedInClone(repository, clone, hook, order) ?? path;
  const folder = pathFromText(inside.slice(0, Math.max(0, inside.lastIndexOf("/"))));
  if (folder !== "" && order.paths.some((one) => isWithin(one.path, folder))) throw committedHook(name);
  const program = join(clone.root, inside);
  if (!isExecutable(program)) throw notRun(name, `HEAD has no ${inside} that can be run`);
  return program;
}

/** Null: it leads elsewhere, or to a file that HEAD does not have (an installed package's, say). */
function linkedInClone(
  repository: Repository,
  clone: ScratchClone,
  { name, path }: FoundHook,
  order: HookOrder,
): string | null {
  const inside = insideTree(repository, realpathSync(path));
  if (inside === null) return null;
  const target = pathFromText(inside);
  if (order.paths.some((one) => one.path === target)) throw committedHook(name);
  const program = join(clone.root, inside);
  return isExecutable(program) ? program : null;
}

/** By its path from the root; null: not in the work tree. */
function insideTree({ root }: Repository, path: string): string | null {
  const inside = placeInside(root, path);
  return inside === null || inside === "" || inside.startsWith(".git/") ? null : inside;
}

const committedHook = (hook: Hook): RefloatError => notRun(hook, "it is among what is to be committed");

/** Where it was tried, and what else can be: never what was just done (T1). */
const notRun = (hook: Hook, why: string, isInPlace = false): RefloatError =>
  new RefloatError("E_HOOK_NOT_RUN", {
    hook,
    why,
    where: isInPlace ? "in your work tree" : "in a scratch clone",
    instead: insteadOf(isInPlace),
  });

const insteadOf = (isInPlace: boolean): string =>
  isInPlace ? "" : "--hooks in-place runs it in your work tree, ";

function hookEnvironment(env: Environment, gitDir: string, clone: string): Record<string, string> {
  return {
    ...scrubbedEnvironment(env, { keepsIdentity: true }),
    GIT_DIR: gitDir,
    // What is to be committed is staged in the clone's index, wherever the hook runs.
    GIT_INDEX_FILE: join(clone, ".git/index"),
    GIT_EDITOR: ":",
  };
}

async function runHook(
  program: string,
  args: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: Record<string, string> },
): Promise<ProgramOutcome> {
  const bounds = { maxOutputBytes: HOOK_OUTPUT_BYTES, timeoutMs: HOOK_TIMEOUT_MS };
  const options = { cwd, env, ...bounds, mayLeaveOthers: true };
  const outcome = await runProgram(program, args, options);
  // A script without its first line: git, too, hands it to the shell.
  const isNoFormat = outcome.kind === "not-started" && errnoOf(outcome.error) === "ENOEXEC";
  return isNoFormat ? runProgram("sh", [program, ...args], options) : outcome;
}

async function judgeOutcome(
  hook: Hook,
  outcome: ProgramOutcome,
  { isInPlace }: { readonly isInPlace: boolean },
): Promise<void> {
  const cannot = (why: string): RefloatError => notRun(hook, why, isInPlace);
  switch (outcome.kind) {
    case "ended": {
      if (outcome.code === 0) return;
      const words = await lastWords(`${outcome.stdout.toString("utf8")}\n${outcome.stderr}`);
      if (CANNOT_RUN.has(outcome.code)) throw cannot(words || `it ended with ${outcome.code}`);
      throw new RefloatError("E_HOOK_FAILED", {
        hook,
        code: outcome.code,
        why: words || "it did not say why",
        instead: insteadOf(isInPlace),
      });
    }
    case "signalled":
      throw cannot(`it was ended by ${outcome.signal}`);
    case "too-long":
      throw cannot(`it said more than ${outcome.limit} bytes`);
    case "too-slow":
      throw cannot(`it took more than ${outcome.limitMs} ms`);
    case "not-started":
      throw cannot(outcome.error.message);
    default:
      outcome satisfies never;
  }
}

/** A hook may print what it found, secrets too (T4). */
async function lastWords(text: string): Promise<string> {
  const { text: end } = await redactEnd({ text: text.trim(), chars: SHOWN_CHARS });
  const words = end.replace(/\s+/g, " ").trim();
  return text.trim().length <= SHOWN_CHARS ? words : `…${words}`;
}
