/**
 * The objects of a commit, written and synced beside everything else: blobs as git would store them (line endings, filters
 * that are on), a tree from HEAD and the committed paths, built in an index of our own. The user's index and refs are not
 * touched; objects nobody names are harmless.
 */
import { join } from "node:path";
import { RefloatError } from "../../model/errors.ts";
import { type PathName, pathToBytes } from "../../model/path-name.ts";
import type { PathState } from "../../model/path-state.ts";
import { putIntoScratch } from "../../platform/scratch-tree.ts";
import { shownPath } from "../../text/shown-path.ts";
import { indexEntries } from "../../workspace/git/index-file.ts";
import { idOfNothing } from "../../workspace/git/objects.ts";
import type { GitOptions, Repository } from "../../workspace/git/repository.ts";
import type { GitObject } from "../../workspace/git/status.ts";
import { FILE, GITLINK, RUNNABLE, SYMLINK } from "../../workspace/git/status.ts";

/** A path as it is to be in the commit. */
export interface CommitPath {
  readonly path: PathName;
  readonly group: string;
  /** Null: gone. A directory is nothing to git: its paths are named one by one. */
  readonly state: PathState;
  /** Of a file or a symlink. */
  readonly bytes: Uint8Array | null;
  /** What the tree has there: other bytes, where only the session's part is committed. */
  readonly inTree: PathState;
}

export interface CommitObjects {
  readonly kind: "written";
  readonly tree: string;
  /** What the commit has at each of its paths. */
  readonly entries: ReadonlyMap<PathName, GitObject | null>;
}

/** Files that git does not store as they are: a filter fails, an encoding does not fit. `git add` would refuse them, too. */
export interface UnfitPaths {
  readonly kind: "unfit";
  readonly paths: readonly { readonly path: PathName; readonly group: string; readonly why: string }[];
}

/** Where the copies lie in the scratch folder. */
const FILES = "files";
const EXECUTABLE = 0o100;
const WRITE_TIMEOUT_MS = 300_000;
const WRITING = { isWriting: true, timeoutMs: WRITE_TIMEOUT_MS } as const;
/** Our own index has every path of HEAD as it is there; what a sparse checkout leaves out is none of its business. */
const WHOLE = { settings: [{ key: "core.sparseCheckout", value: "false" }] } as const;

/** `scratch` is a private folder; `head` null: the first commit. */
export async function writeCommitObjects(
  repository: Repository,
  paths: readonly CommitPath[],
  head: string | null,
  scratch: string,
): Promise<CommitObjects | UnfitPaths> {
  const indexFile = join(scratch, "index");
  await repository.run(head === null ? ["read-tree", "--empty"] : ["read-tree", head], {
    indexFile,
    ...WHOLE,
  });
  const entries = new Map<PathName, GitObject | null>(paths.map(({ path }) => [path, null]));
  const files = await writeFiles(repository, paths, { scratch, indexFile });
  if (files.kind === "unfit") return files;
  for (const [path, object] of files.objects) entries.set(path, object);
  for (const { path, state, bytes } of paths) {
    if (state?.kind === "symlink" && bytes)
      entries.set(path, { mode: SYMLINK, id: await writeBlob(repository, bytes) });
    if (state?.kind === "submodule" && state.target) entries.set(path, { mode: GITLINK, id: state.target });
  }
  return { kind: "written", tree: await treeWith(repository, entries, indexFile), entries };
}

/** The tree of a commit with other entries at these paths; their objects are in the repository already. */
export async function writeTree(
  repository: Repository,
  commit: string,
  entries: ReadonlyMap<PathName, GitObject | null>,
  scratch: string,
): Promise<string> {
  const indexFile = join(scratch, "index");
  await repository.run(["read-tree", commit], { indexFile, ...WHOLE });
  return treeWith(repository, entries, indexFile);
}

async function treeWith(
  repository: Repository,
  entries: ReadonlyMap<PathName, GitObject | null>,
  indexFile: string,
): Promise<string> {
  const input = indexInfo(repository, entries);
  await repository.run(["update-index", "-z", "--index-info"], { input, indexFile, ...WHOLE });
  // Missing: of a partial clone, what HEAD has and nobody fetched yet. What is new was just written.
  return text(await repository.run(["write-tree", "--missing-ok"], { indexFile, ...WHOLE, ...WRITING }));
}

