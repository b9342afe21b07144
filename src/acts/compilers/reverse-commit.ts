/**
 * W2: a commit that the branch went on from, or that another ref has, is not taken away. Undo adds a commit that reverses it:
 * each of its paths gets what it had before, and must still be as that commit left it, else somebody worked on it since (W5).
 * The tree stays as it is and the index gets its entries back as in any undo, so what was committed is uncommitted again.
 *
 * Looking writes nothing; `write` makes the objects once the user agreed, and gives the draft that goes forwards.
 */
import type { PathName } from "../../model/path-name.ts";
import type { Environment } from "../../platform/places.ts";
import { makeScratchTree, removeScratchTree } from "../../platform/scratch-tree.ts";
import { hasCommit, objectsAt, type TreeChange, treeChanges } from "../../workspace/git/objects.ts";
import type { Repository } from "../../workspace/git/repository.ts";
import { isSame } from "../git/carry-index.ts";
import { guardCommit } from "../git/commit-guard.ts";
import { writeTree } from "../git/commit-objects.ts";
import { holderOf, isAncestor, readRef } from "../git/swap-refs.ts";
import { writeCommit } from "../git/write-commit.ts";
import type { PlanDraft, RefSwap } from "../plans/draft.ts";

export type Reversal =
  /** The ref goes forwards, or back by W2's exception, or not at all: the primitive's business. */
  | { readonly kind: "none" }
  | {
      readonly kind: "commit";
      readonly reverses: string;
      /** Why the commit itself cannot go. */
      readonly why: string;
      write(options: ReverseOptions): Promise<{ readonly draft: PlanDraft; readonly commit: string }>;
    }
  | { readonly kind: "changed"; readonly reverses: string; readonly paths: readonly PathName[] }
  /** The branch was rewritten (amend, rebase, reset): it has no such commit, so there is nothing to take off it or to reverse. */
  | { readonly kind: "rewritten"; readonly reverses: string; readonly ref: string };

export interface ReverseOptions {
  readonly env: Environment;
  /** The store's folder: scratch trees lie there. */
  readonly home: string;
}

export async function reversalFor(repository: Repository, draft: PlanDraft): Promise<Reversal> {
  const [swap, ...others] = draft.refs ?? [];
  if (!swap || others.length > 0 || swap.expect === null) return { kind: "none" };
  const { ref, expect: reverses } = swap;
  if (!(await hasCommit(repository, reverses))) return { kind: "rewritten", reverses, ref };
  if (!(await isBack(repository, swap))) return { kind: "none" };
  const at = await readRef(repository, ref);
  if (at === null || !(await isAncestor(repository, reverses, at)))
    return { kind: "rewritten", reverses, ref };
  const why = await whyKept(repository, draft, swap, at);
  if (why === null) return { kind: "none" };
  const changes = await treeChanges(repository, await treeBefore(repository, swap.put, reverses), reverses);
  const now = await objectsAt(
    repository,
    at,
    changes.map(({ path }) => path),
  );
  const changed = changes.filter(({ path, to }) => !isSame(now.get(path) ?? null, to));
  if (changed.length > 0) return { kind: "changed", reverses, paths: changed.map(({ path }) => path) };
  return {
    kind: "commit",
    reverses,
    why,
    write: async (options) => {
      const commit = await writeReversal(repository, { at, reverses, changes }, options);
      return { commit, draft: { ...draft, refs: [{ ref, expect: at, put: commit }] } };
    },
  };
}

async function isBack(repository: Repository, { expect, put }: RefSwap): Promise<boolean> {
  return expect !== null && expect !== put && (put === null || (await isAncestor(repository, put, expect)));
}

/** Null: it may go, by compare-and-swap. Only undo may do that; a redo goes forwards. */
async function whyKept(
  repository: Repository,
  { act }: PlanDraft,
  swap: RefSwap,
  at: string,
): Promise<string | null> {
  if (at !== swap.expect) return "the branch went on from there";
  if (act === "redo") return "what undo added is not taken away";
  return holderOf(repository, swap);
}

async function writeReversal(
  repository: Repository,
  { at, reverses, changes }: { at: string; reverses: string; changes: readonly TreeChange[] },
  { env, home }: ReverseOptions,
): Promise<string> {
  await guardCommit(repository, { env, isNamed: true });
  const scratch = makeScratchTree(home);
  try {
    const entries = new Map(changes.map(({ path, from }) => [path, from]));
    const tree = await writeTree(repository, at, entries, scratch);
    const subject = await repository.run(["log", "-1", "--format=%s", "--encoding=UTF-8", reverses]);
    const message = `Revert "${subject.toString("utf8").trim()}"\n\nThis reverses commit ${reverses}.\n`;
    return await writeCommit(repository, { tree, parent: at, message });
  } finally {
    removeScratchTree(scratch);
  }
}

/** What a commit is compared with. A branch that was made for it was nowhere before, and what it changed is told by its parent. */
export async function treeBefore(
  repository: Repository,
  before: string | null,
  commit: string,
): Promise<string> {
  if (before !== null) return before;
  const args = ["rev-parse", "-q", "--verify", `${commit}^`];
  const parent = (await repository.run(args, { answers: [1] })).toString("latin1").trim();
  return parent === "" ? emptyTree(repository) : parent;
}

/** Of this repository's kind of hash. */
async function emptyTree(repository: Repository): Promise<string> {
  const output = await repository.run(["hash-object", "-t", "tree", "--stdin"], { input: Buffer.alloc(0) });
  return output.toString("latin1").trim();
}
