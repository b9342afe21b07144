/**
 * A commit as files, for whoever asks about a few of many: its list is read once, blobs asked for in one tick come by one
 * command, and words are looked for by git's own grep. Bounded: what is too much is "not known", never "not there".
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { RefloatError } from "../../model/errors.ts";
import { type PathName, pathFromBytes } from "../../model/path-name.ts";
import { nulFields } from "./nul-fields.ts";
import { blobSizes, readBlobs } from "./objects.ts";
import type { Repository } from "./repository.ts";

export interface HeadFiles {
  list(): Promise<readonly PathName[]>;
  /** Raw bytes of the blob; null: nothing, a directory, a submodule, or larger than the bound. */
  read(path: PathName): Promise<Uint8Array | null>;
  mentioning(words: readonly string[]): Promise<readonly PathName[] | null>;
}

/** A larger file is no source code that others refer into. */
const MAX_READ_BYTES = 4 * 1024 * 1024;
/** One command line's worth. */
const WORDS_PER_COMMAND = 200;
/** More words than this are not looked for: the answer is "not known". */
const MAX_WORDS = 2000;
const GREP_TIMEOUT_MS = 30_000;

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
  return {
    list: async () => [...(await blobs()).keys()],
    read: async (path) => {
      const id = (await blobs()).get(path);
      return id === undefined ? null : readId(id);
    },
    mentioning: (words) => filesWith(repository, commit, words),
  };
}

/** Files and links; submodules are other repositories. */
async function listBlobs(repository: Repository, commit: string): Promise<Map<PathName, string>> {
  const found = new Map<PathName, string>();
  const output = await repository.run(["ls-tree", "-r", "-z", "--full-tree", commit]);
  for (const field of nulFields(output)) {
    const tab = field.indexOf(0x09);
    const [, kind, id] = field.subarray(0, tab).toString("latin1").split(" ");
    if (kind === "blob" && id !== undefined) found.set(pathFromBytes(field.subarray(tab + 1)), id);
  }
  return found;
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

async function filesWith(
  repository: Repository,
  commit: string,
  words: readonly string[],
): Promise<PathName[] | null> {
  const wanted = [...new Set(words)].filter((word) => word !== "" && !/[\n\0]/.test(word));
  if (wanted.length > MAX_WORDS) return null;
  const found = new Set<PathName>();
  try {
    for (let at = 0; at < wanted.length; at += WORDS_PER_COMMAND) {
      const patterns = wanted.slice(at, at + WORDS_PER_COMMAND).flatMap((word) => ["-e", word]);
      const args = ["grep", "-l", "-z", "-I", "-F", "-w", "--full-name", ...patterns, commit, "--"];
      const output = await repository.run(args, { answers: [1], timeoutMs: GREP_TIMEOUT_MS });
      for (const path of namesIn(output, commit)) found.add(path);
    }
  } catch (thrown) {
    if (thrown instanceof RefloatError && thrown.code === "E_GIT_LIMIT") return null;
    throw thrown;
  }
  return [...found];
}

/** "<commit>:path" NUL. */
const namesIn = (output: Buffer, commit: string): PathName[] =>
  [...nulFields(output)].map((field) => pathFromBytes(field.subarray(commit.length + 1)));
