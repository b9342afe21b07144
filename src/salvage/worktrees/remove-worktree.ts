/**
 * Removing a work tree so that it can come back (W6): every file in it, ignored ones too, is held by a plan of that work
 * tree's own before it goes; what git keeps of it (HEAD, index) is in the record that was written first. What is on disk
 * after each step:
 *  1. `worktree.removing` in the journal of the work tree it is removed from: nothing is changed
 *  2. the plan in the removed one's own journal is done: its files are gone, and held
 *  3. git forgot it, its folder is gone; the branch stays
 * A kill in between leaves a work tree that git still lists; `undo` brings it back from wherever it is.
 */
import { type Dirent, existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { actsSessionOf } from "../../acts/plans/acts-session.ts";
import { plansOf } from "../../acts/plans/plans.ts";
import { applyDraft } from "../../acts/primitive/apply-draft.ts";
import { finishPlans } from "../../acts/primitive/finish-plans.ts";
import { RefloatError } from "../../model/errors.ts";
import type { ContentHash, RecordId } from "../../model/ids.ts";
import { CAPTURE_FILE_BYTES } from "../../model/limits.ts";
import { nulPaths, type PathName, pathFromBytes } from "../../model/path-name.ts";
import { mountsWithin } from "../../platform/file-system.ts";
import { errnoOf } from "../../platform/io-error.ts";
import type { Environment } from "../../platform/places.ts";
import { randomId } from "../../platform/random.ts";
import { newRecord } from "../../session/new-record.ts";
import type { Store } from "../../store/store.ts";
import { shownPath } from "../../text/shown-path.ts";
import { hashingSink } from "../../workspace/files/contents-sink.ts";
import { pathAt } from "../../workspace/files/read-path.ts";
import type { Repository } from "../../workspace/git/repository.ts";
import type { GitWorkspace } from "../../workspace/opening/workspace.ts";
import { ensureSession } from "../../workspace/sessions/capture-session.ts";
import { readTree } from "../../workspace/tree/read-tree.ts";
import type { Reading } from "../../workspace/tree/reading.ts";
import type { WorktreeVerdict } from "./worktrees.ts";

export interface RemoveOrder {
  readonly store: Store;
  /** The work tree the command was started in: its journal knows of the removal. */
  readonly from: GitWorkspace;
  readonly linked: GitWorkspace;
  readonly verdict: WorktreeVerdict;
  readonly env: Environment;
  /** The first removal of the same order; null: it is that one itself. */
  readonly plan: string | null;
  /** Ignored files over the bound go without being held: only on the user's word. */
  readonly dropsIgnored: boolean;
}

export interface RemovedWorktree {
  readonly removal: string;
  readonly files: number;
  /** Ignored files that were not held, because the user said so. */
  readonly dropped: number;
}

/** Files of one work tree that are held; more is no leftover but a data set. */
const MAX_FILES = 50_000;
const MAX_IGNORED_BYTES = 256 * 1024 * 1024;
/** What git keeps of a work tree that is not to be had again from its branch. */
export const KEPT_GIT_FILES = ["HEAD", "index", "ORIG_HEAD"] as const;

export async function removeWorktree(order: RemoveOrder): Promise<RemovedWorktree> {
  const { store, from, linked, env } = order;
  const repository = await linked.repository();
  const { held, dropped } = await whatToHold(order, repository);
  const reading = await readTree(linked, hashingSink(), { env, clock: store.clock, paths: held });
  assertHeld(linked.root, held, reading);
  const removal = await recordRemoving(order, held.length);
  const puts = reading.entries.map(({ path, state }) => ({ path, group: removal, expect: state, put: null }));
  const outcome = await applyDraft(
    store,
    linked,
    { act: "remove-worktree", session: null, puts, data: { removal } },
    { env },
  );
  if (outcome.kind === "refused") throw outcome.error;
  if (outcome.conflicts.length > 0) {
    const [first] = outcome.conflicts;
    const why = first?.why ?? "it changed meanwhile";
    throw notRemovable(linked.root, `${shownPath(first?.path ?? ("" as PathName))}: ${why}`);
  }
  await forget(from, linked, new Set(dropped));
  return { removal, files: held.length, dropped: dropped.length };
}

/**
 * Brings a removal to its end that was killed (S5): its plan is settled first, and what came into the folder meanwhile stays.
 * A second removal beside it would hold nothing any more. Null: it was taken back, and the work tree is whole.
 */
export async function finishRemoval(
  store: Store,
  from: GitWorkspace,
  linked: GitWorkspace,
  { removal, files }: { readonly removal: string; readonly files: number },
): Promise<RemovedWorktree | null> {
  await finishPlans(store, linked);
  for await (const plan of plansOf(store, linked)) {
    if (plan.data.removal !== removal || plan.state !== "done") return null;
    await forget(from, linked, new Set());
    return { removal, files, dropped: 0 };
  }
  return null;
}

/** Everything in it can come back, or nothing goes: a pipe, a device, a file nobody may read cannot. */
function assertHeld(root: string, held: readonly PathName[], { entries, gaps }: Reading): void {
  const read = new Set(entries.map(({ path }) => path));
  const missing = held.find((path) => !read.has(path));
  if (missing === undefined) return;
  const why = gaps.find(({ path }) => path === missing)?.detail ?? "it changed meanwhile";
  throw notRemovable(root, `${shownPath(missing)} cannot be held: ${why}`);
}

/** Only with nothing of the user's left in it but what he gave up: git forgets it and removes the folder (W3). */
async function forget(
  from: GitWorkspace,
  linked: GitWorkspace,
  dropped: ReadonlySet<PathName>,
): Promise<void> {
  const newer = filesIn(linked.root).find((path) => !dropped.has(path));
  const [mount] = mountsWithin(linked.root);
  if (newer !== undefined || mount !== undefined)
    throw new RefloatError("E_REMOVAL_CUT_OFF", {
      path: linked.root,
      what: newer ? shownPath(newer) : mount,
    });
  const main = await from.repository();
  await main.run(["worktree", "remove", "--force", linked.root], { isWriting: true });
}

const notRemovable = (path: string, why: string): RefloatError =>
  new RefloatError("E_NOT_REMOVABLE", { path, why });

/** All of it, or a refusal that names what is too much. */
async function whatToHold(
  { linked, dropsIgnored }: RemoveOrder,
  repository: Repository,
): Promise<{ held: PathName[]; dropped: PathName[] }> {
  const all = filesIn(linked.root);
  if (all.length > MAX_FILES) throw notRemovable(linked.root, `it has more than ${MAX_FILES} files`);
  const tracked = new Set(nulPaths(await repository.run(["ls-files", "-z"])));
  const ignored = all.filter((path) => !tracked.has(path));
  const sizes = new Map(ignored.map((path) => [path, lstatSync(pathAt(linked.root, path)).size]));
  const bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  const isOver = bytes > MAX_IGNORED_BYTES || [...sizes.values()].some((size) => size > CAPTURE_FILE_BYTES);
  if (!isOver) return { held: all, dropped: [] };
  if (!dropsIgnored) {
    const largest = [...sizes].sort(([, a], [, b]) => b - a).slice(0, 3);
    const names = largest.map(([path]) => shownPath(path)).join(", ");
    throw notRemovable(
      linked.root,
      `its ignored files are too large to hold (${names}); --drop-ignored lets them go`,
    );
  }
  return { held: all.filter((path) => tracked.has(path)), dropped: ignored };
}

/** Every file and link below the folder, but for git's own. */
function filesIn(root: string): PathName[] {
  const found: PathName[] = [];
  const waiting: string[] = [""];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    for (const entry of entriesIn(root, folder as PathName)) {
      const name = pathFromBytes(entry.name);
      const path = (folder === "" ? name : `${folder}/${name}`) as PathName;
      if (path === ".git") continue;
      if (name === ".git") throw notRemovable(root, `another repository lies in it: ${shownPath(path)}`);
      if (entry.isDirectory()) waiting.push(path);
      else found.push(path);
      if (found.length > MAX_FILES) return found;
    }
  }
  return found;
}

