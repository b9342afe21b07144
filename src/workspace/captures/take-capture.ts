/**
 * Takes a capture: reads the tree, puts its contents into the store in short transactions, and last of all
 * writes the record that names them, with the last of them, or all where they are few, in its own transaction: one sync
 * serves both. What is on disk after each step:
 *  1. contents put            unnamed: harmless, collected when nobody names them
 *  2. record committed        the capture is there, whole; only now it has an id anybody is told (W4)
 * A failure before step 2 leaves no capture, and the caller gets the error.
 */
import type { Capture, CaptureReason, HeldRepository, KeptCommits } from "../../model/capture.ts";
import { RefloatError } from "../../model/errors.ts";
import { type ContentHash, isActsSession, type RecordId, type SessionId } from "../../model/ids.ts";
import type { JsonObject } from "../../model/json.ts";
import type { PathName } from "../../model/path-name.ts";
import type { NewRecord } from "../../model/record.ts";
import { hostId } from "../../platform/identity.ts";
import { randomId } from "../../platform/random.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import type { AppendOutcome, Store } from "../../store/store.ts";
import { shownPath } from "../../text/shown-path.ts";
import { type ContentsSink, storeSink } from "../files/contents-sink.ts";
import { ownMark } from "../opening/tree-mark.ts";
import { cloneOf, type Identity, rootCommit, type Workspace } from "../opening/workspace.ts";
import {
  headsOf,
  lastCaptureOf,
  lastHeadOf,
  notedAt,
  othersJson,
  sessionsOf,
} from "../sessions/workspace-sessions.ts";
import { readTree, type TreeOptions } from "../tree/read-tree.ts";
import type { Reading } from "../tree/reading.ts";
import { contentsOf, readingJson } from "../tree/reading.ts";
import { keepCommits, keptOf } from "./keep-commits.ts";
import { type MovedPaths, readMoved } from "./moved-sides.ts";

export interface CaptureOptions extends Omit<TreeOptions, "clock"> {
  readonly session: SessionId;
  readonly reason: CaptureReason;
  readonly note?: string | null;
  /** The command that is about to take something away. */
  readonly before?: string;
  /** Operations that ended and whose author waits until this is taken. */
  readonly ended?: readonly string[];
  /** Where the session's workspace was said to be, when that is not its top. */
  readonly place?: string;
  /** Holds the repository, too, which is about to go with its tree. */
  readonly holdRepository?: (reading: Reading, sink: ContentsSink) => Promise<HeldRepository>;
  /** Commits that no remote has are kept, too; left out: where the store is shared. */
  readonly keepsCommits?: boolean;
  /** How the record gets into the journal, where that is not as an observation of anyone's. */
  readonly append?: (records: readonly NewRecord[]) => Promise<AppendOutcome>;
}

export interface TakenCapture {
  readonly id: string;
  readonly session: SessionId;
  readonly seq: number;
  readonly atMs: number;
  readonly capture: Capture;
}

export const captureRecordId = (id: string): RecordId => `capture:${id}` as RecordId;

export async function takeCapture(
  store: Store,
  workspace: Workspace,
  options: CaptureOptions,
): Promise<TakenCapture> {
  const { session } = options;
  const places = [workspace.root, ...(options.place === undefined ? [] : [options.place])];
  const look = async (): Promise<SessionRow[]> => sessionsOf(store, places, notedAt(store.clock.nowMs()));
  const rows = await look();
  const before = headsOf(rows, session, store.clock.nowMs());
  const sink = storeSink(store);
  const reading = await readTree(workspace, sink, { ...options, clock: store.clock });
  assertNamedHeld(reading, options.paths ?? []);
  const moved = await movedSince(workspace, reading, lastHeadOf(rows, session), sink);
  const repository = await options.holdRepository?.(reading, sink);
  const commits = await commitsToKeep(store, workspace, options, { rows, reading, sink });
  const after = headsOf(await look(), session, store.clock.nowMs());
  const identity = await identityOf(workspace, rows, reading);
  const others = othersJson(before, after);
  return appendCapture(store, {
    ...options,
    id: randomId(),
    reading,
    identity,
    moved,
    others,
    sink,
    repository,
    commits,
  });
}

