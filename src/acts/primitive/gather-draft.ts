/**
 * Looks at everything a draft is about, before anything is decided: what is at its paths now, what lies in folders
 * that have to go (W6), which folders have to be made, what may not be written. Changes nothing.
 */
import { lstatSync, readdirSync } from "node:fs";
import { RefloatError } from "../../model/errors.ts";
import { ACT_BUDGET_MS, ACT_INSIDE_BYTES, ACT_INSIDE_PATHS } from "../../model/limits.ts";
import { isWithin, nulFields, type PathName, pathFromBytes, pathToBytes } from "../../model/path-name.ts";
import type { PathState } from "../../model/path-state.ts";
import type { Clock } from "../../platform/clock.ts";
import { newFolderMode } from "../../platform/tree-names.ts";
import { shownPath } from "../../text/shown-path.ts";
import { hashingSink } from "../../workspace/files/contents-sink.ts";
import { lookAt, pathAt } from "../../workspace/files/read-path.ts";
import type { Repository } from "../../workspace/git/repository.ts";
import type { Workspace } from "../../workspace/opening/workspace.ts";
import { readCandidates } from "../../workspace/tree/read-candidates.ts";
import { DEFAULT_LIMITS } from "../../workspace/tree/read-tree.ts";
import type { FolderMode, PathPut, PlanDraft } from "../plans/draft.ts";
import type { PlanPut } from "../plans/plans.ts";
import { openTree, whyNotWritable } from "./tree/tree.ts";
import { parentsOf } from "./tree/units.ts";

export interface GatheredDraft {
  /** The draft's own, and what lies in folders that have to go. */
  readonly puts: readonly PlanPut[];
  readonly seen: ReadonlyMap<PathName, PathState>;
  /** Paths that cannot be touched, whatever is there. */
  readonly barred: ReadonlyMap<PathName, string>;
  readonly makes: readonly FolderMode[];
  readonly empties: readonly FolderMode[];
}

const PERMISSIONS = 0o7777;

export async function gatherDraft(
  workspace: Workspace,
  draft: PlanDraft,
  clock: Clock,
): Promise<GatheredDraft> {
  assertPaths(workspace, draft.puts);
  const barred = new Map<PathName, string>();
  const inside = await lookInside(workspace, draft.puts, barred);
  const puts = [...draft.puts.map((put) => ({ ...put, ignored: false })), ...inside];
  const read = await readCandidates(
    workspace.root,
    puts.map(({ path }) => ({ path, flags: [] })),
    {
      clock,
      sink: hashingSink(),
      limits: { ...DEFAULT_LIMITS, budgetMs: ACT_BUDGET_MS },
      precious: [],
    },
  );
  for (const { path, detail } of read.gaps) barred.set(path, detail);
  barGitNames(puts, barred);
  const seen = new Map(read.entries.map(({ path, state }) => [path, state]));
  boundInside(inside, seen, barred);
  barUnwritable(workspace.root, puts, barred);
  barCaseTwins(workspace.root, puts, barred);
  return {
    // What is there is what is expected of a file nobody named.
    puts: puts.map((put) => (put.ignored ? { ...put, expect: seen.get(put.path) ?? put.expect } : put)),
    seen,
    barred,
    makes: foldersToMake(workspace.root, draft),
    empties: foldersLeftEmpty(workspace.root, draft, puts),
  };
}

/** A draft comes from a compiler of ours: a path twice, or git's own folder, is its defect or somebody's trap. */
function assertPaths({ root }: Workspace, puts: readonly PathPut[]): void {
  const known = new Set<PathName>();
  for (const { path } of puts) {
    if (path.split("/").includes(".git"))
      throw new RefloatError("E_NOT_IN_WORKSPACE", { path: shownPath(path), workspace: root });
    if (known.has(path))
      throw new RefloatError("E_INTERNAL", { why: `a plan names ${shownPath(path)} twice` });
    known.add(path);
  }
}

