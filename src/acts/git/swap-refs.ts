/**
 * Moves refs by compare-and-swap, all of a plan's in one transaction of git's, a detached HEAD too. Which moves are
 * allowed at all is W2's: forwards; backwards only as the undo of what refloat itself did, while nothing else holds it.
 */
import { lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { RefloatError } from "../../model/errors.ts";
import { ACT_LOCK_WAIT_MS } from "../../model/limits.ts";
import type { Clock } from "../../platform/clock.ts";
import { removeTemporary } from "../../platform/private-file.ts";
import { inProgress } from "../../workspace/git/head.ts";
import type { Location } from "../../workspace/git/locate.ts";
import type { Repository } from "../../workspace/git/repository.ts";
import { otherWorktrees } from "../../workspace/git/worktrees.ts";
import type { RefSwap } from "../plans/draft.ts";
import type { Plan } from "../plans/plans.ts";

export interface RefWork {
  readonly repository: Repository;
  readonly clock: Clock;
  readonly plan: string;
  readonly act: string;
}

export type RefsSwapped =
  | { readonly kind: "swapped" }
  | { readonly kind: "moved"; readonly error: RefloatError };

const POLL_MS = 25;
/** The transaction did not happen; a later one may. */
const FAILED: ReadonlySet<string> = new Set(["E_GIT_FAILED", "E_STORE_FULL"]);

/** Null: there is no such ref, or HEAD is on a branch without a commit. */
export async function readRef(repository: Repository, ref: string): Promise<string | null> {
  const output = await repository.run(["rev-parse", "-q", "--verify", ref], { answers: [1] });
  return output.toString("latin1").trim() || null;
}

/** True: every commit of `older` is in `newer` too. */
export async function isAncestor(repository: Repository, older: string, newer: string): Promise<boolean> {
  const args = ["rev-list", "--max-count=1", older, "--not", newer];
  return (await repository.run(args)).length === 0;
}

export async function swapRefs(work: RefWork, swaps: readonly RefSwap[]): Promise<RefsSwapped> {
  const { repository, clock } = work;
  const untilMs = clock.monotonicMs() + ACT_LOCK_WAIT_MS;
  for (;;) {
    const found = await Promise.all(swaps.map(({ ref }) => readRef(repository, ref)));
    const todo = swaps.filter(({ put }, i) => found[i] !== put);
    if (todo.length === 0) return { kind: "swapped" };
    for (const [i, swap] of swaps.entries()) {
      const value = found[i] ?? null;
      if (value === swap.put || value === swap.expect) continue;
      if (!(await isPassed(repository, swap, value)))
        return { kind: "moved", error: movedError(swap, value) };
      todo.splice(todo.indexOf(swap), 1);
    }
    if (todo.length === 0) return { kind: "swapped" };
    const failed = await transaction(work, todo);
    if (failed === null) return { kind: "swapped" };
    // Another git command has the ref's lock, or moved it just now: the next look tells which.
    if (clock.monotonicMs() > untilMs) return { kind: "moved", error: lockedError(failed) ?? failed };
    await clock.sleep(POLL_MS);
  }
}

/**
 * The ref is at neither value. It was swapped all the same if what it is at now was made from the new value and not
 * merely from the old one: then the user went on from there, after a kill, and the plan is done.
 */
async function isPassed(
  repository: Repository,
  { expect, put }: RefSwap,
  value: string | null,
): Promise<boolean> {
  if (value === null || put === null) return false;
  if (!(await isAncestor(repository, put, value))) return false;
  if (expect === null || (await isAncestor(repository, expect, put))) return true;
  return !(await isAncestor(repository, expect, value));
}

async function transaction(
  { repository, plan, act }: RefWork,
  swaps: readonly RefSwap[],
): Promise<RefloatError | null> {
  const input = Buffer.from(swaps.map(command).join(""));
  const args = ["update-ref", "-m", `refloat: ${act}`, "--no-deref", "--stdin", "-z"];
  try {
    await repository.run(args, { input, isWriting: true, keepsIdentity: true, plan });
    return null;
  } catch (thrown) {
    if (thrown instanceof RefloatError && FAILED.has(thrown.code)) return thrown;
    throw thrown;
  }
}

/** Null: it failed for another reason than a lock that stays. */
function lockedError({ message }: RefloatError): RefloatError | null {
  const path = /'([^']+\.lock)': File exists/.exec(message)?.[1];
  return path === undefined ? null : new RefloatError("E_REF_LOCKED", { path });
}

