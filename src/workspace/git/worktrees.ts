/**
 * The work trees of a repository: as git lists them, the main one first; as its files tell, where no git has run yet. And the stashes
 * they share.
 */
import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { nulFields, type PathName, pathForDisplay, pathFromBytes } from "../../model/path-name.ts";
import { errnoOf } from "../../platform/io-error.ts";
import type { Location } from "./locate.ts";
import type { Repository } from "./repository.ts";

export interface ListedWorktree {
  /** As git has it; a name that is no text cannot be opened by us and is only shown. */
  readonly path: string;
  readonly isMain: boolean;
  readonly isBare: boolean;
  readonly head: string | null;
  /** Null: detached. */
  readonly branch: string | null;
  /** Why it is locked; "" without a reason. Null: it is not. */
  readonly locked: string | null;
  /** Its folder is gone, or does not point back: git would forget it. */
  readonly prunable: string | null;
}

export async function listWorktrees(repository: Repository): Promise<ListedWorktree[]> {
  const blocks = await worktreeBlocks(repository);
  return blocks.map((fields, at) => worktreeOf(fields, { isMain: at === 0 }));
}

/** Attributes end with NUL, a work tree with an empty one. */
async function worktreeBlocks(repository: Repository): Promise<ReadonlyMap<string, Buffer>[]> {
  const output = await repository.run(["worktree", "list", "--porcelain", "-z"]);
  const found: ReadonlyMap<string, Buffer>[] = [];
  let fields = new Map<string, Buffer>();
  for (const line of nulFields(output)) {
    if (line.length > 0) {
      const space = line.indexOf(0x20);
      const name = line.subarray(0, space === -1 ? line.length : space).toString("latin1");
      fields.set(name, space === -1 ? Buffer.alloc(0) : line.subarray(space + 1));
    } else if (fields.size > 0) {
      found.push(fields);
      fields = new Map();
    }
  }
  if (fields.size > 0) found.push(fields);
  return found;
}

const NO_COMMIT = /^0+$/;

function worktreeOf(
  fields: ReadonlyMap<string, Buffer>,
  { isMain }: { readonly isMain: boolean },
): ListedWorktree {
  const text = (name: string): string | null => {
    const bytes = fields.get(name);
    return bytes === undefined ? null : pathForDisplay(pathFromBytes(bytes) as PathName);
  };
  const head = text("HEAD");
  return {
    path: text("worktree") ?? "",
    isMain,
    isBare: fields.has("bare"),
    head: head === null || NO_COMMIT.test(head) ? null : head,
    branch: text("branch")?.replace(/^refs\/heads\//, "") ?? null,
    locked: text("locked"),
    prunable: text("prunable"),
  };
}

/** The other worktrees of a repository, with where their HEADs are. */
interface WorktreeHead {
  readonly path: string;
  readonly head: string | null;
  /** Full name; null: detached, or bare. */
  readonly branch: string | null;
}

export async function otherWorktrees(repository: Repository): Promise<WorktreeHead[]> {
  const blocks = await worktreeBlocks(repository);
  return blocks.map(headOf).filter(({ path }) => path !== repository.root);
}

function headOf(fields: ReadonlyMap<string, Buffer>): WorktreeHead {
  const id = fields.get("HEAD")?.toString("latin1");
  return {
    path: fields.get("worktree")?.toString("utf8") ?? "",
    head: id === undefined || NO_COMMIT.test(id) ? null : id,
    branch: fields.get("branch")?.toString("utf8") ?? null,
  };
}

/**
 * Found by looking at files only: the main one and the linked ones that are there. This one first, then the others by
 * their paths.
 */
export function worktreeRoots({ root, commonDir }: Location): string[] {
  // Of a submodule or a bare repository the folder above is no work tree.
  const main = basename(commonDir) === ".git" ? [dirname(commonDir)] : [];
  const linked = namesIn(join(commonDir, "worktrees")).flatMap((name) =>
    linkedRoot(join(commonDir, "worktrees", name)),
  );
  const others = new Set([...main, ...linked].filter((path) => path !== root));
  return [root, ...[...others].sort()];
}

/** What git wrote there is the path of the work tree's own `.git` file. Gone: nothing. */
function linkedRoot(entry: string): string[] {
  const file = join(entry, "gitdir");
  if (!existsSync(file)) return [];
  const pointer = resolve(entry, readFileSync(file, "utf8").replace(/\n$/, ""));
  return existsSync(pointer) ? [realpathSync(dirname(pointer))] : [];
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (thrown) {
    const code = errnoOf(thrown);
    if (code === "ENOENT" || code === "ENOTDIR" || code === "EACCES") return [];
    throw thrown;
  }
}

/** The stashes of a repository and the branch each was made on, as git notes it: they are shared by all its work trees. */
export interface Stash {
  readonly message: string;
  /** Null: made on a detached HEAD, or noted in a way nobody can read. */
  readonly branch: string | null;
}

export async function listStashes(repository: Repository): Promise<Stash[]> {
  const args = ["reflog", "show", "-z", "--format=%gs", "refs/stash", "--"];
  const output = await repository.run(args, { answers: [128] });
  return output
    .toString("utf8")
    .split("\0")
    .filter((message) => message !== "")
    .map((message) => ({ message, branch: branchOf(message) }));
}

/** "WIP on main: 1a2b3c4 title", "On main: words". */
function branchOf(message: string): string | null {
  const name = /^(?:WIP on|On) (.+?): /.exec(message)?.[1];
  return name === undefined || name === "(no branch)" ? null : name;
}
