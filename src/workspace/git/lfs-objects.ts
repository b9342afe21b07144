/**
 * What Git LFS keeps beside the repository and no remote is known to have: commits hold only pointers, and a bundle of them only those. Told by
 * files and objects alone: no filter of the clone and no program of LFS is run (T2). As with LFS's own push, what a remote's branch
 * points at is on that remote.
 */
import { createReadStream, type Dirent, existsSync, readdirSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { errnoOf } from "../../platform/io-error.ts";
import { placeInside } from "../../platform/places.ts";
import { lastValue } from "./config.ts";
import type { Repository } from "./repository.ts";

export interface LfsObject {
  /** In git's folder, as it is by default. */
  readonly name: string;
  readonly path: string;
}

/** LFS reads no longer pointer, and none is shorter. */
const POINTER_BYTES = { min: 100, max: 1024 } as const;
const POINTER =
  /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n(?:[^\n]*\n)*?oid sha256:([0-9a-f]{64})\n/;
const OID = /^[0-9a-f]{64}$/;

/** `kept`: commits that a remote has. `folder`: what is about to go; objects that lie elsewhere stay. */
export async function lfsObjectsGoing(
  repository: Repository,
  kept: readonly string[],
  folder: string,
): Promise<LfsObject[]> {
  const all = objectsIn(storageOf(repository), folder);
  if (all.length === 0) return [];
  const pushed = await pointedAt(repository, kept);
  return all.filter(({ oid }) => !pushed.has(oid)).map(({ name, path }) => ({ name, path }));
}

/** The bytes, piece by piece: such files are large. */
export const lfsBytes = ({ path }: LfsObject): AsyncIterable<Uint8Array> => createReadStream(path);

const storageOf = ({ config, commonDir }: Repository): string =>
  resolve(commonDir, lastValue(config, "lfs.storage") ?? "lfs");

/** Links are not followed: what lies elsewhere stays there. */
function objectsIn(storage: string, folder: string): (LfsObject & { readonly oid: string })[] {
  if (!existsSync(storage) || placeInside(folder, realpathSync(storage)) === null) return [];
  const found: (LfsObject & { readonly oid: string })[] = [];
  const top = join(storage, "objects");
  for (const first of foldersIn(top))
    for (const second of foldersIn(join(top, first)))
      for (const entry of entriesIn(join(top, first, second)))
        if (entry.isFile() && OID.test(entry.name)) {
          const name = `lfs/objects/${first}/${second}/${entry.name}`;
          found.push({ oid: entry.name, path: join(top, first, second, entry.name), name });
        }
  return found;
}

const foldersIn = (folder: string): string[] =>
  entriesIn(folder).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));

function entriesIn(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (thrown) {
    const code = errnoOf(thrown);
    if (code === "ENOENT" || code === "ENOTDIR") return [];
    throw thrown;
  }
}

/** Every object that a pointer in the history of these commits names. */
async function pointedAt(repository: Repository, commits: readonly string[]): Promise<ReadonlySet<string>> {
  if (commits.length === 0) return new Set();
  const walked = await repository.run(
    [
      ...["rev-list", "--objects", "--no-object-names", "--missing=allow-any"],
      ...[`--filter=blob:limit=${POINTER_BYTES.max + 1}`, "--stdin"],
    ],
    { input: lines(commits) },
  );
  const check = "--batch-check=%(objecttype) %(objectsize) %(objectname)";
  const sized = await repository.run(["cat-file", check], { input: walked });
  const small = sized
    .toString("latin1")
    .split("\n")
    .flatMap((row) => {
      const [type, size, id] = row.split(" ");
      const isSmall = Number(size) >= POINTER_BYTES.min && Number(size) <= POINTER_BYTES.max;
      return type === "blob" && isSmall && id !== undefined ? [id] : [];
    });
  if (small.length === 0) return new Set();
  return pointersIn(await repository.run(["cat-file", "--batch"], { input: lines(small) }));
}

/** As `cat-file --batch` has it: a line with the size, the bytes, a line feed. */
function pointersIn(output: Buffer): ReadonlySet<string> {
  const found = new Set<string>();
  for (let at = 0; at < output.length; ) {
    const end = output.indexOf("\n", at);
    const size = Number(output.toString("latin1", at, end).split(" ")[2]);
    const oid = POINTER.exec(output.toString("latin1", end + 1, end + 1 + size))?.[1];
    if (oid !== undefined) found.add(oid);
    at = end + 1 + size + 1;
  }
  return found;
}

const lines = (all: readonly string[]): Buffer => Buffer.from(all.map((one) => `${one}\n`).join(""));