/** Somebody's file all the same, so its group alone is left: on another file system the name would be git's own folder (W3). */
function barGitNames(puts: readonly PathPut[], barred: Map<PathName, string>): void {
  for (const { path } of puts)
    if (path.split("/").some((name) => name.toLowerCase() === ".git"))
      barred.set(path, "its name may mean git's own folder; git does not take it either");
}

interface FolderContents {
  readonly files: PathName[];
  readonly folders: PathName[];
}

/** Everything in a folder that has to go must be named or be ignored; folders in it go with it. */
async function lookInside(
  workspace: Workspace,
  puts: readonly PathPut[],
  barred: Map<PathName, string>,
): Promise<PlanPut[]> {
  const named = new Set(puts.map(({ path }) => path));
  const going = puts.filter(({ expect, put }) => expect?.kind === "directory" && put?.kind !== "directory");
  const added: PlanPut[] = [];
  for (const { path, group } of going) {
    if (!lookAt(workspace.root, path)?.isDirectory()) continue;
    const inside = listInside(workspace.root, path);
    if (typeof inside === "string") {
      barred.set(path, inside);
      continue;
    }
    const unnamed = inside.files.filter((file) => !named.has(file));
    const ignored = await ignoredOf(workspace, unnamed);
    const stranger = unnamed.find((file) => !ignored.has(file));
    if (stranger !== undefined) barred.set(path, `${shownPath(stranger)} lies in it and is not part of this`);
    const folder = { kind: "directory", mode: 0o755, size: 0, hash: null } as const;
    for (const file of unnamed) added.push({ path: file, group, expect: null, put: null, ignored: true });
    for (const one of inside.folders)
      if (!named.has(one)) added.push({ path: one, group, expect: folder, put: null, ignored: true });
    for (const one of [...inside.files, ...inside.folders]) named.add(one);
  }
  return added;
}

/** A text says why it cannot go. */
function listInside(root: string, first: PathName): FolderContents | string {
  const found: FolderContents = { files: [], folders: [] };
  const waiting: PathName[] = [first];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    for (const entry of readdirSync(pathAt(root, folder), { withFileTypes: true, encoding: "buffer" })) {
      const name = pathFromBytes(entry.name);
      if (name.toLowerCase() === ".git") return "another repository lies in it";
      const path = `${folder}/${name}` as PathName;
      (entry.isDirectory() ? found.folders : found.files).push(path);
      if (entry.isDirectory()) waiting.push(path);
      if (found.files.length + found.folders.length > ACT_INSIDE_PATHS)
        return `more than ${ACT_INSIDE_PATHS} paths lie in it`;
    }
  }
  return found;
}

async function ignoredOf(workspace: Workspace, paths: readonly PathName[]): Promise<ReadonlySet<PathName>> {
  if (workspace.kind === "folder" || paths.length === 0) return new Set();
  return checkIgnored(await workspace.repository(), paths);
}

/** Its exit code then. */
const NONE_IGNORED = 1;

/** By the user's effective rules (W6); a tracked path is never ignored. */
async function checkIgnored(
  repository: Repository,
  paths: readonly PathName[],
): Promise<ReadonlySet<PathName>> {
  // This command knows no literal pathspecs; behind a "./" nothing of a name is taken for more than a name.
  const [here, nul] = [Buffer.from("./"), Buffer.from([0])];
  const input = Buffer.concat(paths.flatMap((path) => [here, pathToBytes(path), nul]));
  const options = { input, pathspecs: "magic", answers: [NONE_IGNORED] } as const;
  const output = await repository.run(["check-ignore", "-z", "--stdin"], options);
  return new Set([...nulFields(output)].map((field) => pathFromBytes(field.subarray(here.length))));
}

