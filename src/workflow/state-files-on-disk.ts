/**
 * The two files and the ring of older versions, as bytes. Each is replaced whole; what is on disk after a kill:
 *   after the ring         `.bak*` shifted by copies, each whole; the state file as before
 *   after the state file   the new state beside the old companion: the journal knows, the next command finishes
 *   after the companion    both new
 */
import { createHash } from "node:crypto";
import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync, type Stats } from "node:fs";
import { basename, dirname, join } from "node:path";
import { RefloatError } from "../model/errors.ts";
import { crashPoint } from "../platform/crash-point.ts";
import {
  createDurable,
  makePrivateDirectory,
  removeDurable,
  writeDurable,
} from "../platform/durable-file.ts";
import { errnoOf, ioError } from "../platform/io-error.ts";
import { isOpenHere, pidsWithOpen } from "../platform/open-files.ts";
import { shellWord } from "../text/escape.ts";
import { BACKUP_SUFFIXES, handoffOf } from "./state-paths.ts";

/** A file of a repository is its users' to read; the umask takes its own away. */
const SHARED_FILE = 0o666;
/** A state file of this size is somebody's data, not the progress of a workflow (T5). */
export const MAX_STATE_BYTES = 8 * 1024 * 1024;

export const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Null: nothing is there. A link is refused: what is written must stay where the user sees it (W3). */
export function readStateFile(path: string): string | null {
  if (!isThere(path)) return null;
  const stat = lstatSync(path);
  if (stat.isSymbolicLink()) throw new NotAFile(path, "a symbolic link", linkRemedy(path));
  if (!stat.isFile()) {
    const word = shellWord(path);
    const instead = `mv ${word} ${shellWord(`${path}.aside`)} && refloat state repair ${word}`;
    throw new NotAFile(path, stat.isDirectory() ? "a folder" : "a special file", instead);
  }
  if (stat.size > MAX_STATE_BYTES)
    throw new RefloatError("E_TOO_LARGE", { what: path, bytes: stat.size, limit: MAX_STATE_BYTES });
  try {
    return readFileSync(path, "utf8");
  } catch (thrown) {
    throw ioError(thrown, path);
  }
}

/** No repair replaces what somebody put there on purpose: the hint is what they can do themselves (T6). */
class NotAFile extends RefloatError {
  override readonly name = "NotAFile";
  override readonly hint: string;

  constructor(path: string, found: string, command: string) {
    super("E_STATE_DAMAGED", { path, why: `it is ${found}.` });
    this.hint = `refloat writes a state file where it lies, and leaves this one alone. A file takes its place by \`${command}\``;
  }
}

/** A copy of where the link leads takes its place; a link that leads nowhere goes. */
export function linkRemedy(path: string): string {
  const [word, copy] = [shellWord(path), shellWord(`${path}.copy`)];
  if (!existsSync(path)) return `rm ${word} && refloat state repair ${word}`;
  return `cp ${shellWord(realpathSync(path))} ${copy} && mv ${copy} ${word}`;
}

/** A dangling link is there, too. */
function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

const HEARTBEAT = /("heartbeat"\s*:\s*)"[^"]*"/g;
/** How often it comes, with the comma that goes with the field wherever it stands. */
const EVERY = /,\s*"heartbeat_every_ms"\s*:\s*\d+|"heartbeat_every_ms"\s*:\s*\d+\s*,\s*/g;
const withoutBeats = (text: string): string => text.replace(HEARTBEAT, "$1").replace(EVERY, "");

/** Whether two texts say the same but for when their owners were last heard of. */
export const isSameButBeats = (a: string, b: string): boolean =>
  a === b || withoutBeats(a) === withoutBeats(b);

export interface FilesToWrite {
  readonly path: string;
  /** What is there now; null: nothing. */
  readonly before: string | null;
  readonly file: string;
  readonly handoff: string;
  /** What is no version of its own does not push real ones out of the ring. */
  readonly keepsRing: boolean;
}

export function writeFiles({ path, before, file, handoff, keepsRing }: FilesToWrite): void {
  makePrivateDirectory(dirname(path));
  if (before !== null && before !== file && !keepsRing) shiftRing(path, before);
  crashPoint("state.after-backup");
  // The last look before the rename: an edit of this very moment is not to be lost.
  if (readStateFile(path) !== before) throw new RefloatError("E_STATE_EDITED", { path });
  if (before !== file) writeDurable(path, file, { mode: modeOf(path) });
  crashPoint("state.after-file");
  const companion = handoffOf(path);
  if (readStateFile(companion) !== handoff) writeDurable(companion, handoff, { mode: modeOf(companion) });
  crashPoint("state.after-handoff");
}

/** The state file alone, whose heartbeats are newer. */
export function writeBeat(path: string, before: string, file: string): void {
  if (readStateFile(path) !== before) throw new RefloatError("E_STATE_EDITED", { path });
  writeDurable(path, file, { mode: modeOf(path) });
}

