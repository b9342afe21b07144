/**
 * Every path git calls different from HEAD or from the index. `-uall`, because without it the directory that
 * replaced a tracked symlink is not shown at all; renames off, because a rename is two paths to hold.
 * Submodules are compared by the commit they are at, in this process: looking inside them would run git under
 * *their* configuration, so each is opened through a door of its own instead (submodules.ts).
 */
import { RefloatError } from "../../model/errors.ts";
import { type PathName, pathFromBytes, pathFromText } from "../../model/path-name.ts";
import { lookAt } from "../files/read-path.ts";
import type { Repository } from "./repository.ts";

/** The modes git gives its entries: what kind of thing each is, and of a file whether it can be run. Pure. */
export const FILE = 0o100644;
export const RUNNABLE = 0o100755;
export const SYMLINK = 0o120000;
export const GITLINK = 0o160000;

const KIND_BITS = 0o170000;

interface WithMode {
  readonly mode: number;
}

/** Old repositories have other permission bits than these two: only the kind is asked for. */
export const isRegular = ({ mode }: WithMode): boolean => (mode & KIND_BITS) === (FILE & KIND_BITS);
export const isSymlink = ({ mode }: WithMode): boolean => (mode & KIND_BITS) === SYMLINK;
export const isSubmodule = ({ mode }: WithMode): boolean => (mode & KIND_BITS) === GITLINK;

/** A blob or commit with its mode, as a tree or the index names it. */
export interface GitObject {
  readonly mode: number;
  readonly id: string;
}

export interface StagedObject extends GitObject {
  /** 0; 1 to 3 of an unmerged path: base, ours, theirs. */
  readonly stage: number;
}

export interface StatusLine {
  readonly path: PathName;
  /** Unreadable: git could not look there; whether anything below it differs is not known. */
  readonly kind: "changed" | "unmerged" | "untracked" | "nested" | "unreadable";
  readonly head: GitObject | null;
  readonly staged: readonly StagedObject[];
  readonly isSubmodule: boolean;
}

const STATUS = [
  "status",
  "--porcelain=v2",
  "-z",
  "-uall",
  "--ignore-submodules=dirty",
  "--no-renames",
  "--no-column",
] as const;

/** With `below`, only what lies in these folders. */
export async function readStatus(
  repository: Repository,
  timeoutMs: number,
  below: readonly PathName[] = [],
): Promise<StatusLine[]> {
  const scope = below.length === 0 ? [] : ["--", ...below];
  let said = "";
  const onComplaints = (text: string): void => {
    said = text;
  };
  const output = await repository.run([...STATUS, ...scope], { timeoutMs, onComplaints });
  return statusLines(output, said, repository.root);
}

/** What git printed, and what it said on the side. */
export function statusLines(output: Buffer, said: string, root: string): StatusLine[] {
  const lines = parseStatus(output);
  return said === "" ? lines : [...lines, ...unreadablePlaces(root, said).map(unreadableLine)];
}

const unreadableLine = (path: PathName): StatusLine => ({
  path,
  kind: "unreadable",
  head: null,
  staged: [],
  isSubmodule: false,
});

function parseStatus(output: Buffer): StatusLine[] {
  const lines: StatusLine[] = [];
  for (let at = 0; at < output.length; ) {
    const end = output.indexOf(0, at);
    if (end === -1) throw unreadable("its last line is cut off");
    lines.push(parseLine(output.subarray(at, end)));
    at = end + 1;
  }
  return lines;
}

function parseLine(line: Buffer): StatusLine {
  switch (line[0]) {
    case 0x31: // "1 XY sub mH mI mW hH hI path"
      return changedLine(line);
    case 0x75: // "u XY sub m1 m2 m3 mW h1 h2 h3 path"
      return unmergedLine(line);
    case 0x3f: // "? path"; a nested repository ends in a slash
      return untrackedLine(line);
    default:
      throw unreadable(`a line begins with ${String.fromCharCode(line[0] ?? 0)}`);
  }
}

