/**
 * Work of an agent whose folder somebody moved or renamed since (S1): its transcripts name a place that is no more. They are taken as this
 * workspace's only with proof, for another repository's session would bring somebody else's files with it (W5):
 *
 *  moved 1  The place they name is gone. While it is there it is where they belong, whatever this one is: a clone, a copy, a namesake.
 *  moved 2  Either a capture of refloat's own says that this very tree was there (opening/tree-mark.ts);
 *  moved 3  or what the agent's finished calls wrote is here, at the same paths: uncommitted in the tree, or in a commit that this work tree's
 *           own log of HEAD says was made in it. What came by a clone, a fetch or a checkout is in every clone and proves nothing.
 *  moved 4  Half of the files it wrote, at least, written while it worked. A clock orders nothing here (D3): it only refuses.
 *  moved 5  What a session of this very folder wrote just so is that one's, and proves nothing of another.
 *
 * A folder's name proves nothing at all.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { LeftTexts } from "../../agents/journal/left-texts.ts";
import { readTranscript } from "../../agents/transcript/read-transcript.ts";
import { hasGitName, type PathName, pathFromText } from "../../model/path-name.ts";
import { errnoOf } from "../../platform/io-error.ts";
import { placeInside } from "../../platform/places.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import { conversationsOf, workspaceIn } from "../../store/contract/session-facts.ts";
import { lookAt } from "../../workspace/files/read-path.ts";
import { readHead } from "../../workspace/git/head.ts";
import { idOfNothing, objectsAt } from "../../workspace/git/objects.ts";
import type { Repository } from "../../workspace/git/repository.ts";
import { isOtherMark, ownMark } from "../../workspace/opening/tree-mark.ts";
import type { GitWorkspace } from "../../workspace/opening/workspace.ts";
import { lastCaptureOf } from "../../workspace/sessions/workspace-sessions.ts";
import { scopeOf } from "../place/scope.ts";
import { type GoneTranscript, isGone, type LeftTranscript, realOrNull } from "./left-transcripts.ts";

/** A tool that outlived its agent may have gone on writing for so long. */
const LATE_MS = 60 * 60_000;

/** Where a transcript has no times, so long before its last change it may have begun. */
const UNTIMED_MS = 24 * 60 * 60_000;

/** File systems and git count in seconds. */
const COARSE_MS = 2000;

/** Less is in many a file. */
const LEAST_BYTES = 8;

/** A larger file is no text of a call's. */
const MAX_FILE_BYTES = 4 * 1024 * 1024;

/** Commits of the work tree's log that are looked into, the newest. */
const MAX_COMMITS = 50;

export interface MovedPlace {
  /** What this workspace's top was called then. */
  readonly movedFrom: string;
  /** The agent's folder below it; empty: the top itself. */
  readonly inside: string;
}

export interface MovedLook {
  readonly workspace: GitWorkspace;
  /** Transcripts whose folder is here. */
  readonly own: readonly LeftTranscript[];
  /** Sessions whose workspace is no more. */
  readonly lost: readonly SessionRow[];
}

/** Null: there is no proof that it is this workspace's. */
export async function movedHere(look: MovedLook, gone: GoneTranscript): Promise<MovedPlace | null> {
  const tops = topsOf(gone.cwd, look.workspace.root);
  const seen = tops.find(({ movedFrom }) => wasSeenAt(look, movedFrom, gone));
  if (seen || tops.length === 0) return seen ?? null;
  const written = writtenBy(gone);
  if (written.size === 0) return null;
  for (const place of tops) if (await isWrittenHere(look, gone, place, written)) return place;
  return null;
}

/** Each folder that may have been this workspace's top: the agent's own, or one above it, as far as they are gone. */
function topsOf(cwd: string, root: string): readonly MovedPlace[] {
  const places: MovedPlace[] = [];
  for (let top = cwd; isGone(top) && top !== dirname(top); top = dirname(top)) {
    const inside = placeInside(top, cwd) ?? "";
    if (inside === "" || isOfWorkspace(join(root, inside), root)) places.push({ movedFrom: top, inside });
  }
  return places;
}

const isOfWorkspace = (folder: string, root: string): boolean =>
  realOrNull(folder) === folder && scopeOf(folder, "here").workspace === root;

/** moved 2. */
function wasSeenAt({ workspace, lost }: MovedLook, top: string, { nativeId }: GoneTranscript): boolean {
  const mark = ownMark(workspace);
  return lost.some((row) => {
    const tree = lastCaptureOf(row)?.tree ?? null;
    const isIts = workspaceIn(row) === top || isHeardAs(row, nativeId);
    return isIts && tree !== null && !isOtherMark(mark, tree);
  });
}

/** Of a session that was begun by hearing of it: whether this conversation is one of those it has had. */
export const isHeardAs = (row: SessionRow, nativeId: string): boolean =>
  row.facts.only_heard === true && conversationsOf(row).some(({ native_id }) => native_id === nativeId);

