/** The directory the work happens in: one git work tree (each linked worktree is its own), or a plain folder (DESIGN 15). */
import { lstatSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { resolve, sep } from "node:path";
import { giving, RefloatError } from "../../model/errors.ts";
import { hasGitName, type PathName, pathFromText } from "../../model/path-name.ts";
import type { Environment } from "../../platform/places.ts";
import { placeInside } from "../../platform/places.ts";
import { type AskedOnce, askedOnce } from "../git/asked-once.ts";
import { type Location, locateRepository } from "../git/locate.ts";
import { isShallow } from "../git/objects.ts";
import { openRepository, type Repository } from "../git/repository.ts";

export type Workspace =
  | {
      readonly kind: "git";
      readonly root: string;
      readonly location: Location;
      /** The door, opened when it is first needed: a capture of known paths never is. */
      repository(): Promise<Repository>;
      /** Of one look that only reads. Left out: git is asked each time. */
      readonly asked?: AskedOnce;
    }
  | { readonly kind: "folder"; readonly root: string };

export type GitWorkspace = Extract<Workspace, { kind: "git" }>;

export interface WorkspaceOptions {
  readonly env: Environment;
  /** Whether the user trusted exactly these filters of this repository. */
  readonly isTrusted?: (location: Location, digest: string) => Promise<boolean> | boolean;
  /** For one look that only reads. */
  readonly isOneLook?: boolean;
}

export function openWorkspace(directory: string, options: WorkspaceOptions): Workspace {
  const root = realpathSync(directory);
  const location = locateRepository(root);
  if (!location) return { kind: "folder", root };
  let opened: Promise<Repository> | null = null;
  const { env, isTrusted = () => false, isOneLook = false } = options;
  return {
    kind: "git",
    root: location.root,
    location,
    repository: () => {
      opened ??= openTrusting(location, env, isTrusted);
      return opened;
    },
    ...(isOneLook ? { asked: askedOnce(location) } : {}),
  };
}

/** Opened without trust first: only what it then says of its filters can be asked about. */
async function openTrusting(
  location: Location,
  env: Environment,
  isTrusted: NonNullable<WorkspaceOptions["isTrusted"]>,
): Promise<Repository> {
  const closed = await openRepository(location, { env });
  const { filterDigest } = closed;
  if (filterDigest === null || !(await isTrusted(location, filterDigest))) return closed;
  return openRepository(location, { env, isTrusted: (digest) => digest === filterDigest });
}

/** A whole machine or a whole home is nobody's piece of work, and holds every secret there is. */
export function assertNarrow(workspace: Workspace): void {
  if (workspace.kind === "git") return;
  const { root } = workspace;
  const what = root === sep ? "the whole machine" : root === realHome() ? "your home" : null;
  if (what !== null) throw new RefloatError("E_FOLDER_TOO_WIDE", { path: root, what });
}

function realHome(): string {
  const home = homedir();
  return statSync(home, { throwIfNoEntry: false }) ? realpathSync(home) : home;
}

/** What somebody typed, from where he stands, as a path of the workspace. The last name is not followed. */
export function pathInWorkspace({ root }: Pick<Workspace, "root">, from: string, typed: string): PathName {
  const inside = placeInside(root, resolve(from, typed));
  if (inside === null || hasGitName(inside))
    throw new RefloatError("E_NOT_IN_WORKSPACE", { path: typed, workspace: root });
  return pathFromText(inside);
}

export interface Identity {
  readonly path: string;
  readonly common_dir: string | null;
  /** Device, inode and birth of the common directory: another one is another clone. */
  readonly clone: string | null;
  readonly root_commit: string | null;
  /** Which tree this very one is (tree-mark.ts). */
  readonly tree: string;
  readonly host: string;
}

/** Walking a long history for its first commit takes a while; it is asked once per clone, and given up after this. */
const ROOT_COMMIT_TIMEOUT_MS = 10_000;

export function cloneOf(workspace: Workspace): string | null {
  if (workspace.kind === "folder") return null;
  const { dev, ino, birthtimeMs } = lstatSync(workspace.location.commonDir);
  return `${dev}:${ino}:${Math.floor(birthtimeMs)}`;
}

/** The oldest commit HEAD goes back to; null where there is none, too much history to tell, or its beginning is cut off. */
export async function rootCommit(repository: Repository): Promise<string | null> {
  if (isShallow(repository)) return null;
  const output = await repository
    .run(["rev-list", "--max-parents=0", "HEAD"], { timeoutMs: ROOT_COMMIT_TIMEOUT_MS, answers: [128] })
    .catch(giving(null, "E_GIT_LIMIT"));
  // Several where unrelated histories were joined: the last is the oldest.
  return output?.toString("utf8").trim().split("\n").at(-1) || null;
}