/** Ignored files are captured first, within a bound: caches of gigabytes are not what an act may move about. */
function boundInside(
  inside: readonly PlanPut[],
  seen: ReadonlyMap<PathName, PathState>,
  barred: Map<PathName, string>,
): void {
  const bytes = new Map<string, number>();
  for (const { path, group } of inside) {
    const sum = (bytes.get(group) ?? 0) + (seen.get(path)?.size ?? 0);
    bytes.set(group, sum);
    if (sum > ACT_INSIDE_BYTES)
      barred.set(path, `more than ${ACT_INSIDE_BYTES} bytes of ignored files go with it`);
  }
}

function barUnwritable(root: string, puts: readonly PlanPut[], barred: Map<PathName, string>): void {
  const tree = openTree(root, "");
  const me = process.geteuid?.() ?? 0;
  try {
    for (const { path } of puts) {
      const why = whyBarred(path);
      if (why !== null && !barred.has(path)) barred.set(path, why);
    }
  } finally {
    tree.close();
  }

  function whyBarred(path: PathName): string | null {
    const entered = tree.enterFolder(path);
    if (entered.kind === "barred") return entered.why;
    if (entered.kind === "nowhere") {
      const [parent] = parentsOf(path);
      return parent === undefined ? null : whyBarred(parent);
    }
    const stat = lstatSync(entered.place.at, { throwIfNoEntry: false });
    if (stat && me !== 0 && stat.uid !== me) return "it belongs to another user";
    return whyNotWritable(entered.place);
  }
}

/** DESIGN 15: where case does not count, two names that differ in nothing else are one file. */
function barCaseTwins(root: string, puts: readonly PlanPut[], barred: Map<PathName, string>): void {
  const byFold = new Map<string, PathName[]>();
  for (const { path } of puts) {
    const fold = path.normalize("NFC").toLowerCase();
    byFold.set(fold, [...(byFold.get(fold) ?? []), path]);
  }
  for (const twins of byFold.values()) {
    if (twins.length < 2 || !isOneFile(root, twins)) continue;
    for (const path of twins) barred.set(path, "this file system does not tell upper and lower case apart");
  }
}

function isOneFile(root: string, twins: readonly PathName[]): boolean {
  const inodes = twins.map((path) => lookAt(root, path)?.ino);
  const [first] = inodes;
  return first !== undefined && inodes.every((ino) => ino === first);
}

function foldersToMake(root: string, { puts, folders = [] }: PlanDraft): FolderMode[] {
  const modes = new Map(folders.map(({ path, mode }) => [path, mode]));
  const putFolders = new Set(puts.flatMap(({ path, put }) => (put?.kind === "directory" ? [path] : [])));
  const makes = new Map<PathName, FolderMode>();
  for (const { path, put } of puts) {
    if (put === null) continue;
    for (const folder of parentsOf(path)) {
      if (putFolders.has(folder)) continue;
      if (isFolderHere(root, folder)) break;
      makes.set(folder, { path: folder, mode: modes.get(folder) ?? newFolderMode() });
    }
  }
  return [...makes.values()];
}

/** Itself and everything above it: what is reached through a link is not in this tree. */
function isFolderHere(root: string, folder: PathName): boolean {
  return [folder, ...parentsOf(folder)].every((one) => lookAt(root, one)?.isDirectory() ?? false);
}

function foldersLeftEmpty(root: string, { prune }: PlanDraft, puts: readonly PlanPut[]): FolderMode[] {
  const own = new Set(puts.map(({ path }) => path));
  const found = new Map<PathName, FolderMode>();
  for (const { path, put } of puts) {
    if (put !== null) continue;
    for (const folder of parentsOf(path)) {
      if (found.has(folder)) break;
      const stat = lookAt(root, folder);
      const mayGo = prune === undefined || prune.some((one) => one === folder);
      if (stat?.isDirectory() && mayGo && !own.has(folder))
        found.set(folder, { path: folder, mode: stat.mode & PERMISSIONS });
    }
  }
  // A folder the act needs is not left empty.
  const kept = puts.filter(({ put }) => put !== null).map(({ path }) => path);
  return [...found.values()].filter(({ path }) => !kept.some((one) => isWithin(one, path)));
}
