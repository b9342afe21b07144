/**
 * The two files and the ring of older versions, as bytes. Each is replaced whole; what is on disk after a kill:
 *   after the ring         `.bak*` shifted by copies, each whole; the state file as before
 *   after the state file   the new state beside the old companion: the journal knows, the next command finishes
 *   after the companion    both new
 */
import { createHash } from "node:crypto";
import { existsSync, lstatSync, readFileSync, realpathSync } from "node:fs";
import { dirname } from "node:path";
import { RefloatError } from "../model/errors.ts";
import { crashPoint } from "../platform/crash-point.ts";
import { createDurable, makePrivateDirectory, writeDurable } from "../platform/durable-file.ts";
import { ioError } from "../platform/io-error.ts";
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