/** A store that other machines share outlives this one, and what nobody pushed with it (W8). Null: HEAD is where they were kept. */
async function commitsToKeep(
  store: Store,
  workspace: Workspace,
  { session, keepsCommits = store.driver.kind === "postgres" }: CaptureOptions,
  { rows, reading, sink }: { rows: readonly SessionRow[]; reading: Reading; sink: ContentsSink },
): Promise<KeptCommits | null> {
  if (!keepsCommits || workspace.kind === "folder" || reading.how !== "status" || isActsSession(session))
    return null;
  const row = rows.find(({ id }) => id === session) ?? (await store.session(session));
  const kept = row ? keptOf(row) : null;
  const head = reading.head?.id ?? null;
  return head === null || kept?.head === head
    ? null
    : keepCommits(await workspace.repository(), reading.head, kept, sink);
}

export interface ReadCapture
  extends Pick<CaptureOptions, "session" | "reason" | "note" | "before" | "ended" | "append"> {
  readonly id: string;
  readonly reading: Reading;
  readonly identity: Identity;
  readonly moved: MovedPaths | null;
  readonly others: Capture["others"];
  /** Where what it names was put. */
  readonly sink: ContentsSink;
  readonly repository?: HeldRepository | undefined;
  readonly commits?: KeptCommits | null;
  /** When it was read; left out: now. */
  readonly atMs?: number;
  readonly isHeldOutside?: boolean;
}

/** The record of what was read, with the last of its contents. */
export async function appendCapture(store: Store, read: ReadCapture): Promise<TakenCapture> {
  const { id, session, reason, reading, moved, repository, commits, sink } = read;
  const capture: Capture = {
    capture: id,
    reason,
    note: read.note ?? null,
    ...(read.before === undefined ? {} : { before: read.before }),
    ...(read.isHeldOutside ? { held_outside: true } : {}),
    ...(read.ended && read.ended.length > 0 ? { ended: [...read.ended] } : {}),
    workspace: { ...read.identity },
    ...readingJson(reading),
    moved,
    ...(repository ? { repository } : {}),
    ...(commits ? { commits } : {}),
    others: read.others,
  };
  const record = {
    id: captureRecordId(id),
    kind: "capture.taken",
    atMs: read.atMs ?? store.clock.nowMs(),
    body: capture as unknown as JsonObject,
    contents: [
      ...contentsOf(reading, moved, (hash) => sink.isHeld(hash)),
      ...(repository ? repositoryContents(repository) : []),
      ...(commits?.bundle ? [{ hash: commits.bundle as ContentHash, path: ".git" }] : []),
    ],
  };
  const append = read.append ?? ((records) => store.append(session, "anyone", records));
  const put = sink.putForNext();
  const [{ seqs }] = await Promise.all([append([record]), put]);
  return { id, session, seq: seqs[0] ?? 0, atMs: record.atMs, capture };
}

function repositoryContents({ bundle, files }: HeldRepository): { hash: ContentHash; path: string }[] {
  const all = files.map(({ name, hash }) => ({ hash: hash as ContentHash, path: `.git/${name}` }));
  return bundle === null ? all : [{ hash: bundle as ContentHash, path: ".git" }, ...all];
}

/** W4: a path somebody asked for by name is held, or there is no capture at all. */
function assertNamedHeld({ gaps }: Reading, named: readonly PathName[]): void {
  // Of a folder somebody named, the folder itself; what lies in it may have gaps like any other tree.
  const found = gaps.find(({ path }) => named.includes(path));
  if (found) throw new RefloatError("E_CAPTURE_GAP", { path: shownPath(found.path), why: found.detail });
}

export async function movedSince(
  workspace: Workspace,
  { how, head }: Reading,
  last: string | null,
  sink: ContentsSink,
): Promise<MovedPaths | null> {
  if (workspace.kind === "folder" || how !== "status" || last === null || head?.id === last) return null;
  return readMoved(await workspace.repository(), last, head?.id ?? null, sink);
}

/** The first commit is looked for once per clone; a capture of known paths does not look at all. */
export async function identityOf(
  workspace: Workspace,
  rows: readonly SessionRow[],
  { how, head }: Reading,
): Promise<Identity> {
  const path = workspace.root;
  const tree = ownMark(workspace);
  const host = hostId();
  if (workspace.kind === "folder")
    return { path, common_dir: null, clone: null, root_commit: null, tree, host };
  const clone = cloneOf(workspace);
  const known = rows.map(lastCaptureOf).find((last) => last?.clone === clone && last?.rootCommit);
  const canLook = how === "status" && head?.id !== null;
  const root_commit = known?.rootCommit ?? (canLook ? await rootCommit(await workspace.repository()) : null);
  return { path, common_dir: workspace.location.commonDir, clone, root_commit, tree, host };
}
