/**
 * The changes of a session as a patch and as files, for a machine without its store. What a capture holds is the source;
 * tracked files go as git's own patch against the captured HEAD, which plain git applies. Whatever cannot or must not go
 * along is a named gap (W4, T4): a path the capture did not hold, one that changed since, one that may hold a secret.
 */
import type { Capture } from "../../model/capture.ts";
import { RefloatError } from "../../model/errors.ts";
import type { ContentHash } from "../../model/ids.ts";
import { type PathName, pathForDisplay, pathFromBytes, pathToBytes } from "../../model/path-name.ts";
import { readWholeContent } from "../../store/content-store.ts";
import type { Store } from "../../store/store.ts";
import { fileMayHoldSecret } from "../../text/redact.ts";
import type { Repository } from "../../workspace/git/repository.ts";
import { type ReadEntry, readingOf } from "../../workspace/tree/reading.ts";
import type { TarEntry } from "./tar.ts";

export interface BundleGap {
  readonly path: string;
  readonly why: string;
}

export interface BundleSource {
  readonly store: Store;
  readonly capture: Capture;
  readonly atMs: number;
  /** Null: a folder without git; then every file goes into the archive. */
  readonly repository: Repository | null;
  readonly isRaw: boolean;
}

/** Paths of one `git diff`: a command line holds only so many. */
const DIFF_PATHS = 200;
/** A bundle is uploaded from a machine that is about to go: larger files are named. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;

export interface BundleChanges {
  readonly patch: Buffer;
  /** Read one at a time, when the archive is written. */
  readonly untracked: readonly ReadEntry[];
  readonly gaps: readonly BundleGap[];
}

export async function bundleChanges(source: BundleSource): Promise<BundleChanges> {
  const { capture, repository } = source;
  const reading = readingOf(capture);
  const gaps: BundleGap[] = reading.gaps.map(({ path, reason, detail }) => ({
    path: pathForDisplay(path),
    why: `the capture does not hold it (${reason}): ${detail}`,
  }));
  const isNew = ({ flags }: ReadEntry): boolean => repository === null || flags.includes("untracked");
  const tracked = reading.entries.filter((entry) => !isNew(entry));
  const patch = repository ? await patchOf(source, repository, tracked, gaps) : Buffer.alloc(0);
  const untracked: ReadEntry[] = [];
  for (const entry of reading.entries.filter(isNew)) {
    const why = await whyNot(source, entry);
    if (why === null) untracked.push(entry);
    else gaps.push({ path: pathForDisplay(entry.path), why });
  }
  return { patch, untracked, gaps };
}

async function patchOf(
  source: BundleSource,
  repository: Repository,
  entries: readonly ReadEntry[],
  gaps: BundleGap[],
): Promise<Buffer> {
  const head = source.capture.head?.id;
  const kept: Buffer[] = [];
  if (head === null || head === undefined) return Buffer.alloc(0);
  const named = entries.filter(({ path }) => path.isWellFormed());
  for (const { path } of entries.filter((entry) => !entry.path.isWellFormed()))
    gaps.push({ path: pathForDisplay(path), why: "its name is no text that a command line can hold" });
  const hashes = new Map(named.map(({ path, state }) => [path, state?.hash ?? null]));
  for (let from = 0; from < named.length; from += DIFF_PATHS) {
    const paths = named.slice(from, from + DIFF_PATHS).map(({ path }) => path);
    const diff = await diffOf(repository, head, paths);
    if (diff instanceof RefloatError) {
      gaps.push(...paths.map((path) => ({ path: pathForDisplay(path), why: diff.message })));
      continue;
    }
    for (const { path, bytes } of patchParts(diff)) {
      if (source.isRaw || !(await hasSecret(source.store, bytes, hashes.get(path) ?? null))) kept.push(bytes);
      else gaps.push({ path: pathForDisplay(path), why: "it may hold a secret" });
    }
  }
  return Buffer.concat(kept);
}

const DIFF = [
  "diff",
  "--binary",
  "--full-index",
  "--no-renames",
  "--no-ext-diff",
  "--no-textconv",
  "--no-color",
  "--ignore-submodules=dirty",
] as const;

/** What git cannot tell is a gap of these paths, not the end of the bundle. */
async function diffOf(
  repository: Repository,
  head: string,
  paths: readonly PathName[],
): Promise<Buffer | RefloatError> {
  try {
    return await repository.run([...DIFF, head, "--", ...paths]);
  } catch (thrown) {
    if (thrown instanceof RefloatError) return thrown;
    throw thrown;
  }
}

