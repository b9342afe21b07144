/** A plain folder without git: every file below it, within bounds. What another repository holds is named, not entered. */
import { type Dirent, readdirSync } from "node:fs";
import { type PathName, pathFromBytes } from "../../model/path-name.ts";
import { errnoOf } from "../../platform/io-error.ts";
import { isFolderAt, pathAt } from "../files/path-at.ts";
import { isGitFolder } from "../git/locate.ts";
import { readCandidates } from "./read-candidates.ts";
import type { CandidatePath, ReachedLimit, ReadGap, Reading, ReadingOptions } from "./reading.ts";

interface Listing {
  readonly candidates: CandidatePath[];
  readonly gaps: ReadGap[];
  leftOut: number;
}

/** `below`: only these paths and what lies in them. */
export async function readFolder(
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
