/**
 * What commits hold: the paths in which two of them differ, what one has at a path, and the bytes of blobs. A tree made by
 * hand may name what git keeps for itself; git checks none of that out, and here it is not there (W3).
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { RefloatError } from "../../model/errors.ts";
import { hasGitName, nulFields, type PathName, pathFromBytes, pathToBytes } from "../../model/path-name.ts";
import { randomToken } from "../../platform/random.ts";
import { lastValue } from "./config.ts";
import type { Repository } from "./repository.ts";
import { type GitObject, objectOf } from "./status.ts";

// What is read from git together: the bytes of a batch are in memory at once. Pure.

/** Few enough for a small machine, where they are there three times for a moment; and git is still asked seldom. */
const BATCH_BYTES = 4 * 1024 * 1024;

/** In order; one that is larger by itself is a batch by itself. */
export function blobBatches<T>(wanted: Iterable<T>, sizeOf: (one: T) => number): T[][] {
  const batches: T[][] = [];
  let bytes = 0;
  for (const one of wanted) {
    const size = sizeOf(one);
    const batch = batches.at(-1);
    if (batch && bytes + size <= BATCH_BYTES) {
      batch.push(one);
      bytes += size;
    } else {
      batches.push([one]);
      bytes = size;
    }
  }
  return batches;
}

export interface TreeChange {
  readonly path: PathName;
  readonly from: GitObject | null;
  readonly to: GitObject | null;
}

/** One command line's worth of paths; the kernel takes far more, git's own matching is linear in them. */
const PATHS_PER_COMMAND = 200;

/** Every path in which the two commits differ. */
export async function treeChanges(repository: Repository, from: string, to: string): Promise<TreeChange[]> {
  const flags = ["-r", "-z", "--no-renames", "--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty"];
  const fields = [...nulFields(await repository.run(["diff-tree", ...flags, from, to]))];
  const changes: TreeChange[] = [];
  // ":mode mode id id status" NUL path NUL
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [modes = "", mode, id, toId] = (fields[at] as Buffer).toString("latin1").split(" ");
    const path = pathFromBytes(fields[at + 1] as Buffer);
    if (hasGitName(path)) continue;
    changes.push({
      path,
      from: objectOf(modes.slice(1), id),
      to: objectOf(mode, toId),
    });
  }
  return changes;
}

/** What the commit has at each of these paths; a path it does not have is not in the map. */
export async function objectsAt(
  repository: Repository,
  commit: string,
  paths: readonly PathName[],
): Promise<Map<PathName, GitObject>> {
  const found = new Map<PathName, GitObject>();
  for (let at = 0; at < paths.length; at += PATHS_PER_COMMAND) {
    const some = paths.slice(at, at + PATHS_PER_COMMAND);
    for (const [path, object] of await listTree(repository, commit, some)) found.set(path, object);
  }
  return found;
}

/** Another clone at the same path, or a shallow one, need not have what an older journal names. */
export async function hasCommit(repository: Repository, commit: string): Promise<boolean> {
  const args = ["rev-parse", "-q", "--verify", `${commit}^{commit}`];
  return (await repository.run(args, { answers: [1, 128] })).length > 0;
}

/** Its history was cut off: what looks like the first commit need not be. */
export const isShallow = ({ commonDir }: Pick<Repository, "commonDir">): boolean =>
  existsSync(join(commonDir, "shallow"));

/** Everything the commit has. */
export async function allObjectsAt(
  repository: Repository,
  commit: string,
): Promise<Map<PathName, GitObject>> {
  const output = await repository.run(["ls-tree", "-z", "-r", "--full-tree", commit]);
  return new Map([...nulFields(output)].flatMap(treeLine));
}

/** "mode kind id" TAB path */
function treeLine(field: Buffer): [PathName, GitObject][] {
  const tab = field.indexOf(0x09);
  const [mode, , id] = field.subarray(0, tab).toString("latin1").split(" ");
  const object = objectOf(mode, id);
  const path = pathFromBytes(field.subarray(tab + 1));
  return object && !hasGitName(path) ? [[path, object]] : [];
}

async function listTree(
  repository: Repository,
  commit: string,
  paths: readonly PathName[],
): Promise<[PathName, GitObject][]> {
  // Arguments are text to Node: paths that are none are asked for by the folder that holds them.
  const asked = [...new Set(paths.map((path) => (path.isWellFormed() ? path : folderOf(path))))];
  const wanted = new Set(paths);
  // The top itself: then everything is listed, because naming some would leave the others out.
  const scope = asked.includes("" as PathName) ? [] : ["--", ...asked];
  const output = await repository.run(["ls-tree", "-z", "-r", "--full-tree", commit, ...scope]);
  return [...nulFields(output)].flatMap(treeLine).filter(([path]) => wanted.has(path));
}

/** The nearest folder whose name is text. */
function folderOf(path: PathName): PathName {
  const parts = path.split("/");
  const bad = parts.findIndex((part) => !part.isWellFormed());
  return parts.slice(0, bad).join("/") as PathName;
}

export interface WantedBlob {
  readonly id: string;
  /** With a path, the bytes come as a checkout would write them (line endings, filters that are on). */
  readonly path?: PathName;
}

/**
 * The bytes of blobs, in the order asked for; null: the object is not there any more. `known`: sizes of those that are
 * there, where somebody asked before.
 */
