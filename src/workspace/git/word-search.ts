/**
 * Which files of a commit have a word. Going through a commit costs the same for one word as for two hundred, so everything asked
 * for before the next turn of the loop is looked for together by git's own grep; who asked for which word is told from the
 * bytes of the few files it names. Attributes are not asked: they lie in the tree, where the judged could hide a file
 * with them (T2); what has a NUL at its beginning is no text. Bounded: what is too much is "not known", never "not there".
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { RefloatError } from "../../model/errors.ts";
import { nulFields, type PathName, pathFromBytes } from "../../model/path-name.ts";
import type { Repository } from "./repository.ts";

/** `endings`: only files whose names end so, in either case. Null: it could not be looked for. */
export type SearchWords = (
  words: readonly string[],
  endings?: readonly string[],
) => Promise<readonly PathName[] | null>;

interface SearchOptions {
  readonly repository: Repository;
  readonly commit: string;
  /** In the order asked for; null: not there, or too large to be read. */
  readonly read: (paths: readonly PathName[]) => Promise<readonly (Uint8Array | null)[]>;
}

/** One command line's worth. */
const WORDS_PER_COMMAND = 200;
/** More words than this at once are not looked for: the answer is "not known". */
const MAX_WORDS = 2000;
/** Files in memory together. */
const FILES_PER_READ = 200;
const GREP_TIMEOUT_MS = 30_000;
/** Where git looks for a NUL, too. */
const BINARY_LOOK_BYTES = 8000;

/** Files by the words they have, or null where they could not be looked for. */
type FilesByWord = ReadonlyMap<string, ReadonlySet<PathName>> | null;

interface Batch {
  readonly words: Set<string>;
  readonly found: Promise<FilesByWord>;
}

export function wordSearch(options: SearchOptions): SearchWords {
  const open = new Map<string, Batch>();
  const begin = (endings: readonly string[], key: string): Batch => {
    const words = new Set<string>();
    const found = nextTurn().then(() => {
      open.delete(key);
      return search([...words], endings, options);
    });
    const batch = { words, found };
    open.set(key, batch);
    return batch;
  };
  return async (words, endings = []) => {
    const wanted = [...new Set(words)].filter((word) => word !== "" && !/[\n\0]/.test(word));
    if (wanted.length > MAX_WORDS) return null;
    if (wanted.length === 0) return [];
    const key = endings.join("/");
    const batch = open.get(key) ?? begin(endings, key);
    for (const word of wanted) batch.words.add(word);
    const found = await batch.found;
    return found && [...new Set(wanted.flatMap((word) => [...(found.get(word) ?? [])]))].sort();
  };
}

async function search(
  words: readonly string[],
  endings: readonly string[],
  options: SearchOptions,
): Promise<FilesByWord> {
  const found = new Map<string, Set<PathName>>();
  try {
    for (let at = 0; at < words.length; at += WORDS_PER_COMMAND) {
      const some = words.slice(at, at + WORDS_PER_COMMAND);
      const files = await grep(some, endings, options);
      for (const [word, paths] of await tellApart(some, files, options)) found.set(word, paths);
    }
  } catch (thrown) {
    if (thrown instanceof RefloatError && thrown.code === "E_GIT_LIMIT") return null;
    throw thrown;
  }
  return found;
}

/** Files that have at least one of the words: "<commit>:path" NUL. */
async function grep(
  words: readonly string[],
  endings: readonly string[],
  { repository, commit }: SearchOptions,
): Promise<PathName[]> {
  const patterns = words.flatMap((word) => ["-e", word]);
  const scope = endings.map((ending) => `:(icase)*.${ending}`);
  const args = ["grep", "-l", "-z", "-a", "-F", "-w", "--full-name", ...patterns, commit, "--", ...scope];
  const output = await repository.run(args, {
    answers: [1],
    timeoutMs: GREP_TIMEOUT_MS,
    pathspecs: "magic",
  });
  return [...nulFields(output)].map((field) => pathFromBytes(field.subarray(commit.length + 1)));
}

async function tellApart(
  words: readonly string[],
  files: readonly PathName[],
  { read }: SearchOptions,
): Promise<Map<string, Set<PathName>>> {
  const found = new Map(words.map((word) => [word, new Set<PathName>()]));
  const sought = words.map((word) => ({ word, bytes: Buffer.from(word) }));
  for (let at = 0; at < files.length; at += FILES_PER_READ) {
    const some = files.slice(at, at + FILES_PER_READ);
    const contents = await read(some);
    for (const [i, path] of some.entries()) {
      const bytes = contents[i];
      const text = bytes ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length) : null;
      if (text?.subarray(0, BINARY_LOOK_BYTES).includes(0)) continue;
      // What cannot be looked into may have any of them.
      for (const one of sought) if (!text || hasWord(text, one.bytes)) found.get(one.word)?.add(path);
    }
  }
  return found;
}

/** As `grep -w` has it: neither beside it is a letter, a digit or an underscore. */
function hasWord(text: Buffer, word: Buffer): boolean {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1))
    if (!isWordByte(text[at - 1]) && !isWordByte(text[at + word.length])) return true;
  return false;
}

function isWordByte(byte: number | undefined): boolean {
  if (byte === undefined) return false;
  const lower = byte | 0x20;
  return (byte >= 0x30 && byte <= 0x39) || byte === 0x5f || (lower >= 0x61 && lower <= 0x7a);
}
