/** The other worktrees of a repository, with where their HEADs are. */
import type { Repository } from "./repository.ts";

export interface WorktreeHead {
  readonly path: string;
  readonly head: string | null;
  /** Full name; null: detached, or bare. */
  readonly branch: string | null;
}

export async function otherWorktrees(repository: Repository): Promise<WorktreeHead[]> {
  const output = await repository.run(["worktree", "list", "--porcelain", "-z"]);
  // One field a NUL, an empty one between worktrees.
  const blocks = output.toString("utf8").split("\0\0").filter(Boolean);
  return blocks.map(headOf).filter(({ path }) => path !== repository.root);
}

function headOf(block: string): WorktreeHead {
  const fields = new Map(
    block.split("\0").map((field): [string, string] => {
      const space = field.indexOf(" ");
      return space === -1 ? [field, ""] : [field.slice(0, space), field.slice(space + 1)];
    }),
  );
  const id = fields.get("HEAD");
  return {
    path: fields.get("worktree") ?? "",
    head: id === undefined || /^0+$/.test(id) ? null : id,
    branch: fields.get("branch") ?? null,
  };
}