export async function readBlobs(
  repository: Repository,
  wanted: readonly WantedBlob[],
  known?: ReadonlyMap<string, number>,
): Promise<(Buffer | null)[]> {
  const found: (Buffer | null)[] = new Array<Buffer | null>(wanted.length).fill(null);
  const places = wanted.map((one, at) => ({ ...one, at }));
  const raw = places.filter((one) => !isAskable(one));
  const converted = places.filter(isAskable);
  // Those that are gone are left out beforehand: a converted one's answer could not be told from another's bytes, and
  // of a partial clone's git would not say that it is gone.
  const isPartial = isPartialClone(repository);
  const asked = isPartial ? places : converted;
  const sizes = known ?? (await blobSizes(repository, [...new Set(asked.map(({ id }) => id))]));
  const rawThere = isPartial ? raw.filter(({ id }) => sizes.has(id)) : raw;
  for (const [i, bytes] of (await readRaw(repository, rawThere)).entries())
    found[rawThere[i]?.at ?? 0] = bytes;
  const there = converted.filter(({ id }) => sizes.has(id));
  for (const [i, bytes] of (await readConverted(repository, there)).entries())
    found[there[i]?.at ?? 0] = bytes;
  return found;
}

async function readRaw(repository: Repository, wanted: readonly WantedBlob[]): Promise<(Buffer | null)[]> {
  if (wanted.length === 0) return [];
  const input = Buffer.from(wanted.map(({ id }) => `${id}\n`).join(""));
  return parseBatch(await repository.run(["cat-file", "--batch"], { input }));
}

/**
 * As a checkout would write them. The size git states is the one before conversion, so the answers are told
 * apart by a line nobody can have put into a file: it is made up for this one command.
 */
async function readConverted(repository: Repository, wanted: readonly WantedBlob[]): Promise<Buffer[]> {
  if (wanted.length === 0) return [];
  const header = Buffer.from(`${randomToken()}\n`);
  const lines = wanted.flatMap(({ id, path }) => [
    Buffer.from(`${id} `),
    pathToBytes(path as PathName),
    Buffer.from("\n"),
  ]);
  const args = ["cat-file", `--batch=${header.toString("latin1").trimEnd()}`, "--filters"];
  const output = await repository.run(args, { input: Buffer.concat(lines) });
  const found: Buffer[] = [];
  for (let at = output.indexOf(header); at !== -1; ) {
    const from = at + header.length;
    const next = output.indexOf(header, from);
    found.push(output.subarray(from, (next === -1 ? output.length : next) - 1));
    at = next;
  }
  if (found.length !== wanted.length)
    throw new RefloatError("E_GIT_FAILED", { command: "cat-file", why: "it answered less than was asked" });
  return found;
}

/** A path with a line feed cannot be told to `cat-file --batch`: its blob comes without conversion. */
const isAskable = ({ path }: WantedBlob): boolean => path !== undefined && !path.includes("\n");

function parseBatch(output: Buffer): (Buffer | null)[] {
  const found: (Buffer | null)[] = [];
  for (let at = 0; at < output.length; ) {
    const end = output.indexOf(0x0a, at);
    if (end === -1)
      throw new RefloatError("E_GIT_FAILED", { command: "cat-file", why: "its output is cut off" });
    const header = output.subarray(at, end).toString("latin1");
    const size = /^[0-9a-f]+ \w+ (\d+)$/.exec(header)?.[1];
    if (size === undefined) {
      found.push(null); // "<id> missing"
      at = end + 1;
    } else {
      found.push(output.subarray(end + 1, end + 1 + Number(size)));
      at = end + 1 + Number(size) + 1;
    }
  }
  return found;
}

/** As git writes "no object": as many zeros as its kind of id has digits. */
export function idOfNothing({ config }: Pick<Repository, "config">): string {
  return "0".repeat(lastValue(config, "extensions.objectformat") === "sha256" ? 64 : 40);
}

/** How large each blob is; one that is not there any more is not in the map. */
export async function blobSizes(
  repository: Repository,
  ids: readonly string[],
): Promise<Map<string, number>> {
  const there = isPartialClone(repository) ? await heldObjects(repository, ids) : ids;
  if (there.length === 0) return new Map();
  const input = Buffer.from(`${there.join("\n")}\n`);
  const output = await repository.run(["cat-file", "--batch-check=%(objectname) %(objectsize)"], { input });
  const sizes = new Map<string, number>();
  for (const line of output.toString("latin1").split("\n")) {
    const [id, size] = line.split(" ");
    if (id !== undefined && size !== undefined && /^\d+$/.test(size)) sizes.set(id, Number(size));
  }
  return sizes;
}

const isPartialClone = ({ config }: Pick<Repository, "config">): boolean =>
  config.some(({ key }) => key === "extensions.partialclone" || /^remote\..+\.promisor$/s.test(key));

/**
 * Asked for an object that a partial clone left with its remote, `cat-file` does not say "missing": it wants to fetch, may not, and
 * dies with all it was asked for. `rev-list --missing` fetches nothing and leaves out what is not there.
 */
async function heldObjects(repository: Repository, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const flags = ["--objects", "--no-walk", "--no-object-names", "--ignore-missing", "--missing=allow-any"];
  const input = Buffer.from(`${ids.join("\n")}\n`);
  const output = await repository.run(["rev-list", ...flags, "--stdin"], { input });
  const held = new Set(output.toString("latin1").split("\n"));
  return ids.filter((id) => held.has(id));
}