/** The texts it left, by their absolute names then. */
function writtenBy({ adapter, path, nativeId, cwd }: GoneTranscript): ReadonlyMap<string, string> {
  const left = new LeftTexts(cwd);
  const hear: LeftTexts["hear"] = (heard) => left.hear(heard);
  readTranscript({ path, nativeId }, adapter.transcript, { hear, damaged: () => undefined });
  return left.texts();
}

/** moved 3 and moved 4. */
async function isWrittenHere(
  look: MovedLook,
  gone: GoneTranscript,
  { movedFrom }: MovedPlace,
  written: ReadonlyMap<string, string>,
): Promise<boolean> {
  const texts = new Map<PathName, string>();
  for (const [name, text] of written) {
    const inside = placeInside(movedFrom, name);
    if (inside !== null && inside !== "" && !hasGitName(inside)) texts.set(pathFromText(inside), text);
  }
  if (texts.size === 0) return false;
  const made = await madeHere(look.workspace, texts, during(gone));
  if (!isEnough(made, texts)) return false;
  const explained = new Set(look.own.flatMap(leftHere));
  const isOwn = (path: PathName): boolean => explained.has(keyOf(path, texts.get(path) ?? ""));
  return isEnough(new Set([...made].filter((path) => !isOwn(path))), texts);
}

function isEnough(found: ReadonlySet<PathName>, texts: ReadonlyMap<PathName, string>): boolean {
  const bytes = [...found].reduce((sum, path) => sum + Buffer.byteLength(texts.get(path) ?? ""), 0);
  return bytes >= LEAST_BYTES && found.size * 2 >= texts.size;
}

/** moved 5: what a session of this folder left, by the names it has here. */
const leftHere = (one: LeftTranscript): readonly string[] =>
  [...writtenBy(one)].map(([name, text]) => keyOf(placeInside(topThen(one), name) ?? name, text));

const keyOf = (path: string, text: string): string => `${path}\0${text}`;

/** What the workspace's top was called by whoever worked here: through a link it has another name. */
const topThen = ({ cwd, inside }: LeftTranscript): string =>
  inside === "" ? cwd : cwd.slice(0, -inside.length - 1);

interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

const during = ({ beganMs, modifiedMs }: GoneTranscript): Span => ({
  fromMs: (beganMs ?? modifiedMs - UNTIMED_MS) - COARSE_MS,
  toMs: modifiedMs + LATE_MS,
});

const isDuring = (atMs: number, { fromMs, toMs }: Span): boolean => atMs >= fromMs && atMs <= toMs;

async function madeHere(
  workspace: GitWorkspace,
  texts: ReadonlyMap<PathName, string>,
  span: Span,
): Promise<ReadonlySet<PathName>> {
  const repository = await workspace.repository();
  const paths = [...texts.keys()];
  const { id: head } = await readHead(repository);
  const committed = head === null ? new Map() : await objectsAt(repository, head, paths);
  const idOf = (path: PathName): string => blobId(repository, texts.get(path) ?? "");
  const found = new Set(
    paths.filter(
      (path) =>
        committed.get(path)?.id !== idOf(path) &&
        beginsWith(workspace.root, path, texts.get(path) ?? "", span),
    ),
  );
  for (const commit of commitsMade(workspace, span)) {
    if (found.size === paths.length) break;
    for (const [path, object] of await objectsAt(repository, commit, paths))
      if (object.id === idOf(path)) found.add(path);
  }
  return found;
}

/** The file as it was left, or with more behind it: a command that was cut off may have added to it. */
function beginsWith(root: string, path: PathName, text: string, span: Span): boolean {
  const stat = lookAt(root, path);
  if (!stat?.isFile() || stat.size > MAX_FILE_BYTES || !isDuring(stat.mtimeMs, span)) return false;
  const wanted = Buffer.from(text);
  return readOrNull(join(root, path))?.subarray(0, wanted.length).equals(wanted) === true;
}

/** As git would name it. */
function blobId(repository: Repository, text: string): string {
  const bytes = Buffer.from(text);
  const kind = idOfNothing(repository).length === 64 ? "sha256" : "sha1";
  return createHash(kind).update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
}

const COMMITTED = /^\S+ ([0-9a-f]{40,64}) .* (\d+) [+-]\d{4}\tcommit(?: \([a-z]+\))?: /;

/** Those that were made in this work tree meanwhile, the newest first, by its own log. */
function commitsMade({ location: { gitDir } }: GitWorkspace, span: Span): readonly string[] {
  const lines = readOrNull(join(gitDir, "logs/HEAD"))?.toString("utf8").split("\n") ?? [];
  return lines
    .flatMap((line) => {
      const [, id, seconds] = COMMITTED.exec(line) ?? [];
      return id !== undefined && isDuring(Number(seconds) * 1000, span) ? [id] : [];
    })
    .reverse()
    .slice(0, MAX_COMMITS);
}

function readOrNull(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch (thrown) {
    if (errnoOf(thrown) === null) throw thrown;
    return null;
  }
}
