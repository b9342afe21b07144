/**
 * A capture of what the recorder held outside the store. Its id comes from the file that held it, so it is taken in once, however often
 * that is read (D4). What can only be asked of the repository itself (what moved with HEAD, its first commit) is asked where it is
 * still there, and otherwise said to be unknown.
 */
import type { HeldRepository } from "../../model/capture.ts";
import { RefloatError } from "../../model/errors.ts";
import type { ContentHash, SessionId } from "../../model/ids.ts";
import { hostId } from "../../platform/identity.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import type { Store } from "../../store/store.ts";
import { addBytes, type ContentsSink, storeSink } from "../files/contents-sink.ts";
import { bundleBytes } from "../git/going-commits.ts";
import { markFrom } from "../opening/tree-mark.ts";
import { type Identity, rootCommit, type Workspace } from "../opening/workspace.ts";
import { lastCaptureOf, lastHeadOf, SEEN_ONCE, sessionsOf } from "../sessions/workspace-sessions.ts";
import type { Reading } from "../tree/reading.ts";
import type { MovedPaths } from "./moved-sides.ts";
import { type OutsideTree, readOutsideTree } from "./outside-tree.ts";
import { appendCapture, movedSince } from "./take-capture.ts";

export interface HeldCapture {
  readonly id: string;
  readonly session: SessionId;
  readonly tree: OutsideTree;
  /** The same tree, where it is still there. */
  readonly workspace: Workspace | null;
  readonly note: string;
  readonly before: string;
  readonly atMs: number;
}

export async function takeHeldCapture(store: Store, held: HeldCapture): Promise<void> {
  const { id, session, tree, workspace, note, before, atMs } = held;
  const rows = await sessionsOf(store, [tree.root], SEEN_ONCE);
  const sink = storeSink(store);
  const reading = await readOutsideTree(tree, sink);
  const moved = await movedOf(workspace, reading, lastHeadOf(rows, session), sink);
  const repository = await repositoryOf(tree, sink);
  await sink.settle();
  const isWhole = repository === null || contentsOf(repository).every((hash) => sink.isHeld(hash));
  const read = {
    ...{ id, session, note, before, atMs, reading, moved, sink, others: [], isHeldOutside: true },
    ...{ reason: "manual" as const, identity: await identityOf(tree, workspace, rows) },
    ...(repository !== null && isWhole ? { repository } : {}),
  };
  try {
    await appendCapture(store, read);
  } catch (thrown) {
    // Taken in before, by somebody who was killed before its file was gone: asked of the repository a little earlier.
    if (!(thrown instanceof RefloatError && thrown.code === "E_ID_REUSED")) throw thrown;
  }
}

async function movedOf(
  workspace: Workspace | null,
  reading: Reading,
  last: string | null,
  sink: ContentsSink,
): Promise<MovedPaths | null> {
  const to = reading.head?.id ?? null;
  if (last === null || last === to) return null;
  try {
    if (workspace !== null) return await movedSince(workspace, reading, last, sink);
  } catch (thrown) {
    if (!(thrown instanceof RefloatError)) throw thrown;
  }
  return { from: last, to, is_known: false, paths: [] };
}

async function identityOf(
  { root, commonDir, kind, stats }: OutsideTree,
  workspace: Workspace | null,
  rows: readonly SessionRow[],
): Promise<Identity> {
  const common = stats.get("common");
  const clone = common ? `${common.dev}:${common.ino}:${common.birthMs}` : null;
  const own = kind === "linked" ? stats.get("gitdir") : common;
  const witness =
    kind === "linked"
      ? stats.get("gitdir/commondir")
      : (stats.get("common/description") ?? stats.get("common/info/exclude"));
  const tree = markFrom({ ino: own?.ino ?? "0", birthMs: own?.birthMs ?? 0 }, witness?.mtimeNs ?? null);
  const known = rows.map(lastCaptureOf).find((last) => last?.clone === clone && last?.rootCommit);
  const root_commit = known?.rootCommit ?? (await firstCommitOf(workspace));
  return { path: root, common_dir: commonDir, clone, root_commit, tree, host: hostId() };
}

async function firstCommitOf(workspace: Workspace | null): Promise<string | null> {
  if (workspace?.kind !== "git") return null;
  try {
    return await rootCommit(await workspace.repository());
  } catch (thrown) {
    if (!(thrown instanceof RefloatError)) throw thrown;
    return null;
  }
}

/** Null: no commit would have gone, or there was no time for them. */
async function repositoryOf(
  { tips, bases, pack, own, ownLeft }: OutsideTree,
  sink: ContentsSink,
): Promise<HeldRepository | null> {
  if (pack === null && own.length === 0) return null;
  const bundle = pack === null ? null : await addBytes(sink, bundleBytes(bases, tips, pack));
  const files: HeldRepository["files"] = [];
  for (const { name, mode, bytes } of own) files.push({ name, mode, hash: await addBytes(sink, bytes) });
  return { bundle, tips: tips.map((tip) => ({ ...tip })), bases: [...bases], files, left_out: [...ownLeft] };
}

const contentsOf = ({ bundle, files }: HeldRepository): readonly ContentHash[] =>
  [...(bundle === null ? [] : [bundle]), ...files.map(({ hash }) => hash)].map((hash) => hash as ContentHash);
