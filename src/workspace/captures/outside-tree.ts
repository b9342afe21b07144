/**
 * A work tree as the recorder held it before a command, outside the store: what git listed, each path as it was read, and where the
 * repository would go with its tree its commits. Read here as any tree is (W4): what makes a capture of it looks at nothing that may have
 * changed since.
 */
import { type GapReason, gapReason } from "../../model/capture.ts";
import { BEFORE_CAPTURE_MS } from "../../model/limits.ts";
import { nulFields, type PathName, pathForDisplay, pathFromBytes } from "../../model/path-name.ts";
import type { PathState } from "../../model/path-state.ts";
import { addBytes, type ContentsSink } from "../files/contents-sink.ts";
import { type TrackedFiles, trackedIn } from "../git/beside-status.ts";
import type { GitFile } from "../git/git-files.ts";
import type { Tip } from "../git/going-commits.ts";
import { type Head, inProgressBy } from "../git/head.ts";
import type { IndexIdentity } from "../git/index-file.ts";
import { statusLines } from "../git/status.ts";
import { candidateOf, placeGap } from "../tree/read-git-tree.ts";
import type { CandidatePath, ReachedLimit, ReadEntry, ReadGap, Reading } from "../tree/reading.ts";

/** As stat(1) tells it: nanoseconds as text, which no number holds. */
export interface HeldStat {
  readonly dev: string;
  readonly ino: string;
  readonly size: number;
  readonly mtimeNs: bigint;
  /** 0: not known. */
  readonly birthMs: number;
}

export interface HeldEntry {
  readonly path: Uint8Array;
  readonly isIgnored: boolean;
  /** `file MODE LINKS`, `symlink MODE LINKS`, `directory MODE LINKS`, `absent`, `gap REASON DETAIL`. */
  readonly state: string;
  readonly content: Buffer | null;
}

export interface OutsideTree {
  readonly root: string;
  readonly commonDir: string;
  readonly kind: "main" | "linked";
  /** By name: `common`, `gitdir`, `index`, `common/description`, `common/info/exclude`, `gitdir/commondir`. */
  readonly stats: ReadonlyMap<string, HeldStat>;
  /** The last bytes of the index, in hex; null: there was none. */
  readonly trailer: string | null;
  /** Files of git's that say what it is in the middle of. */
  readonly signs: readonly string[];
  /** `git status --porcelain=v2 -z --branch`, and what it said on the side. */
  readonly status: Buffer;
  readonly complaints: string;
  /** What is out of the ordinary in `git ls-files -v -s -z`. */
  readonly tracked: Buffer;
  readonly entries: readonly HeldEntry[];
  /** What there was no time or room for: `commits`, `ignored`. */
  readonly leftOut: readonly string[];
  readonly limits: readonly ReachedLimit[];
  readonly tips: readonly Tip[];
  readonly bases: readonly string[];
  readonly pack: Buffer | null;
  readonly own: readonly GitFile[];
  readonly ownLeft: readonly string[];
}

/** Its contents are in the sink when it resolves. */
export async function readOutsideTree(tree: OutsideTree, sink: ContentsSink): Promise<Reading> {
  const { head, output } = headAndStatus(tree.status);
  const lines = statusLines(output, tree.complaints, tree.root);
  const tracked = trackedIn(tree.tracked, false);
  const known = new Map(lines.map((line) => [line.path, candidateOf(line)]));
  const entries: ReadEntry[] = [];
  const gaps: ReadGap[] = lines.flatMap(placeGap);
  for (const held of tree.entries) {
    const path = pathFromBytes(held.path);
    const [kind = "", first = "", ...rest] = held.state.split(" ");
    if (kind === "gap") {
      gaps.push({ path, reason: reasonOf(first), detail: rest.join(" ") });
      continue;
    }
    const candidate = candidateFor(path, held, known, tracked);
    const isLinked = kind === "file" && Number(rest[0]) > 1;
    const flags = isLinked ? [...candidate.flags, "hard-links"] : candidate.flags;
    entries.push({ ...candidate, state: await stateOf(kind, Number(first), held.content, sink), flags });
  }
  await sink.settle();
  for (const { path, state } of entries)
    if (state?.hash && !sink.isHeld(state.hash))
      gaps.push({ path, reason: "not-held", detail: "the store is at its cap: only the hash is kept" });
  return {
    ...{ how: "status", head, index: indexOf(tree), scopes: [], entries, gaps },
    inProgress: inProgressBy((file) => tree.signs.includes(file)),
    limits: [
      ...tree.limits,
      ...tree.leftOut.map((limit) => ({ limit, value: BEFORE_CAPTURE_MS, leftOut: 1 })),
    ],
    hidden: tracked.hiddenCount,
  };
}

const reasonOf = (text: string): GapReason => gapReason.safeParse(text).data ?? "unreadable";

function candidateFor(
  path: PathName,
  { isIgnored }: HeldEntry,
  known: ReadonlyMap<PathName, CandidatePath>,
  { hidden }: TrackedFiles,
): CandidatePath {
  if (isIgnored) return { path, head: null, staged: [], flags: ["ignored"] };
  const flag = hidden.find((one) => one.path === path)?.flag;
  return known.get(path) ?? { path, flags: flag === undefined ? [] : [flag] };
}

async function stateOf(
  kind: string,
  mode: number,
  content: Buffer | null,
  sink: ContentsSink,
): Promise<PathState> {
  if (kind === "absent") return null;
  if (kind === "directory" || content === null) return { kind: "directory", mode, size: 0, hash: null };
  const hash = await addBytes(sink, content);
  if (kind !== "symlink") return { kind: "file", mode, size: content.length, hash };
  const target = pathForDisplay(pathFromBytes(content));
  return { kind: "symlink", mode, size: content.length, hash, target };
}

/** Lines that begin with `#` say where HEAD is; the others are as ever. */
function headAndStatus(status: Buffer): { readonly head: Head; readonly output: Buffer } {
  const fields = [...nulFields(status)];
  const isHeader = (field: Buffer): boolean => field[0] === 0x23;
  const headers = fields.filter(isHeader).map((field) => field.toString("utf8"));
  const headerOf = (key: string): string | null =>
    headers.find((line) => line.startsWith(`# ${key} `))?.slice(key.length + 3) ?? null;
  const [oid, name] = [headerOf("branch.oid"), headerOf("branch.head")];
  const id = oid === "(initial)" ? null : oid;
  const isDetached = name === "(detached)" || name === null;
  const head = { id, branch: isDetached ? null : name, detached: isDetached, unborn: id === null };
  const rest = fields.filter((field) => !isHeader(field)).flatMap((field) => [field, Buffer.from([0])]);
  return { head, output: Buffer.concat(rest) };
}

function indexOf({ stats, trailer }: OutsideTree): IndexIdentity | null {
  const stat = stats.get("index");
  if (!stat || trailer === null) return null;
  return { inode: stat.ino, size: stat.size, mtime_ns: String(stat.mtimeNs), trailer };
}
