/** Every work tree of a repository, as git lists them: the main one first. */
import { type PathName, pathForDisplay, pathFromBytes } from "../../model/path-name.ts";
import { nulFields } from "../../platform/nul-fields.ts";
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
  return parseWorktrees(await repository.run(["worktree", "list", "--porcelain", "-z"]));
}

/** Attributes end with NUL, a work tree with an empty one. */
function parseWorktrees(output: Buffer): ListedWorktree[] {
  const found: ListedWorktree[] = [];
  let fields = new Map<string, Buffer>();
  for (const line of nulFields(output)) {
    if (line.length > 0) {
      const space = line.indexOf(0x20);
      const name = line.subarray(0, space === -1 ? line.length : space).toString("latin1");
      fields.set(name, space === -1 ? Buffer.alloc(0) : line.subarray(space + 1));
    } else if (fields.size > 0) {
      found.push(worktreeOf(fields, found.length === 0));
      fields = new Map();
    }
  }
  if (fields.size > 0) found.push(worktreeOf(fields, found.length === 0));
  return found;
}

const NO_COMMIT = /^0+$/;

function worktreeOf(fields: ReadonlyMap<string, Buffer>, isMain: boolean): ListedWorktree {
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
