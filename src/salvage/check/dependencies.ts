/**
 * What of the workspace's installed dependencies a check is given in its scratch clone (DESIGN 8).
 *
 *  V1  Read-only, by mounts that only the check sees; where that cannot be had, not at all, unless the user said to link.
 *  V2  The check sees the clone wherever it looks for the workspace: the clone is mounted over the workspace's own path, too,
 *      or an installed package that names that path (an editable install, an absolute link) would have the user's tree
 *      judged in place of the commit's: a wrong "verified". A folder that leads back there is therefore never linked.
 *  V3  What is not given is named, with the reason.
 */
import { lstatSync } from "node:fs";
import { join } from "node:path";
import type { PathName } from "../../model/path-name.ts";
import { mountsWithin } from "../../platform/file-system.ts";
import type { Environment } from "../../platform/places.ts";
import { placeInside } from "../../platform/places.ts";
import { type MountAnswer, type MountStep, type MountWay, tryMounts } from "../../platform/private-mounts.ts";
import { isFreeInScratch, putIntoScratch, putIntoScratchGit } from "../../platform/scratch-tree.ts";
import type { Repository } from "../../workspace/git/repository.ts";
import {
  type DependencyFolder,
  dependencyFolders,
  leadsOf,
  MAX_DEPENDENCY_FOLDERS,
} from "./dependency-folders.ts";

export interface WithheldPath {
  readonly path: PathName;
  readonly why: string;
}

interface GivenFolder extends DependencyFolder {
  /** Folders elsewhere that it leads to, which must not be written into either. */
  readonly outside: readonly string[];
}

export interface Dependencies {
  readonly how: "read-only" | "linked" | "none";
  /** Null: the check runs without mounts. */
  readonly way: MountWay | null;
  readonly given: readonly GivenFolder[];
  readonly withheld: readonly WithheldPath[];
}

export interface DependencyOptions {
  readonly home: string;
  readonly env: Environment;
  /** The user's word that the check may write into them. */
  readonly isLinking: boolean;
}

export async function planDependencies(
  repository: Repository,
  options: DependencyOptions,
): Promise<Dependencies> {
  const found = await dependencyFolders(repository);
  const folders = found.slice(0, MAX_DEPENDENCY_FOLDERS);
  const over = found.slice(MAX_DEPENDENCY_FOLDERS).map(({ path }) => ({
    path,
    why: `there are more than ${MAX_DEPENDENCY_FOLDERS}`,
  }));
  if (options.isLinking) return linked(folders, over, repository.root);
  const answer = await mountsFor(repository.root, options);
  if (answer.kind === "none") {
    const withheld = folders.map(({ path }) => ({ path, why: answer.why }));
    return { how: "none", way: null, given: [], withheld: [...withheld, ...over] };
  }
  return mounted(folders, over, repository.root, options, answer.way);
}

function linked(
  folders: readonly DependencyFolder[],
  over: readonly WithheldPath[],
  root: string,
): Dependencies {
  const given: GivenFolder[] = [];
  const withheld: WithheldPath[] = [...over];
  for (const folder of folders) {
    const { back } = leadsOf(folder, root, folders);
    if (back === null) given.push({ ...folder, outside: [] });
    else
      withheld.push({
        path: folder.path,
        why: `${back} in it leads to your tree: the check would judge that, not the commit`,
      });
  }
  return { how: given.length > 0 ? "linked" : "none", way: null, given, withheld };
}

/** For a check that fails with them and passes without: it installs its own. */
export function withoutDependencies(planned: Dependencies): Dependencies {
  const why = "the check passes on HEAD without it, and fails with it";
  const withheld = planned.given.map(({ path }) => ({ path, why }));
  return { ...planned, how: "none", given: [], withheld: [...withheld, ...planned.withheld] };
}

/** V2 needs the clone over the workspace, which must then not hide what the check itself needs. */
async function mountsFor(root: string, { home, env }: DependencyOptions): Promise<MountAnswer> {
  if (placeInside(root, home) !== null)
    return { kind: "none", why: "the store's folder is in the workspace" };
  if (env.HOME && placeInside(root, env.HOME) !== null)
    return { kind: "none", why: "your home is in the workspace" };
  return tryMounts(home, env);
}

function mounted(
  folders: readonly DependencyFolder[],
  over: readonly WithheldPath[],
  root: string,
  options: DependencyOptions,
  way: MountWay,
): Dependencies {
  const given: GivenFolder[] = [];
  const withheld: WithheldPath[] = [...over];
  for (const folder of folders) {
    const { outside } = leadsOf(folder, root, folders);
    const own = placeInside(root, folder.real) !== null ? outside : [folder.real, ...outside];
    const why = whyNotMounted(folder, own, options);
    if (why === null) given.push({ ...folder, outside: own });
    else withheld.push({ path: folder.path, why });
  }
  return { how: given.length > 0 ? "read-only" : "none", way, given, withheld };
}

/** So many packages linked from elsewhere are no exception any more, and each costs every run two mounts. */
const MAX_OUTSIDE = 100;

function whyNotMounted(
  { real }: DependencyFolder,
  outside: readonly string[],
  { home, env }: DependencyOptions,
): string | null {
  if (outside.length > MAX_OUTSIDE) return `it leads to more than ${MAX_OUTSIDE} folders elsewhere`;
  for (const folder of [real, ...outside]) {
    if (mountsWithin(folder).some((point) => point !== folder)) return `something is mounted in ${folder}`;
    const needed = [home, env.HOME ?? home].find((one) => placeInside(folder, one) !== null);
    if (needed !== undefined) return `it leads to ${folder}, where the check must be able to write`;
  }
  return null;
}

/** Puts them into a clone that is complete otherwise: what the commit or a group has at such a path stays. */
export function placeDependencies(clone: string, { how, given }: Dependencies): MountStep[] {
  const steps: MountStep[] = [];
  for (const { path, real, outside } of given) {
    const name = Buffer.from(path);
    if (!isFreeInScratch(clone, name)) continue;
    if (how === "linked") {
      putIntoScratch(clone, name, { kind: "symlink", target: Buffer.from(real) });
      continue;
    }
    putIntoScratch(clone, name, { kind: "folder" });
    const at = join(clone, path);
    steps.push({ how: "read-only", from: real, at }, ...cachesIn(clone, real, at, steps.length));
    for (const folder of outside) steps.push({ how: "read-only", from: folder, at: folder });
  }
  return steps;
}

/** Where tools keep what they made of the dependencies, inside them: read-only they could not run. */
const CACHES = [".cache", ".vite", ".vite-temp", ".tmp"];

/** An empty folder of the clone's own in place of each that is there. */
function cachesIn(clone: string, real: string, at: string, number: number): MountStep[] {
  return CACHES.flatMap((cache): MountStep[] => {
    if (!lstatSync(join(real, cache), { throwIfNoEntry: false })?.isDirectory()) return [];
    const empty = `refloat/${number}/${cache}`;
    putIntoScratchGit(clone, empty, { kind: "folder" });
    return [{ how: "writable", from: join(clone, ".git", empty), at: join(at, cache) }];
  });
}
