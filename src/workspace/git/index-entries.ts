/** What the index has at paths, with the bits that neither mode nor id tell (skip-worktree, assume-unchanged, intent-to-add). */
import { RefloatError } from "../../model/errors.ts";
import { type PathName, pathFromBytes } from "../../model/path-name.ts";
import type { IndexFlag } from "../../model/plan.ts";
import type { Repository } from "./repository.ts";
import type { StagedObject } from "./status.ts";

export interface IndexEntry extends StagedObject {
  readonly flags?: readonly IndexFlag[] | undefined;
}

/** More than these are looked for in the whole list: git matches each path against each entry. */
const MAX_ASKED = 200;

/** Bits of git's cache entries, as `ls-files --debug` shows them. */
const FLAG_BITS: readonly (readonly [bit: number, flag: IndexFlag])[] = [
  [0x8000, "assume-unchanged"],
  [0x20000000, "intent-to-add"],
  [0x40000000, "skip-worktree"],
];

/** A path the index does not have is not in the map. `indexFile`: another index than the user's. */
export async function indexEntries(
  repository: Repository,
  paths: readonly PathName[],
  indexFile?: string,
): Promise<Map<PathName, IndexEntry[]>> {
  const wanted = new Set(paths);
  const canAsk = paths.length <= MAX_ASKED && paths.every((path) => path.isWellFormed());
  const scope = canAsk ? ["--", ...paths] : [];
  const options = indexFile === undefined ? {} : { indexFile };
  const output = await repository.run(["ls-files", "-s", "-z", "--debug", ...scope], options);
  const found = new Map<PathName, IndexEntry[]>();
  for (const { path, entry } of parse(output)) {
    if (wanted.has(path)) found.set(path, [...(found.get(path) ?? []), entry]);
  }
  return found;
}

/** "mode id stage TAB path NUL", then lines of details, of which the last ends in "flags: hex". */
function* parse(output: Buffer): Generator<{ path: PathName; entry: IndexEntry }> {
  const mark = Buffer.from("\tflags: ");
  for (let at = 0; at < output.length; ) {
    const tab = output.indexOf(0x09, at);
    const nul = output.indexOf(0, tab);
    const flags = output.indexOf(mark, nul);
    const end = output.indexOf(0x0a, flags);
    if (tab === -1 || nul === -1 || flags === -1 || end === -1)
      throw new RefloatError("E_GIT_FAILED", { command: "ls-files", why: "its output is cut off" });
    const [mode, id, stage] = output.subarray(at, tab).toString("latin1").split(" ");
    const bits = Number.parseInt(output.subarray(flags + mark.length, end).toString("latin1"), 16);
    const set = FLAG_BITS.filter(([bit]) => (bits & bit) !== 0).map(([, flag]) => flag);
    const entry = { mode: Number.parseInt(mode ?? "", 8), id: id ?? "", stage: Number(stage) };
    yield {
      path: pathFromBytes(output.subarray(tab + 1, nul)),
      entry: set.length === 0 ? entry : { ...entry, flags: set },
    };
    at = end + 1;
  }
}
