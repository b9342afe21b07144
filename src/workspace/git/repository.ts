/**
 * The one door to git. Opening a repository lists its configuration, which runs nothing, and from then on
 * every command goes out with each program-running key of the repository's own configuration put out of
 * action (program-keys.ts), with the repository and the work tree named explicitly, without locks, prompts or
 * the network, and within bounds of output and time.
 */
import { createHash } from "node:crypto";
import { lstatSync, realpathSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { RefloatError } from "../../model/errors.ts";
import type { PathName } from "../../model/path-name.ts";
import { fileSystemOf, keepsModes } from "../../platform/file-system.ts";
import { fullPlace } from "../../platform/io-error.ts";
import type { Environment } from "../../platform/places.ts";
import { type ProgramOutcome, runProgram } from "../../platform/run-program.ts";
import { shownPath } from "../../text/shown-path.ts";
import { type ConfigEntry, LIST_CONFIG, lastValue, parseConfig } from "./config.ts";
import { type ConfigOverride, gitEnvironment } from "./environment.ts";
import { type Location, redirected } from "./locate.ts";
import { filterDriver, overridesFor, repositoryFilters } from "./program-keys.ts";
import { requireGit } from "./version.ts";

/** Status of a hundred thousand changed paths is 20 MB; ten times that is not a tree we can describe. */
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;
/** A cold status of a very large tree on a slow disk; longer means that something hangs. */
const GIT_TIMEOUT_MS = 120_000;

/** They go along in the environment of every command; the kernel takes 128 KiB as one text, and not much more in all. */
const MAX_OVERRIDE_BYTES = 100 * 1024;

export interface GitOptions {
  readonly input?: Uint8Array;
  readonly onOutput?: (piece: Buffer) => void;
  /** What it said on the side, though it ended well. */
  readonly onComplaints?: (said: string) => void;
  readonly timeoutMs?: number;
  /** Paths given are names, not patterns, unless said otherwise. */
  readonly pathspecs?: "literal" | "magic";
  /** Exit codes that are answers, not failures; 0 always is one. */
  readonly answers?: readonly number[];
  /** It writes: every object, ref and index is on disk before it ends (S6). */
  readonly isWriting?: boolean;
  /** The plan it works for, as a mark in its environment: a later start waits for a git that outlived us (S6). */
  readonly plan?: string;
  /** An index of our own, instead of the user's. */
  readonly indexFile?: string;
  /** Another folder as the work tree, one of our own: never the user's under other eyes. */
  readonly workTree?: string;
  /** The user's identity goes along: for commits. */
  readonly keepsIdentity?: boolean;
  /** It may want to ask somebody: it gets no terminal to do so, and nothing of it is left when it takes too long. */
  readonly mayAsk?: boolean;
  /** Settings for this command alone; they win over everything else. */
  readonly settings?: readonly ConfigOverride[];
}

export const PLAN_MARK = "REFLOAT_PLAN";

/** An index of our own is whole: it shares nothing with the user's. */
const UNSHARED: readonly ConfigOverride[] = [{ key: "core.splitIndex", value: "false" }];

/** Git syncs nothing by default but packs; after a power cut a branch could name an empty object. */
const SYNCED: readonly ConfigOverride[] = [
  { key: "core.fsync", value: "all" },
  { key: "core.fsyncMethod", value: "fsync" },
];

export interface Repository extends Location {
  /** Filters that came with the repository and are switched off: their paths are read raw. */
  readonly untrustedFilters: readonly string[];
  /** What `trust` binds to: the exact text of the repository's filters. Null: it has none. */
  readonly filterDigest: string | null;
  readonly filters: readonly ConfigEntry[];
  readonly config: readonly ConfigEntry[];
  /** Runs git and hands back what it said; E_GIT_FAILED when it fails. */
  run(args: readonly string[], options?: GitOptions): Promise<Buffer>;
}

export interface RepositoryOptions {
  readonly env: Environment;
  /** Whether the user trusted exactly these filters (by digest). */
  readonly isTrusted?: (digest: string) => boolean;
}

export async function openRepository(location: Location, options: RepositoryOptions): Promise<Repository> {
  const isEnough = requireGit(options.env, location.root);
  const output = ownConfig(location, options.env, isEnough);
  // Asked side by side; of a git that is too old, its age is what is told.
  await Promise.allSettled([isEnough, output]);
  await isEnough;
  const config = parseConfig(await output);
  assertWorkTree(location, config);
  const filters = repositoryFilters(config);
  const filterDigest = filters.length === 0 ? null : digestOf(filters);
  const trustsFilters = filterDigest !== null && (options.isTrusted?.(filterDigest) ?? false);
  const overrides = [...overridesFor(config, { trustsFilters }), ...statSettings(location)];
  assertOverridable(location, overrides);
  const drivers = new Set(filters.map(({ key }) => filterDriver(key) ?? ""));
  return {
    ...location,
    config,
    filters,
    filterDigest,
    untrustedFilters: trustsFilters ? [] : [...drivers],
    run: (args, more = {}) => git(location, options.env, overrides, args, more),
  };
}

async function ownConfig(location: Location, env: Environment, isEnough: Promise<void>): Promise<Buffer> {
  await assertOwner(location, env, isEnough);
  return git(location, env, [...overridesFor([], { trustsFilters: false })], LIST_CONFIG, {});
}

/** What cannot be said to git cannot be switched off: then nothing runs at all. */
function assertOverridable({ root }: Location, overrides: readonly ConfigOverride[]): void {
  const refuse = (why: string): RefloatError => new RefloatError("E_GIT_UNSAFE", { path: root, why });
  const odd = overrides.find(({ key }) => !key.isWellFormed());
  if (odd)
    throw refuse(`the name of ${shownPath(odd.key as PathName)} is no text, so it cannot be switched off`);
  const bytes = overrides.reduce((sum, { key, value }) => sum + Buffer.byteLength(key + value), 0);
  if (bytes > MAX_OVERRIDE_BYTES)
    throw refuse(`it has more keys that name a program than can be switched off (${bytes} bytes of them)`);
}

/** Git's own comparison made as strict as it can be: nothing that changed may look unchanged. */
function statSettings(location: Location): ConfigOverride[] {
  const modes = keepsModes(fileSystemOf(location.root)) ? [{ key: "core.fileMode", value: "true" }] : [];
  // Where `A` and `a` are two files, an untracked one of them must not be taken for the other, whatever the repository says (W4).
  const names = tellsCases(location) ? [{ key: "core.ignoreCase", value: "false" }] : [];
  const times = [
    { key: "core.trustctime", value: "true" },
    { key: "core.checkStat", value: "default" },
  ];
  return [...modes, ...names, ...times];
}

function tellsCases({ root }: Location): boolean {
  const other = lstatSync(join(root, ".GIT"), { throwIfNoEntry: false });
  return other === undefined || other.ino !== lstatSync(join(root, ".git"), { throwIfNoEntry: false })?.ino;
}

async function git(
  { root, gitDir }: Location,
  env: Environment,
  overrides: readonly ConfigOverride[],
  args: readonly string[],
  options: GitOptions,
): Promise<Buffer> {
  const literal = options.pathspecs === "magic" ? [] : ["--literal-pathspecs"];
  const { workTree = root, isWriting = false, indexFile, plan, settings = [] } = options;
  const unshared = indexFile === undefined ? [] : UNSHARED;
  const config = [...overrides, ...(isWriting ? SYNCED : []), ...unshared, ...settings];
  const all = [`--git-dir=${gitDir}`, `--work-tree=${workTree}`, "--no-pager", ...literal, ...args];
  const outcome = await runProgram("git", all, {
    cwd: workTree,
    env: { ...gitEnvironment(env, config, options), ...(plan === undefined ? {} : { [PLAN_MARK]: plan }) },
    maxOutputBytes: MAX_OUTPUT_BYTES,
    timeoutMs: options.timeoutMs ?? GIT_TIMEOUT_MS,
    ...(options.mayAsk ? { hasOwnSession: true } : {}),
    ...(options.input ? { input: options.input } : {}),
    ...(options.onOutput ? { onOutput: options.onOutput } : {}),
  });
  if (outcome.kind === "ended" && outcome.stderr !== "") options.onComplaints?.(outcome.stderr);
  return outputOf(args, outcome, options.answers ?? [], [workTree, gitDir]);
}

/** `places`: where it may have written. */
function outputOf(
  args: readonly string[],
  outcome: ProgramOutcome,
  answers: readonly number[],
  places: readonly string[],
): Buffer {
  const command = args[0] ?? "";
  switch (outcome.kind) {
    case "ended":
      if (outcome.code === 0 || answers.includes(outcome.code)) return outcome.stdout;
      throw failure(command, outcome, places);
    case "signalled":
      throw new RefloatError("E_GIT_FAILED", { command, why: `it was ended by ${outcome.signal}` });
    case "too-long":
      throw new RefloatError("E_GIT_LIMIT", { command, why: `it said more than ${outcome.limit} bytes` });
    case "too-slow":
      throw new RefloatError("E_GIT_LIMIT", { command, why: `it took more than ${outcome.limitMs} ms` });
    case "not-started":
      throw new RefloatError("E_GIT_MISSING", { why: outcome.error.message }, outcome.error);
    default:
      return outcome satisfies never;
  }
}

/** D6: on a full disk git fails like anybody else. That is no fault of git or the command, and over when there is room. */
function failure(
  command: string,
  { stderr, code }: { readonly stderr: string; readonly code: number },
  places: readonly string[],
): RefloatError {
  const why = firstLine(stderr, code);
  const path = fullPlace(stderr, places);
  if (path !== null) return new RefloatError("E_DISK_FULL", { path, command, why });
  return new RefloatError("E_GIT_FAILED", { command, why });
}

function firstLine(stderr: string, code: number): string {
  const line = stderr.split("\n").find((one) => one.trim() !== "");
  return line?.replace(/^(?:fatal|error): /, "").replace(/\.$/, "") ?? `exit code ${code}`;
}

/**
 * Naming the repository explicitly would skip git's own check of whose it is. So another's is asked about
 * first, in git's ordinary way, which obeys the user's safe.directory.
 */
async function assertOwner(location: Location, env: Environment, isEnough: Promise<void>): Promise<void> {
  const me = process.geteuid?.();
  const uid = [location.gitDir, location.root].map((path) => statSync(path).uid).find((one) => one !== me);
  if (me === undefined || uid === undefined) return;
  await isEnough;
  const outcome = await runProgram("git", ["rev-parse", "--git-dir"], {
    cwd: location.root,
    env: gitEnvironment(env, overridesFor([], { trustsFilters: false })),
    maxOutputBytes: MAX_OUTPUT_BYTES,
    timeoutMs: GIT_TIMEOUT_MS,
  });
  if (outcome.kind !== "ended" || outcome.code !== 0)
    throw new RefloatError("E_GIT_OWNER", { path: location.root, uid });
}

/** A submodule's configuration names its work tree; everybody else's must not name another. */
function assertWorkTree({ root, gitDir, kind }: Location, config: readonly ConfigEntry[]): void {
  const named = lastValue(config, "core.worktree");
  if (named === null) {
    if (kind === "submodule") throw redirected(root, "its repository is not a submodule of this directory");
    return;
  }
  const path = resolve(gitDir, named);
  const isHere = lstatSync(path, { throwIfNoEntry: false }) !== undefined && realpathSync(path) === root;
  if (!isHere) throw redirected(root, `core.worktree is ${named}`);
}

function digestOf(filters: readonly ConfigEntry[]): string {
  const text = JSON.stringify(filters.map(({ scope, key, value }) => [scope, key, value]));
  return createHash("sha256").update(text).digest("hex");
}
