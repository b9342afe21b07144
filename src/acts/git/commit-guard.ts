/** What must hold before anything is committed (DESIGN 7, 15): said at once, with what to do about it. */
import { RefloatError } from "../../model/errors.ts";
import type { Environment } from "../../platform/places.ts";
import { lastValue } from "../../workspace/git/config.ts";
import { type Head, inProgress, readHead } from "../../workspace/git/head.ts";
import type { Repository } from "../../workspace/git/repository.ts";
import { otherWorktrees } from "../../workspace/git/worktrees.ts";
import { assertNotSymbolic } from "./swap-refs.ts";

export interface CommitPlace {
  readonly head: Head;
  /** refs/heads/main, or HEAD where it is detached. */
  readonly ref: string;
}

export interface GuardOptions {
  readonly env: Environment;
  /** Somebody named what is to be committed: only then a branch may get its first commit. */
  readonly isNamed: boolean;
}

export async function guardCommit(repository: Repository, options: GuardOptions): Promise<CommitPlace> {
  const [what] = inProgress(repository);
  if (what !== undefined) throw new RefloatError("E_GIT_IN_PROGRESS", { what });
  const head = await readHead(repository);
  if (head.unborn && !options.isNamed) throw new RefloatError("E_UNBORN", { branch: head.branch });
  const ref = refOf(head);
  await assertPlainBranch(repository, ref);
  await assertOnlyHere(repository, head);
  assertIdentity(repository, options.env);
  return { head, ref };
}

const refOf = ({ branch }: Head): string => (branch === null ? "HEAD" : `refs/heads/${branch}`);

/** A branch that is only another name of one would become one of its own; a ref outside of refs/heads is no branch. */
async function assertPlainBranch(repository: Repository, ref: string): Promise<void> {
  if (ref === "HEAD") return;
  await assertNotSymbolic(repository, ref);
  const named = (await repository.run(["symbolic-ref", "-q", "HEAD"], { answers: [1] }))
    .toString("utf8")
    .trim();
  if (named !== ref)
    throw new RefloatError("E_UNSUPPORTED", {
      what: `A commit on ${named}`,
      why: "HEAD is on a ref that is no branch",
      instead: "Check out a branch first.",
    });
}

/** A branch that moves under another work tree would stage the reversal of everything there. */
async function assertOnlyHere(repository: Repository, { branch }: Head): Promise<void> {
  const ref = `refs/heads/${branch}`;
  const other =
    branch === null ? undefined : (await otherWorktrees(repository)).find((one) => one.branch === ref);
  if (other) throw new RefloatError("E_BRANCH_ELSEWHERE", { ref, path: other.path });
}

/** Git would make up an address from the machine's name; commits are the user's, or they are not made. */
export function assertIdentity({ config }: Repository, env: Environment): void {
  for (const who of ["author", "committer"] as const) {
    const upper = who.toUpperCase();
    const name =
      env[`GIT_${upper}_NAME`] || lastValue(config, `${who}.name`) || lastValue(config, "user.name");
    const email =
      env[`GIT_${upper}_EMAIL`] ||
      lastValue(config, `${who}.email`) ||
      lastValue(config, "user.email") ||
      env.EMAIL;
    if (!name) throw new RefloatError("E_NO_IDENTITY", { missing: "user.name" });
    if (!email) throw new RefloatError("E_NO_IDENTITY", { missing: "user.email" });
  }
}
