/**
 * Changes entries of the user's index, all of them at once (DESIGN 7, S6). A copy is edited by git itself, then put
 * in place under git's own protocol after proof that the index is still the one that was copied. What is on disk:
 *
 *  1. refloat-<token>.index in git's folder       the user's index as before
 *  2. a second name of it: index.lock             as before; git commands of the user wait or fail
 *  3. index.lock renamed to index                 the new index, whole
 *
 * A kill between 2 and 3 leaves the lock, proved ours by its inode; the next start removes it (clearIndexLeft).
 */
import { join } from "node:path";
import { ACT_LOCK_WAIT_MS } from "../../model/limits.ts";
import { type PathName, pathToBytes } from "../../model/path-name.ts";
import type { IndexFlag } from "../../model/plan.ts";
import type { Clock } from "../../platform/clock.ts";
import { crashPoint } from "../../platform/crash-point.ts";
import {
  copyForEditing,
  type LockedFile,
  publishLocked,
  removeLeftLock,
} from "../../platform/locked-file.ts";
import type { StagedEntry } from "../../workspace/git/index-file.ts";
import { indexEntries, indexIdentity, isSameIndex } from "../../workspace/git/index-file.ts";
import type { Location } from "../../workspace/git/locate.ts";
import type { Repository } from "../../workspace/git/repository.ts";
import type { IndexEdit } from "../plans/draft.ts";
import { isSameStaged } from "../plans/draft.ts";

export interface IndexWork {
  readonly repository: Repository;
  readonly clock: Clock;
  readonly plan: string;
  readonly token: string;
  /** Asked with the lock held: whether HEAD is still where the plan saw it. */
  isStill(): boolean;
}

export type IndexEdited =
  | { readonly kind: "edited" }
  /** Somebody else's git holds the lock. */
  | { readonly kind: "locked" }
  /** Entries that are neither as expected nor as they shall be. Nothing was changed. */
  | { readonly kind: "conflict"; readonly edits: readonly IndexEdit[] }
  | { readonly kind: "head-moved" };

const POLL_MS = 25;

export async function editIndex(work: IndexWork, edits: readonly IndexEdit[]): Promise<IndexEdited> {
  const { repository, clock } = work;
  const untilMs = clock.monotonicMs() + ACT_LOCK_WAIT_MS;
  const file = lockedIndex(repository, work.token);
  for (;;) {
    const identity = indexIdentity(repository);
    const { todo, others } = await sort(repository, edits);
    if (others.length > 0) return { kind: "conflict", edits: others };
    if (todo.length === 0) return { kind: "edited" };
    if (!work.isStill()) return { kind: "head-moved" };
    copyForEditing(file.target, file.fresh);
    await writeEntries(work, file.fresh, todo);
    crashPoint("act.index-built");
    const isStill = (): boolean => isSameIndex(identity, indexIdentity(repository)) && work.isStill();
    const published = publishLocked(file, isStill);
    if (published === "published") return { kind: "edited" };
    clearIndexLeft(repository, work.token);
    if (clock.monotonicMs() > untilMs) return { kind: "locked" };
    await clock.sleep(POLL_MS);
  }
}

async function sort(
  repository: Repository,
  edits: readonly IndexEdit[],
): Promise<{ todo: IndexEdit[]; others: IndexEdit[] }> {
  const staged = await indexEntries(
    repository,
    edits.map(({ path }) => path),
  );
  const at = (path: PathName): readonly StagedEntry[] => staged.get(path) ?? [];
  const open = edits.filter(({ path, put }) => !isSameStaged(at(path), put));
  return {
    todo: open.filter(({ path, expect }) => isSameStaged(at(path), expect)),
    others: open.filter(({ path, expect }) => !isSameStaged(at(path), expect)),
  };
}

export function lockedIndex({ gitDir }: Location, token: string): LockedFile {
  return {
    fresh: join(gitDir, `refloat-${token}.index`),
    lock: join(gitDir, "index.lock"),
    target: join(gitDir, "index"),
  };
}

/** What a kill left: a file of ours, and a lock that is the same file. Nobody else's lock is touched. */
export function clearIndexLeft(location: Location, token: string): void {
  removeLeftLock(lockedIndex(location, token));
}

/** Git writes the entries: it knows the format, and keeps everything else that the index holds. */
async function writeEntries(work: IndexWork, indexFile: string, edits: readonly IndexEdit[]): Promise<void> {
  const { repository, plan } = work;
  const options = { indexFile, isWriting: true, plan };
  const run = (args: readonly string[], input: Buffer): Promise<Buffer> =>
    repository.run(args, { ...options, input });
  await run(["update-index", "-z", "--index-info"], Buffer.concat(edits.flatMap(entryLines)));
  for (const [flag, option] of FLAG_OPTIONS) {
    const paths = withFlag(edits, flag);
    if (paths.length > 0) await run(["update-index", "-z", option, "--stdin"], joined(paths));
  }
  const intended = withFlag(edits, "intent-to-add");
  if (intended.length > 0)
    await run(
      ["add", "--intent-to-add", "--force", "--pathspec-from-file=-", "--pathspec-file-nul"],
      joined(intended),
    );
}

const FLAG_OPTIONS: readonly (readonly [flag: IndexFlag, option: string])[] = [
  ["skip-worktree", "--skip-worktree"],
  ["assume-unchanged", "--assume-unchanged"],
];

const isIntended = ({ flags = [] }: StagedEntry): boolean => flags.includes("intent-to-add");

/** First everything at the path goes, all stages of it; then what shall be there comes. */
function entryLines({ path, expect, put }: IndexEdit): Buffer[] {
  const nothing = "0".repeat([...put, ...expect][0]?.id.length ?? 40);
  const line = (head: string): Buffer[] => [Buffer.from(`${head}\t`), pathToBytes(path), Buffer.from([0])];
  return [
    ...line(`0 ${nothing}`),
    ...put
      .filter((entry) => !isIntended(entry))
      .flatMap(({ mode, id, stage }) => line(`${mode.toString(8).padStart(6, "0")} ${id} ${stage}`)),
  ];
}

function withFlag(edits: readonly IndexEdit[], flag: IndexFlag): PathName[] {
  return edits
    .filter(({ put }) => put.some(({ flags = [] }) => flags.includes(flag)))
    .map(({ path }) => path);
}

const joined = (paths: readonly PathName[]): Buffer =>
  Buffer.concat(paths.flatMap((path) => [pathToBytes(path), Buffer.from([0])]));