/** In what the patch shows, or, where it shows a binary file only by its encoding, in the file. */
async function hasSecret(store: Store, part: Buffer, hash: string | null): Promise<boolean> {
  if (await fileMayHoldSecret(part.toString("utf8"))) return true;
  if (!part.includes("GIT binary patch\n") || hash === null) return false;
  const bytes = await contentOf(store, hash);
  return bytes !== null && (await fileMayHoldSecret(bytes.toString("utf8")));
}

/** Null: it goes along. */
async function whyNot({ store, isRaw }: BundleSource, { state }: ReadEntry): Promise<string | null> {
  if (state === null) return "it is gone";
  if (state.kind === "directory" || state.kind === "submodule") return `it is a ${state.kind}`;
  if (state.size > MAX_FILE_BYTES) return `it is larger than ${MAX_FILE_BYTES} bytes`;
  const bytes = state.hash === null ? null : await contentOf(store, state.hash);
  if (bytes === null) return "the store does not hold it";
  return !isRaw && (await fileMayHoldSecret(bytes.toString("utf8"))) ? "it may hold a secret" : null;
}

async function contentOf(store: Store, hash: string): Promise<Buffer | null> {
  const content = await store.driver.readContent(hash as ContentHash);
  return content && content.bytes <= MAX_FILE_BYTES ? readWholeContent(store.driver, content.hash) : null;
}

export async function* archiveEntries(
  { store, atMs }: BundleSource,
  untracked: readonly ReadEntry[],
): AsyncGenerator<TarEntry> {
  for (const { path, state } of untracked) {
    if (state === null || state.hash === null) continue;
    const bytes = await readWholeContent(store.driver, state.hash);
    const content =
      state.kind === "symlink"
        ? ({ kind: "symlink", target: bytes } as const)
        : ({ kind: "file", bytes } as const);
    yield { name: pathToBytes(path), mode: state.mode, mtimeMs: atMs, content };
  }
}

/**
 * The text of `git diff` cut into the parts of single paths, so that one with a secret can be left out whole. Renames must
 * be off: then both names of a header are the same.
 */
interface PatchPart {
  readonly path: PathName;
  readonly bytes: Buffer;
}

/** Only a header begins with this: lines of content begin with a blank, a sign, or a length and no blank at all. */
const HEADER = Buffer.from("diff --git ");
const NEWLINE = 0x0a;

export function patchParts(patch: Buffer): PatchPart[] {
  const starts: number[] = [];
  for (let at = 0; at < patch.length; ) {
    if (patch.subarray(at, at + HEADER.length).equals(HEADER)) starts.push(at);
    const end = patch.indexOf(NEWLINE, at);
    if (end === -1) break;
    at = end + 1;
  }
  return starts.map((start, i) => {
    const bytes = patch.subarray(start, starts[i + 1] ?? patch.length);
    return { path: pathOf(bytes), bytes };
  });
}

/** `a/NAME b/NAME`, both the same; or both in quotes, with escapes. */
function pathOf(part: Buffer): PathName {
  const end = part.indexOf(NEWLINE);
  const names = part.subarray(HEADER.length, end === -1 ? part.length : end);
  const one = names.subarray(0, (names.length - 1) / 2);
  const name = one[0] === 0x22 ? unquoted(one.subarray(1, -1)) : one;
  return pathFromBytes(name.subarray(2));
}

const ESCAPES: Readonly<Record<string, number>> = {
  a: 0x07,
  b: 0x08,
  t: 0x09,
  n: 0x0a,
  v: 0x0b,
  f: 0x0c,
  r: 0x0d,
  '"': 0x22,
  "\\": 0x5c,
};

function unquoted(quoted: Buffer): Buffer {
  const bytes: number[] = [];
  for (let at = 0; at < quoted.length; at++) {
    const byte = quoted[at] ?? 0;
    if (byte !== 0x5c) {
      bytes.push(byte);
      continue;
    }
    const letter = String.fromCharCode(quoted[at + 1] ?? 0);
    const known = ESCAPES[letter];
    if (known === undefined) {
      bytes.push(Number.parseInt(quoted.toString("latin1", at + 1, at + 4), 8));
      at += 3;
    } else {
      bytes.push(known);
      at += 1;
    }
  }
  return Buffer.from(bytes);
}