/**
 * From the oldest on, by copies: at every instant each of them is a whole version. Two neighbours that are equal are
 * a shift that a kill cut off: what lies below them has moved already, and moving it again would push a version out.
 */
function shiftRing(path: string, newest: string): void {
  const ring = BACKUP_SUFFIXES.map((suffix) => readStateFile(path + suffix));
  if (ring[0] === newest) return;
  const moved = ring.findIndex((text, i) => i > 0 && text !== null && text === ring[i - 1]);
  const last = moved === -1 ? ring.length - 1 : moved - 1;
  for (let i = last; i > 0; i--) {
    const older = ring[i - 1];
    if (typeof older !== "string") continue;
    writeDurable(path + BACKUP_SUFFIXES[i], older, { mode: modeOf(path) });
    crashPoint("state.in-ring");
  }
  writeDurable(path + BACKUP_SUFFIXES[0], newest, { mode: modeOf(path) });
}

/** Puts the bytes of a damaged file aside, or of one that is written anew, under a name nothing else has. */
export function putAside(path: string, as: "corrupt" | "before", at: string): string {
  const bytes = readFileSync(path);
  const name = `${path}.${as}-${at.replaceAll(":", "")}`;
  for (let i = 0; ; i++) {
    const aside = i === 0 ? name : `${name}-${i}`;
    if (existsSync(aside)) {
      if (readFileSync(aside).equals(bytes)) return aside;
      continue;
    }
    createDurable(aside, bytes, { mode: modeOf(path) });
    return aside;
  }
}

function modeOf(path: string): number {
  return isThere(path) ? lstatSync(path).mode & 0o777 : SHARED_FILE;
}

// What a kill in the middle of a write left beside a state file: a temporary name with bytes that were never acknowledged. The next
// change of the file clears it away, where it is proved to be ours (W1): by its name, its owner, and bytes that the store or a
// copy beside the file knows; and to be nobody's at work: nobody has it open, and it is older than any write takes. Whatever
// lacks one of these stays, and `doctor` names it.

/** As platform/durable-file.ts names what it has not renamed yet. */
const TEMPORARY = /^\.tmp-[0-9a-hjkmnp-tv-z]{20}$/;
/** Between the last byte and the rename there are two system calls: who needs a minute for them is not there any more. */
const SURELY_OVER_MS = 60_000;
/** A shorter beginning could be that of anything. */
const MIN_PROOF_BYTES = 64;

/** `texts`: what the store knows to have been written, or begun, as state or companion. The caller holds the file's claim. */
export function clearStrayWrites(file: string, texts: () => readonly string[], nowMs: number): void {
  const folder = dirname(file);
  const strays = readdirSync(folder)
    .filter((name) => TEMPORARY.test(name))
    .map((name) => join(folder, name))
    .filter((path) => isLeft(path, nowMs));
  if (strays.length === 0) return;
  const known = [...texts(), ...textsBeside(file)];
  for (const path of strays) clear(path, known);
}

function clear(path: string, known: readonly string[]): void {
  try {
    if (isOneOf(readFileSync(path, "utf8"), known)) removeDurable(path);
  } catch (thrown) {
    // The change it came with is on disk and stands, whatever becomes of this one: `doctor` names it.
    if (!(thrown instanceof RefloatError) && errnoOf(thrown) === null) throw thrown;
  }
}

function isLeft(path: string, nowMs: number): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat?.isFile() || !isOwn(stat)) return false;
  const isOver = nowMs - Math.max(stat.mtimeMs, stat.ctimeMs) >= SURELY_OVER_MS;
  // Null: this system does not tell who has a file open; then it stays.
  return isOver && !isOpenHere(stat) && pidsWithOpen(path)?.length === 0;
}

const isOwn = ({ uid, nlink, size }: Stats): boolean =>
  uid === process.getuid?.() && nlink === 1 && size >= MIN_PROOF_BYTES && size <= MAX_STATE_BYTES;

/** All of a text, or its beginning: a kill may cut a write off between two pages. */
const isOneOf = (text: string, known: readonly string[]): boolean =>
  known.some((one) => one.startsWith(text) || isSameButBeats(one, text));

/** The files themselves, the ring, and what was put aside. */
function textsBeside(file: string): string[] {
  const folder = dirname(file);
  const [name, companion] = [basename(file), basename(handoffOf(file))];
  const aside = readdirSync(folder).filter(
    (one) => one.startsWith(`${name}.corrupt`) || one.startsWith(`${companion}.before-`),
  );
  return [name, companion, ...BACKUP_SUFFIXES.map((suffix) => name + suffix), ...aside]
    .map((one) => join(folder, one))
    .filter((path) => existsSync(path) && lstatSync(path).isFile() && lstatSync(path).size <= MAX_STATE_BYTES)
    .map((path) => readFileSync(path, "utf8"));
}