/** Without conversion: of a link's target, or of bytes that are a blob's already. */
export async function writeBlob(repository: Repository, bytes: Uint8Array): Promise<string> {
  return text(
    await repository.run(["hash-object", "-w", "--no-filters", "--stdin"], { input: bytes, ...WRITING }),
  );
}

/**
 * All files by one command, from copies nobody else can reach. It is `update-index` and not `hash-object`, which reads no
 * index: it would see neither HEAD's .gitattributes (a file of LFS would be committed raw) nor that HEAD's own blob has CR LF,
 * which git then keeps. Attributes come from those copies and else from our own index, which is HEAD's.
 */
async function writeFiles(
  repository: Repository,
  paths: readonly CommitPath[],
  { scratch, indexFile }: { readonly scratch: string; readonly indexFile: string },
): Promise<{ kind: "files"; objects: [PathName, GitObject][] } | UnfitPaths> {
  const wanted = paths.filter(({ state }) => state?.kind === "file");
  if (wanted.length === 0) return { kind: "files", objects: [] };
  for (const { path, bytes, state } of wanted) {
    if (!bytes) throw new RefloatError("E_NO_CONTENT", { hash: shownPath(path) });
    const isExecutable = ((state?.mode ?? 0) & EXECUTABLE) !== 0;
    const inside = Buffer.concat([Buffer.from(`${FILES}/`), pathToBytes(path)]);
    putIntoScratch(scratch, inside, { kind: "file", bytes, isExecutable });
  }
  const place = { indexFile, workTree: join(scratch, FILES) };
  const failed = await addToIndex(repository, wanted, place);
  if (failed) return { kind: "unfit", paths: await unfitAmong(repository, wanted, place, failed) };
  const names = wanted.map(({ path }) => path);
  const staged = await indexEntries(repository, names, indexFile);
  const objects = wanted.map(({ path, state }): [PathName, GitObject] => {
    const object = staged.get(path)?.[0];
    if (!object) throw new RefloatError("E_INTERNAL", { why: `${shownPath(path)} is in no index` });
    // Where links cannot be made (core.symlinks), a file with its target is the link, to git and to everybody.
    if (object.mode === SYMLINK) return [path, { mode: SYMLINK, id: object.id }];
    const mode = ((state?.mode ?? 0) & EXECUTABLE) === 0 ? FILE : RUNNABLE;
    return [path, { mode, id: object.id }];
  });
  return { kind: "files", objects };
}

type IndexPlace = Required<Pick<GitOptions, "indexFile" | "workTree">>;

/** Null: git stores all of them. */
async function addToIndex(
  repository: Repository,
  files: readonly CommitPath[],
  place: IndexPlace,
): Promise<RefloatError | null> {
  const input = Buffer.concat(files.flatMap(({ path }) => [pathToBytes(path), Buffer.from([0])]));
  const args = ["update-index", "--add", "--replace", "-z", "--stdin"];
  try {
    await repository.run(args, { input, ...place, ...WHOLE, ...WRITING });
    return null;
  } catch (thrown) {
    if (thrown instanceof RefloatError && thrown.code === "E_GIT_FAILED") return thrown;
    throw thrown;
  }
}

/** One by one, to name them: only their groups stay out (DESIGN 15). Where none fails alone, nobody can say which it is. */
async function unfitAmong(
  repository: Repository,
  files: readonly CommitPath[],
  place: IndexPlace,
  failed: RefloatError,
): Promise<UnfitPaths["paths"]> {
  const unfit: { path: PathName; group: string; why: string }[] = [];
  for (const file of files) {
    const { path, group } = file;
    const error = await addToIndex(repository, [file], place);
    if (error) unfit.push({ path, group, why: `git does not store it: ${String(error.data.why)}` });
  }
  if (unfit.length === 0) throw failed;
  return unfit;
}

/** What goes, goes first: a link must be out of the way of the folder that replaces it. */
export function indexInfo(repository: Repository, entries: ReadonlyMap<PathName, GitObject | null>): Buffer {
  const lines = [...entries].sort(([, a], [, b]) => Number(a !== null) - Number(b !== null));
  const nothing = idOfNothing(repository);
  return Buffer.concat(
    lines.flatMap(([path, object]) => [
      Buffer.from(object ? `${object.mode.toString(8)} ${object.id}\t` : `0 ${nothing}\t`),
      pathToBytes(path),
      Buffer.from([0]),
    ]),
  );
}

const text = (output: Buffer): string => output.toString("utf8").trim();