function changedLine(line: Buffer): StatusLine {
  const { fields, rest } = split(line, 8);
  const head = objectOf(fields[3], fields[6]);
  const staged = objectOf(fields[4], fields[7]);
  return {
    path: pathFromBytes(rest),
    kind: "changed",
    head,
    staged: staged ? [{ ...staged, stage: 0 }] : [],
    isSubmodule: [head, staged].some((one) => one?.mode === GITLINK),
  };
}

function unmergedLine(line: Buffer): StatusLine {
  const { fields, rest } = split(line, 10);
  const staged = [1, 2, 3].flatMap((stage) => {
    const found = objectOf(fields[2 + stage], fields[6 + stage]);
    return found ? [{ ...found, stage }] : [];
  });
  // HEAD's side of a merge is "ours".
  const ours = staged.find(({ stage }) => stage === 2);
  return {
    path: pathFromBytes(rest),
    kind: "unmerged",
    head: ours ? { mode: ours.mode, id: ours.id } : null,
    staged,
    isSubmodule: staged.some(({ mode }) => mode === GITLINK),
  };
}

function untrackedLine(line: Buffer): StatusLine {
  const name = line.subarray(2);
  const isNested = name.at(-1) === 0x2f;
  return {
    path: pathFromBytes(isNested ? name.subarray(0, -1) : name),
    kind: isNested ? "nested" : "untracked",
    head: null,
    staged: [],
    isSubmodule: false,
  };
}

/** The first `count` fields; the path after them may hold spaces. */
function split(line: Buffer, count: number): { fields: string[]; rest: Buffer } {
  const fields: string[] = [];
  let at = 0;
  for (let field = 0; field < count; field++) {
    const end = line.indexOf(0x20, at);
    if (end === -1) throw unreadable("a line has too few fields");
    fields.push(line.subarray(at, end).toString("latin1"));
    at = end + 1;
  }
  return { fields, rest: line.subarray(at) };
}

/** Mode 000000: nothing there on that side. */
export function objectOf(mode: string | undefined, id: string | undefined): GitObject | null {
  const bits = Number.parseInt(mode ?? "", 8);
  if (!Number.isInteger(bits) || id === undefined) throw unreadable("a mode is no number");
  return bits === 0 ? null : { mode: bits, id };
}

const unreadable = (why: string): RefloatError =>
  new RefloatError("E_GIT_FAILED", { command: "status", why });

// Where git could not look. `status` leaves out what it may not enter, says so on the side and ends well: a folder nobody may read
// would pass for a clean one (W4). The nearest place that can be seen stands for everything below it.

/** What is kept of what git says on the side is bounded (64 KiB): of more than this the rest may be missing. */
const WHOLE_CHARS = 60_000;

/** In the C locale: a folder that cannot be opened, and, by perror, a tracked path that cannot be looked at. */
const FOLDER = /^warning: could not open directory '(.*)': [^:']+$/;
const TRACKED =
  /^(.+): (?:Permission denied|Operation not permitted|Input\/output error|Stale file handle|File name too long|Too many levels of symbolic links|Transport endpoint is not connected)$/;

const TOP = "" as PathName;

function unreadablePlaces(root: string, said: string): PathName[] {
  const places = new Set<PathName>(said.length > WHOLE_CHARS ? [TOP] : []);
  for (const line of said.split("\n")) {
    const folder = FOLDER.exec(line)?.[1];
    if (folder !== undefined) places.add(nearestSeen(root, folder.replace(/\/$/, "")));
    const tracked = folder === undefined ? TRACKED.exec(line)?.[1] : undefined;
    const place = tracked === undefined ? TOP : nearestSeen(root, tracked);
    // Nothing of such a name here: a filter of the user's speaks of something else.
    if (place !== TOP) places.add(place);
  }
  return [...places];
}

/** A name that was garbled on its way stands for the folder it lies in. */
function nearestSeen(root: string, name: string): PathName {
  for (let at = name; at !== ""; at = at.slice(0, Math.max(0, at.lastIndexOf("/"))))
    if (lookAt(root, pathFromText(at)) !== null) return pathFromText(at);
  return TOP;
}