/** A folder nobody may look into is ignored, or git would have named it: what is in it cannot be held. */
function entriesIn(root: string, folder: PathName): Dirent<Buffer>[] {
  try {
    const place = folder === "" ? Buffer.from(root) : pathAt(root, folder);
    return readdirSync(place, { withFileTypes: true, encoding: "buffer" });
  } catch (thrown) {
    const code = errnoOf(thrown);
    if (code !== "EACCES" && code !== "EPERM") throw thrown;
    throw notRemovable(root, `nobody may look into ${shownPath(folder)}`);
  }
}

/** Durable before anything goes: where it was, and what git keeps of it. */
async function recordRemoving(
  { store, from, linked, verdict, plan }: RemoveOrder,
  files: number,
): Promise<string> {
  const session = actsSessionOf(from);
  const name = `acts in ${from.root}`;
  await ensureSession(store, session, { agent: "refloat", workspace: "", goal: null, name });
  const removal = randomId();
  const kept: { name: string; hash: ContentHash }[] = [];
  for (const file of KEPT_GIT_FILES) {
    const path = join(linked.location.gitDir, file);
    if (!existsSync(path)) continue;
    const { hash } = await store.putContent(readFileSync(path));
    kept.push({ name: file, hash });
  }
  const { branch, head } = verdict;
  const body = { removal, plan: plan ?? removal, path: linked.root, branch, head, files, kept };
  const record = newRecord(store.clock, "worktree.removing", body, `worktree-removing:${removal}`);
  const contents = kept.map(({ hash }) => ({ hash }));
  await store.append(session, "anyone", [{ ...record, id: record.id as RecordId, contents }]);
  return removal;
}
