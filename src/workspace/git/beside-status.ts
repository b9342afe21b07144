/**
 * What git knows of paths and its status does not say: what it does not look at although it is tracked (skip-worktree,
 * assume-unchanged), submodules, filters, precious files, names that differ in case only.
 */
import { nulFields, nulPaths, type PathName, pathFromBytes, pathToBytes } from "../../model/path-name.ts";
import { isCaseBlind } from "../../platform/file-system.ts";
import { lastValue } from "./config.ts";
import type { Repository } from "./repository.ts";
import type { StatusLine } from "./status.ts";

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

/**
 * One streaming pass over the index's list: nothing but the few that matter is kept. With `below`, only these paths and
 * what lies in them.
 */
export async function readTracked(
  repository: Repository,
  timeoutMs: number,
  below: readonly PathName[] = [],
): Promise<TrackedFiles> {
  // In a sparse checkout git itself takes the flag off whatever is there: what has it is absent.
  const isSparse = lastValue(repository.config, "core.sparsecheckout") === "true";
  const { take, found } = trackedListing(isSparse);
  const scope = below.length === 0 ? [] : ["--", ...below];
  await repository.run(["ls-files", "-v", "-s", "-z", ...scope], { timeoutMs, onOutput: nulLines(take) });
  return found();
}

/** The same of a listing that somebody kept. */
export function trackedIn(output: Buffer, isSparse: boolean): TrackedFiles {
  const { take, found } = trackedListing(isSparse);
  for (const line of nulFields(output)) take(line);
  return found();
}

function trackedListing(isSparse: boolean): { take(line: Buffer): void; found(): TrackedFiles } {
  const hidden: { path: PathName; flag: HiddenFlag }[] = [];
  const submodules: { path: PathName; id: string }[] = [];
  let hiddenCount = 0;
  let leftOut = 0;
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
  return { take, found: () => ({ hidden, submodules, hiddenCount, leftOut }) };
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

/** Which of these paths have one of these filters by .gitattributes. Reading attributes runs nothing. */
export async function pathsWithFilter(
  repository: Repository,
  paths: readonly PathName[],
  filters: readonly string[],
): Promise<Map<PathName, string>> {
  if (paths.length === 0 || filters.length === 0) return new Map();
  const nul = Buffer.from([0]);
  const input = Buffer.concat(paths.flatMap((path) => [pathToBytes(path), nul]));
  const output = await repository.run(["check-attr", "-z", "--stdin", "filter"], { input });
  const found = new Map<PathName, string>();
  // path NUL attribute NUL value NUL
  let fields: Buffer[] = [];
  for (const field of nulFields(output)) {
    fields.push(field);
    if (fields.length < 3) continue;
    const driver = (fields[2] as Buffer).toString("utf8");
    if (filters.includes(driver)) found.set(pathFromBytes(fields[0] as Buffer), driver);
    fields = [];
  }
  return found;
}

/** Ignored files somebody called precious (W6): found by git, so that the ignore rules are the effective ones. */
export async function listPrecious(
  repository: Repository,
  globs: readonly string[],
  timeoutMs: number,
): Promise<PathName[]> {
  if (globs.length === 0) return [];
  const args = [
    "ls-files",
    "-z",
    "--others",
    "--ignored",
    "--exclude-standard",
    "--",
    ...globs.map(pathspec),
  ];
  const output = await repository.run(args, { timeoutMs, pathspecs: "magic" });
  return nulPaths(output);
}

/** Without a slash a glob means the name wherever it lies, as in .gitignore. */
const pathspec = (glob: string): string => `:(top,glob)${glob.includes("/") ? glob : `**/${glob}`}`;

/**
 * Where the file system does not tell upper and lower case apart, a tracked name and a new one that differ in nothing
 * else are one file: a rename of case only cannot be held as two paths, and is named as a gap (DESIGN 15).
 */
export interface CaseTwin {
  readonly path: PathName;
  readonly tracked: PathName;
}

export const isBlindHere = ({ root }: Pick<Repository, "root">): boolean => isCaseBlind(root, ".git");

/** Of the paths git lists, those that have such a twin among the tracked ones. */
export async function caseTwins(
  repository: Repository,
  lines: readonly StatusLine[],
  timeoutMs: number,
): Promise<CaseTwin[]> {
  const fresh = new Map(
    lines.filter(({ kind }) => kind === "untracked").map(({ path }) => [folded(path), path] as const),
  );
  if (fresh.size === 0) return [];
  const output = await repository.run(["ls-files", "-z"], { timeoutMs });
  const found: CaseTwin[] = [];
  for (const field of nulFields(output)) {
    const tracked = pathFromBytes(field);
    const path = fresh.get(folded(tracked));
    if (path !== undefined && path !== tracked) found.push({ path, tracked });
  }
  return found;
}

const folded = (path: PathName): string => path.normalize("NFC").toLowerCase();
