/**
 * The commits that a session's captures keep, brought into a clone that has not got them: bundle after bundle, each onto what it stands
 * on. No ref is touched. What a bundle stands on and nobody here has is named (W8).
 */
import type { Capture } from "../../model/capture.ts";
import type { ContentHash, SessionId } from "../../model/ids.ts";
import { readWholeContent } from "../../store/content-store.ts";
import type { Store } from "../../store/store.ts";
import { packIn } from "../git/going-commits.ts";
import { hasCommit } from "../git/objects.ts";
import type { Repository } from "../git/repository.ts";
import { capturesOf } from "./captures.ts";

export type BroughtCommits =
  /** The commit is here now; so many came. */
  | { readonly kind: "here"; readonly commits: number }
  /** Without these it cannot be had. */
  | { readonly kind: "missing"; readonly commits: readonly string[] };

export async function bringCommits(
  store: Store,
  session: SessionId,
  repository: Repository,
  wanted: string,
): Promise<BroughtCommits> {
  if (await hasCommit(repository, wanted)) return { kind: "here", commits: 0 };
  let commits = 0;
  const lacking = new Set<string>();
  for await (const { capture } of capturesOf(store, session)) {
    const kept = await notHere(repository, capture);
    if (!kept) continue;
    const missing = await missingOf(repository, kept.bases);
    for (const one of missing) lacking.add(one);
    if (missing.length > 0) continue;
    const pack = packIn(Buffer.from(await readWholeContent(store.driver, kept.bundle)));
    await repository.run(["index-pack", "--stdin"], { input: pack, isWriting: true });
    commits += kept.commits;
  }
  if (await hasCommit(repository, wanted)) return { kind: "here", commits };
  const missing = await missingOf(repository, [...lacking]);
  return { kind: "missing", commits: missing.length === 0 ? [wanted] : missing };
}

interface KeptBundle {
  readonly bundle: ContentHash;
  readonly bases: readonly string[];
  readonly commits: number;
}

async function notHere(repository: Repository, { commits }: Capture): Promise<KeptBundle | null> {
  if (!commits?.bundle || (await hasCommit(repository, commits.head))) return null;
  return { bundle: commits.bundle as ContentHash, bases: commits.bases, commits: commits.commits };
}

async function missingOf(repository: Repository, ids: readonly string[]): Promise<string[]> {
  const missing: string[] = [];
  for (const id of ids) if (!(await hasCommit(repository, id))) missing.push(id);
  return missing;
}

/** Whether the clone has any commit the session stood on, or that what is kept of it stands on: of a shallow one nothing else tells. */
export async function hasAnyCommitOf(
  store: Store,
  session: SessionId,
  repository: Repository,
): Promise<boolean> {
  const asked = new Set<string>();
  for await (const { capture } of capturesOf(store, session))
    for (const id of [capture.head?.id ?? null, ...(capture.commits?.bases ?? [])]) {
      if (id === null || asked.has(id)) continue;
      asked.add(id);
      if (await hasCommit(repository, id)) return true;
    }
  return false;
}
