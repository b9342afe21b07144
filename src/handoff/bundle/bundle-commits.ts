/**
 * Commits of the session that would be gone with the machine: those that no remote has; in a repository without remotes,
 * those made since it began. As git's own bundle; left out, and named, when a secret may be in them or they are too many.
 */
import { RefloatError } from "../../model/errors.ts";
import { fileMayHoldSecret } from "../../text/own-tokens.ts";
import type { Repository } from "../../workspace/git/repository.ts";

/** What a bundle of a session's commits may have: more is a history, not a session's work. */
const MAX_COMMIT_BYTES = 64 * 1024 * 1024;

export type BundleCommits =
  | { readonly kind: "none" }
  | { readonly kind: "bundle"; readonly bytes: Buffer }
  | { readonly kind: "gap"; readonly why: string };

export async function bundleCommits(
  repository: Repository,
  {
    head,
    headAtBegin,
    isRaw,
  }: { readonly head: string; readonly headAtBegin: string | null; readonly isRaw: boolean },
): Promise<BundleCommits> {
  try {
    const remotes = (await repository.run(["for-each-ref", "--format=%(objectname)", "refs/remotes"]))
      .toString("utf8")
      .trim();
    const known = remotes === "" ? headAtBegin : null;
    if (remotes === "" && known === null) return { kind: "none" };
    const range = ["HEAD", "--not", ...(known === null ? ["--remotes"] : [known])];
    const commits = (await repository.run(["rev-list", ...range])).toString("utf8").trim();
    // HEAD may have moved since the capture: then these are not the commits that are meant.
    if (commits === "" || !commits.startsWith(head)) return { kind: "none" };
    if (!isRaw && (await hasSecret(repository, range)))
      return { kind: "gap", why: "a commit may hold a secret" };
    const bytes = await repository.run(["bundle", "create", "--quiet", "-", ...range]);
    return bytes.length > MAX_COMMIT_BYTES
      ? { kind: "gap", why: `the commits have more than ${MAX_COMMIT_BYTES} bytes` }
      : { kind: "bundle", bytes };
  } catch (thrown) {
    if (thrown instanceof RefloatError) return { kind: "gap", why: thrown.message };
    throw thrown;
  }
}

async function hasSecret(repository: Repository, range: readonly string[]): Promise<boolean> {
  const shown = await repository.run(["log", "-p", "--no-ext-diff", "--no-textconv", "--no-color", ...range]);
  return shown.length > MAX_COMMIT_BYTES || (await fileMayHoldSecret(shown.toString("utf8")));
}
