/**
 * Whether a commit's work is somewhere else too: on a remote, in the default branch, or there under another id because it
 * was rebased or squashed on the way in. Patches are compared by git's own stable patch id. Only a proof counts; what
 * cannot be told within the bounds is "no".
 */
import { createHash } from "node:crypto";
import { giving, RefloatError } from "../../model/errors.ts";
import type { PathName } from "../../model/path-name.ts";
import { lastValue } from "./config.ts";
import type { Repository } from "./repository.ts";

/** Commits of the default branch whose patches are compared, newest first: a squash older than that is not found. */
const MAX_COMPARED = 2000;
/** Their diffs together; more is not compared. */
const PATCHES_TIMEOUT_MS = 60_000;

export type CommitLanding =
  | { readonly kind: "on-remote"; readonly ref: string }
  | { readonly kind: "merged"; readonly into: string }
  | { readonly kind: "same-patch"; readonly into: string; readonly commit: string | null }
  | { readonly kind: "not-landed"; readonly why: string };

/** `own`: the branch it was made on, by its short name; that one proves nothing. */
export async function landedCommit(
  repository: Repository,
  commit: string,
  own: string | null,
): Promise<CommitLanding> {
  const remote = firstLine(
    await repository.run([
      "for-each-ref",
      "--count=1",
      `--contains=${commit}`,
      "--format=%(refname:short)",
      "refs/remotes",
    ]),
  );
  if (remote !== "") return { kind: "on-remote", ref: remote };
  const branches = await defaultBranches(repository, own);
  if (branches.length === 0)
    return { kind: "not-landed", why: "its commits are on no remote, and there is no default branch" };
  const missing: string[] = [];
  for (const into of branches) {
    const landed = await landedIn(repository, commit, into);
    if (landed.kind !== "not-landed") return landed;
    if (landed.why !== null) return { kind: "not-landed", why: landed.why };
    missing.push(into);
  }
  const why = `${missing.join(" and ")} ${missing.length > 1 ? "have" : "has"} neither its commits nor their patch, and no remote has them`;
  return { kind: "not-landed", why };
}

/** `why` null: it is not there. */
async function landedIn(
  repository: Repository,
  commit: string,
  into: string,
): Promise<
  | Exclude<CommitLanding, { kind: "not-landed" }>
  | { readonly kind: "not-landed"; readonly why: string | null }
> {
  const base = firstLine(await repository.run(["merge-base", into, commit], { answers: [1] }));
  if (base === commit) return { kind: "merged", into };
  if (base === "") return { kind: "not-landed", why: null };
  try {
    const found = await patchIn(repository, { base, commit, into });
    return found ? { kind: "same-patch", into, commit: found.commit } : { kind: "not-landed", why: null };
  } catch (thrown) {
    if (!(thrown instanceof RefloatError) || thrown.code !== "E_GIT_LIMIT") throw thrown;
    return { kind: "not-landed", why: `too much to compare with ${into}` };
  }
}

/** By the remote's own word, else by the customary names: the remote's, and the user's own branch of that name, which may be ahead. */
async function defaultBranches(repository: Repository, own: string | null): Promise<string[]> {
  const head = firstLine(
    await repository.run(["symbolic-ref", "-q", "--short", "refs/remotes/origin/HEAD"], {
      answers: [1, 128],
    }),
  );
  const remote = await firstThere(repository, [head, "origin/main", "origin/master"]);
  const names = remote === null ? ["main", "master"] : [remote.slice(remote.indexOf("/") + 1)];
  const local = await firstThere(
    repository,
    names.filter((name) => name !== own).map((name) => `heads/${name}`),
  );
  return [remote, local?.slice("heads/".length) ?? null].filter((name) => name !== null);
}

async function firstThere(repository: Repository, names: readonly string[]): Promise<string | null> {
  for (const name of names.filter((one) => one !== "")) {
    const args = ["rev-parse", "-q", "--verify", `${name}^{commit}`];
    if (firstLine(await repository.run(args, { answers: [1, 128] })) !== "") return name;
  }
  return null;
}

interface ComparedCommit {
  readonly base: string;
  readonly commit: string;
  readonly into: string;
}

/** One commit there has the whole of its patch (a squash), or every commit of it is there (a rebase). */
async function patchIn(
  repository: Repository,
  { base, commit, into }: ComparedCommit,
): Promise<{ commit: string | null } | null> {
  const diff = [
    "--no-ext-diff",
    "--no-textconv",
    "--no-renames",
    "--binary",
    "--full-index",
    "--submodule=short",
  ];
  const timeoutMs = PATCHES_TIMEOUT_MS;
  const whole = await repository.run(["diff", ...diff, base, commit], { timeoutMs });
  if (whole.length === 0) return { commit: null };
  const [wanted] = await patchIds(repository, whole);
  const log = ["log", "-p", "--no-merges", `--max-count=${MAX_COMPARED}`, "--format=commit %H", ...diff];
  const there = await patchIds(repository, await repository.run([...log, `${base}..${into}`], { timeoutMs }));
  const squashed = there.find(({ id }) => id === wanted?.id);
  if (squashed) return { commit: squashed.commit };
  const own = await patchIds(repository, await repository.run([...log, `${base}..${commit}`], { timeoutMs }));
  const known = new Set(there.map(({ id }) => id));
  const commits = Number(firstLine(await repository.run(["rev-list", "--count", `${base}..${commit}`])));
  // A merge has no patch of its own: then the commits do not add up, and nothing is proved.
  const isAll = own.length === commits && own.every(({ id }) => known.has(id));
  return isAll ? { commit: null } : null;
}

async function patchIds(repository: Repository, input: Buffer): Promise<{ id: string; commit: string }[]> {
  if (input.length === 0) return [];
  const output = await repository.run(["patch-id", "--stable"], { input });
  return output
    .toString("latin1")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => ({ id: line.split(" ")[0] ?? "", commit: line.split(" ")[1] ?? "" }));
}

const firstLine = (output: Buffer): string => output.toString("utf8").split("\n")[0]?.trim() ?? "";

// The same of one path: whether it got these bytes since a commit, in a branch or tag of this repository: work that was
// committed somewhere and came with the clone.

/** A history this long to walk proves nothing, and a person waits for the answer. */
const WALK_TIMEOUT_MS = 5000;

export async function hadBytes(
  repository: Repository,
  since: string,
  path: PathName,
  bytes: Uint8Array,
): Promise<boolean> {
  if (!path.isWellFormed()) return false;
  const id = blobId(bytes, objectHash(repository));
  const refs = ["--branches", "--remotes", "--tags", "HEAD", "--not", since];
  const args = ["log", "-1", "--format=%H", `--find-object=${id}`, ...refs, "--", path];
  const found = repository.run(args, { timeoutMs: WALK_TIMEOUT_MS, answers: [128] });
  return (await found.catch(giving("", "E_GIT_LIMIT"))).length > 0;
}

const objectHash = ({ config }: Repository): "sha1" | "sha256" =>
  lastValue(config, "extensions.objectformat") === "sha256" ? "sha256" : "sha1";

/** What git calls these bytes. */
export const blobId = (bytes: Uint8Array, hash: "sha1" | "sha256"): string =>
  createHash(hash).update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
