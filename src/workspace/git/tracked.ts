/**
 * What git does not look at although it is tracked (skip-worktree, assume-unchanged), and which paths are
 * submodules. One streaming pass over the index's list: nothing but the few that matter is kept.
 */
import { type PathName, pathFromBytes } from "../../model/path-name.ts";
import { lastValue } from "./config.ts";
import type { Repository } from "./repository.ts";

export type HiddenFlag = "skip-worktree" | "assume-unchanged";

export interface TrackedFiles {
  readonly hidden: readonly { readonly path: PathName; readonly flag: HiddenFlag }[];
  readonly submodules: readonly { readonly path: PathName; readonly id: string }[];
  readonly hiddenCount: number;
  /** Hidden ones that may be there and are not named. */
  readonly leftOut: number;
}

/** Enough to name what a person set by hand. */
const MAX_HIDDEN = 1000;
const TAB = 0x09;
const CACHED = 0x48; // H
const SKIPPED = 0x53; // S
const LOWER = 0x20;

/** With `below`, only these paths and what lies in them. */
export async function readTracked(
  repository: Repository,
  timeoutMs: number,
  below: readonly PathName[] = [],
): Promise<TrackedFiles> {
  const hidden: { path: PathName; flag: HiddenFlag }[] = [];
  const submodules: { path: PathName; id: string }[] = [];
  let hiddenCount = 0;
  let leftOut = 0;
  // In a sparse checkout git itself takes the flag off whatever is there: what has it is absent.
  const isSparse = lastValue(repository.config, "core.sparsecheckout") === "true";
  /** "H 100644 <id> 0\tpath": a lower-case tag means assume-unchanged, S skip-worktree. */
  const take = (line: Buffer): void => {
    const tag = line[0] ?? 0;
    const isPlain = tag === CACHED && line[3] !== 0x36; // not 16...: no submodule
    if (isPlain) return;
    const path = pathFromBytes(line.subarray(line.indexOf(TAB) + 1));
    if (line[3] === 0x36) submodules.push({ path, id: idOf(line) });
    const flag = flagOf(tag);
    if (flag === null) return;
    hiddenCount++;
    if (flag === "skip-worktree" && isSparse) return;
    if (hidden.length < MAX_HIDDEN) hidden.push({ path, flag });
    else leftOut++;
  };
  const lines = nulLines(take);
  const scope = below.length === 0 ? [] : ["--", ...below];
  await repository.run(["ls-files", "-v", "-s", "-z", ...scope], { timeoutMs, onOutput: lines });
  return { hidden, submodules, hiddenCount, leftOut };
}

function flagOf(tag: number): HiddenFlag | null {
  if ((tag & ~LOWER) === SKIPPED) return "skip-worktree";
  return (tag & LOWER) !== 0 ? "assume-unchanged" : null;
}

function idOf(line: Buffer): string {
  const from = line.indexOf(0x20, 2) + 1;
  return line.subarray(from, line.indexOf(0x20, from)).toString("latin1");
}

function nulLines(take: (line: Buffer) => void): (piece: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (piece) => {
    const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    let at = 0;
    for (let end = bytes.indexOf(0); end !== -1; end = bytes.indexOf(0, at)) {
      take(bytes.subarray(at, end));
      at = end + 1;
    }
    rest = bytes.subarray(at);
  };
}