function command({ ref, expect, put }: RefSwap): string {
  if (put === null) return `delete ${ref}\0${expect ?? ""}\0`;
  return expect === null ? `create ${ref}\0${put}\0` : `update ${ref}\0${put}\0${expect}\0`;
}

/** Swapping it would make a ref of its own of what is only another name: refused, because the user made it so. */
export async function assertNotSymbolic(repository: Repository, ref: string): Promise<void> {
  const output = await repository.run(["symbolic-ref", "-q", ref], { answers: [1, 128] });
  const target = output.toString("utf8").trim();
  if (target === "") return;
  const short = (name: string): string => name.replace(/^refs\/heads\//, "");
  throw new RefloatError("E_UNSUPPORTED", {
    what: `Moving ${short(ref)}`,
    why: `it is a symbolic ref to ${short(target)}`,
    instead: `Check out ${short(target)} itself: git switch ${short(target)}`,
  });
}

/** Throws why these refs may not be moved so. Looked at before the plan is made. */
export async function assertRefsMayMove(
  repository: Repository,
  swaps: readonly RefSwap[],
  undone: Plan | null,
): Promise<void> {
  const [busy] = inProgress(repository);
  if (busy !== undefined) throw new RefloatError("E_GIT_IN_PROGRESS", { what: busy });
  const others = await otherWorktrees(repository);
  for (const swap of swaps) {
    const { ref, expect, put } = swap;
    if (ref !== "HEAD") await assertNotSymbolic(repository, ref);
    const value = await readRef(repository, ref);
    if (value !== expect) throw movedError(swap, value);
    const elsewhere = others.find(({ branch }) => branch === ref);
    if (elsewhere) throw new RefloatError("E_BRANCH_ELSEWHERE", { ref, path: elsewhere.path });
    if (expect === null || (put !== null && (await isAncestor(repository, expect, put)))) continue;
    await assertOnlyHere(repository, swap, undone);
  }
}

/** W2's one exception. */
async function assertOnlyHere(repository: Repository, swap: RefSwap, undone: Plan | null): Promise<void> {
  const { ref, expect, put } = swap;
  const isOurs = undone?.refs.some((one) => one.ref === ref && one.put === expect && one.expect === put);
  const why = isOurs ? await holderOf(repository, swap) : "refloat did not move it";
  if (why !== null) throw new RefloatError("E_REF_BACKWARDS", { ref, why });
}

/** Who else has the commit the ref is to leave: said as a reason; null: nobody. */
export async function holderOf(repository: Repository, { ref, expect }: RefSwap): Promise<string | null> {
  if (expect === null) return null;
  const args = ["for-each-ref", `--contains=${expect}`, "--format=%(refname)"];
  const holders = (await repository.run(args)).toString("utf8").split("\n").filter(Boolean);
  const other = holders.find((one) => one !== ref);
  if (other !== undefined) return `${other} has that commit`;
  for (const { head, path } of await otherWorktrees(repository))
    if (head !== null && (await isAncestor(repository, expect, head)))
      return `the worktree ${path} has that commit`;
  return null;
}

function movedError({ ref, expect }: RefSwap, found: string | null): RefloatError {
  const name = (id: string | null): string => id?.slice(0, 12) ?? "nothing";
  return new RefloatError("E_REF_MOVED", { ref, expected: name(expect), found: name(found) });
}

// Locks on refs that a git command of ours left because it was killed together with us. Git makes them, so no inode is
// known beforehand; one is proved ours by what is in it: the very commit the plan moves the ref to. An empty one could
// be anybody's and stays: then the ref cannot be moved, and the error names the file.

/** An id and a line feed; anything longer is not a lock on a ref. */
const MAX_LOCK_BYTES = 200;

export function clearRefLocks(location: Location, refs: readonly RefSwap[]): void {
  for (const { ref, put } of refs) {
    const lock = join(ref === "HEAD" ? location.gitDir : location.commonDir, `${ref}.lock`);
    const stat = lstatSync(lock, { throwIfNoEntry: false });
    if (put === null || !stat?.isFile() || stat.size > MAX_LOCK_BYTES) continue;
    if (readFileSync(lock, "latin1").trim() === put) removeTemporary(lock);
  }
}
