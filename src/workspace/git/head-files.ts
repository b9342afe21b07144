/**
 * A commit as files, for whoever asks about a few of many: its list is read once, blobs asked for in one tick come by one
 * command, and so do words (word-search.ts).
 */
import { isAscii } from "node:buffer";
import { setImmediate as nextTurn } from "node:timers/promises";
import { nulFields, type PathName, pathFromBytes } from "../../model/path-name.ts";
import { blobSizes, readBlobs } from "./objects.ts";
import type { Repository } from "./repository.ts";
import { type SearchWords, wordSearch } from "./word-search.ts";

export interface HeadFiles {
  list(): Promise<readonly PathName[]>;
  /** Raw bytes of the blob; null: nothing, a directory, a submodule, or larger than the bound. */
  read(path: PathName): Promise<Uint8Array | null>;
  readonly mentioning: SearchWords;
}

/** A larger file is no source code that others refer into. */
const MAX_READ_BYTES = 4 * 1024 * 1024;

export const NO_HEAD_FILES: HeadFiles = {
  list: async () => [],
  read: async () => null,
  mentioning: async () => [],
};

export function headFiles(repository: Repository, commit: string): HeadFiles {
  let listed: Promise<ReadonlyMap<PathName, string>> | null = null;
  const blobs = (): Promise<ReadonlyMap<PathName, string>> => {
    listed ??= listBlobs(repository, commit);
    return listed;
  };
  const readId = batched(repository);
  const read = async (path: PathName): Promise<Uint8Array | null> => {
    const id = (await blobs()).get(path);
    return id === undefined ? null : readId(id);
  };
  return {
    list: async () => [...(await blobs()).keys()],
    read,
    mentioning: wordSearch({ repository, commit, read: (paths) => Promise.all(paths.map(read)) }),
  };
}

/** Files and links; submodules are other repositories. */
async function listBlobs(repository: Repository, commit: string): Promise<Map<PathName, string>> {
  const output = await repository.run(["ls-tree", "-r", "-z", "--full-tree", commit]);
  const found = new Map<PathName, string>();
  for (const line of linesOf(output)) {
    const tab = line.indexOf("\t");
    const [, kind, id] = line.slice(0, tab).split(" ");
    if (kind === "blob" && id !== undefined) found.set(line.slice(tab + 1) as PathName, id);
  }
  return found;
}

/** A hundred thousand lines: as one text, where their bytes are one already. */
function linesOf(output: Buffer): Iterable<string> {
  if (!isAscii(output)) return [...nulFields(output)].map(pathFromBytes);
  return output.toString("latin1").split("\0").slice(0, -1);
}

/** Everything asked for before the next turn of the loop is read by one command. */
function batched(repository: Repository): (id: string) => Promise<Uint8Array | null> {
  interface Batch {
    readonly ids: Set<string>;
    readonly found: Promise<ReadonlyMap<string, Buffer | null>>;
  }
  let open: Batch | null = null;
  const begin = (): Batch => {
    const ids = new Set<string>();
    const found = nextTurn().then(() => {
      open = null;
      return readAll(repository, [...ids]);
    });
    return { ids, found };
  };
  return async (id) => {
    open ??= begin();
    open.ids.add(id);
    return (await open.found).get(id) ?? null;
  };
}

async function readAll(repository: Repository, ids: readonly string[]): Promise<Map<string, Buffer | null>> {
  const sizes = await blobSizes(repository, ids);
  const small = ids.filter((id) => (sizes.get(id) ?? Number.POSITIVE_INFINITY) <= MAX_READ_BYTES);
  const bytes = await readBlobs(
    repository,
    small.map((id) => ({ id })),
  );
  return new Map(small.map((id, i) => [id, bytes[i] ?? null]));
}
