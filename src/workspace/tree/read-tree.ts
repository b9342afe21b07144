/** Reads a workspace, whatever it is: by status, by known paths, or a plain folder, which is walked here. */
import { type Dirent, readdirSync } from "node:fs";
import {
  CAPTURE_BUDGET_MS,
  CAPTURE_FILE_BYTES,
  CAPTURE_PATHS,
  CAPTURE_STATUS_MS,
  CAPTURE_TOTAL_BYTES,
} from "../../model/limits.ts";
import { type PathName, pathFromBytes } from "../../model/path-name.ts";
import type { Clock } from "../../platform/clock.ts";
import { errnoOf } from "../../platform/io-error.ts";
import type { Environment } from "../../platform/places.ts";
import type { ContentsSink } from "../files/contents-sink.ts";
import { isFolderAt, pathAt } from "../files/read-path.ts";
import { isGitFolder } from "../git/locate.ts";
import { assertNarrow, type Workspace } from "../opening/workspace.ts";
import { readCandidates } from "./read-candidates.ts";
import { readAskedPaths, readByStatus, readKnownPaths } from "./read-git-tree.ts";
import type {
  CandidatePath,
  ReachedLimit,
  ReadGap,
  Reading,
  ReadingLimits,
  ReadingOptions,
} from "./reading.ts";

export interface TreeOptions {
  readonly env: Environment;
  readonly clock: Clock;
  /** Only these, when given. */
  readonly paths?: readonly PathName[];
  /** Git is asked about these paths, too: then one that is as HEAD has it is known to be, and an ignored one is left out. */
  readonly asksGit?: boolean;
  readonly precious?: readonly string[];
  readonly limits?: Partial<ReadingLimits>;
  readonly onProgress?: (done: number, total: number) => void;
  readonly isCaseBlind?: boolean;
}

export const DEFAULT_LIMITS: ReadingLimits = {
  fileBytes: CAPTURE_FILE_BYTES,
  totalBytes: CAPTURE_TOTAL_BYTES,
  paths: CAPTURE_PATHS,
  budgetMs: CAPTURE_BUDGET_MS,
  statusMs: CAPTURE_STATUS_MS,
};

export async function readTree(
  workspace: Workspace,
  sink: ContentsSink,
  options: TreeOptions,
): Promise<Reading> {
  const { env, clock, paths = [], precious = [], onProgress } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const reading = {
    clock,
    sink,
    limits,
    precious,
    ...(onProgress ? { onProgress } : {}),
    ...(options.isCaseBlind === undefined ? {} : { isCaseBlind: options.isCaseBlind }),
  };
  assertNarrow(workspace);
  if (workspace.kind === "folder") return readFolder(workspace.root, paths, reading);
  if (paths.length === 0) return readByStatus(workspace, env, reading);
  return options.asksGit
    ? readAskedPaths(workspace, env, paths, reading)
    : readKnownPaths(workspace, env, paths, reading);
}

/** A plain folder without git: every file below it, within bounds. What another repository holds is named, not entered. */
interface Listing {
  readonly candidates: CandidatePath[];
  readonly gaps: ReadGap[];
  leftOut: number;
}

/** `below`: only these paths and what lies in them. */
async function readFolder(
  root: string,
  below: readonly PathName[],
  options: ReadingOptions,
): Promise<Reading> {
  const listing: Listing = { candidates: [], gaps: [], leftOut: 0 };
  const scopes = below.filter((path) => isFolderAt(root, path));
  for (const scope of below.length === 0 ? ["" as PathName] : scopes) list(root, scope, listing, options);
  for (const path of below) if (!scopes.includes(path)) listing.candidates.push({ path, flags: [] });
  const read = await readCandidates(root, listing.candidates, options);
  const limits: ReachedLimit[] =
    listing.leftOut > 0
      ? [{ limit: "paths", value: options.limits.paths, leftOut: listing.leftOut }, ...read.limits]
      : read.limits;
  return {
    how: below.length === 0 ? "folder" : "paths",
    head: null,
    index: null,
    inProgress: [],
    scopes,
    entries: read.entries,
    gaps: [...listing.gaps, ...read.gaps],
    limits,
    hidden: 0,
  };
}

function list(root: string, first: PathName, listing: Listing, options: ReadingOptions): void {
  const untilMs = options.clock.monotonicMs() + options.limits.budgetMs;
  const folders: PathName[] = [first];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const names = namesIn(root, folder, listing);
    if (options.clock.monotonicMs() > untilMs) {
      listing.gaps.push({ path: folder, reason: "over-budget", detail: "the time of this capture was up" });
      continue;
    }
    const all = new Set(names.map(({ path }) => path));
    if (all.has(".git") || isGitFolder(all)) {
      listing.gaps.push({ path: folder, reason: "nested-repository", detail: "a repository lies there" });
      continue;
    }
    for (const { path, entry } of names) {
      const full = (folder === "" ? path : `${folder}/${path}`) as PathName;
      if (entry.isDirectory()) folders.push(full);
      else if (listing.candidates.length < options.limits.paths)
        listing.candidates.push({ path: full, flags: [] });
      else listing.leftOut++;
    }
  }
}

function namesIn(
  root: string,
  folder: PathName,
  listing: Listing,
): { path: string; entry: Dirent<Buffer> }[] {
  try {
    return readdirSync(pathAt(root, folder), { withFileTypes: true, encoding: "buffer" })
      .map((entry) => ({ path: pathFromBytes(entry.name) as string, entry }))
      .sort((a, b) => (a.path < b.path ? -1 : 1));
  } catch (thrown) {
    const code = errnoOf(thrown);
    if (code !== "EACCES" && code !== "EPERM" && code !== "ENOENT" && code !== "ENOTDIR") throw thrown;
    listing.gaps.push({
      path: folder,
      reason: code === "ENOENT" ? "moving" : "unreadable",
      detail: `the folder: ${code}`,
    });
    return [];
  }
}
