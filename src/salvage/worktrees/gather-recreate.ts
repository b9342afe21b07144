/** Whether a removed work tree is brought back, and the facts that decide it: its last capture, its place, its branch. Reads only. */

import { existsSync, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type ErrorCode, RefloatError } from "../../model/errors.ts";
import { type Environment, placeInside } from "../../platform/places.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import { workspaceIn } from "../../store/contract/session-facts.ts";
import type { Store } from "../../store/store.ts";
import { type LastCaptured, lastCaptured } from "../../workspace/captures/captured-states.ts";
import { type Location, repositoryAt } from "../../workspace/git/locate.ts";
import { openRepository, type Repository } from "../../workspace/git/repository.ts";
import { type ListedWorktree, listWorktrees } from "../../workspace/git/worktrees.ts";

/**
 * Whether a removed work tree may be brought back with what its session's last capture holds. Pure. What could go wrong:
 * somebody's files at the place are written over; a branch is checked out twice; the captured files are laid over a
 * commit they were not made on, which would take somebody's work back. In each of these cases it is left to a person.
 */
export interface RecreateFacts {
  readonly session: string;
  readonly path: string;
  /** `there`: it is the very work tree, nothing is missing. `begun`: git's own file and nothing else, from an earlier start. */
  readonly place: "free" | "begun" | "there" | "taken";
  readonly capture: string;
  /** Where the captured HEAD was. Null: detached. */
  readonly branch: string | null;
  readonly head: string;
  /** The branch now; null: there is no such branch. */
  readonly tip: string | null;
  /** Another work tree that has the branch checked out. */
  readonly elsewhere: string | null;
  /** What git still keeps of the removed one; null: nothing, or only the beginning of it. */
  readonly kept: { readonly branch: string | null; readonly head: string | null } | null;
}

/** `keep`: git's folder of it is used as it is, with its index; `register`: git is told of it anew. */
type RecreateDecision =
  | { readonly kind: "nothing" }
  | { readonly kind: "go"; readonly how: "keep" | "register" }
  | { readonly kind: "refused"; readonly error: RefloatError };

export function decideRecreate(facts: RecreateFacts): RecreateDecision {
  const { session, path, place, capture, branch, head, elsewhere, kept } = facts;
  const refused = (code: ErrorCode, more: Record<string, unknown>): RecreateDecision => ({
    kind: "refused",
    error: new RefloatError(code, { session, path, capture, branch: branch ?? head, ...more }),
  });
  if (place === "there") return { kind: "nothing" };
  if (place === "taken") return refused("E_RECREATE_TAKEN", {});
  if (elsewhere !== null) return refused("E_RECREATE_ELSEWHERE", { where: elsewhere });
  const moved = movedFrom(facts);
  if (moved) return refused("E_RECREATE_MOVED", moved);
  return { kind: "go", how: kept === null ? "register" : "keep" };
}

/** A branch that is gone is made again at the captured commit; one that is elsewhere is nobody's to move (W2). */
function movedFrom({ branch, head, tip, kept }: RecreateFacts): Record<string, unknown> | null {
  if (kept !== null && kept.branch !== branch)
    return { what: "its HEAD", was: branch ?? head, is: kept.branch ?? kept.head };
  if (branch !== null && tip !== null && tip !== head) return { what: branch, was: head, is: tip };
  if (kept !== null && branch === null && kept.head !== head)
    return { what: "its HEAD", was: head, is: kept.head };
  return null;
}

/** What `git worktree add` puts first into a new work tree. */
export const GIT_FILE = ".git";

export interface RecreateLook {
  readonly facts: RecreateFacts;
  readonly captured: LastCaptured;
  /** The repository it was a work tree of: its common directory. */
  readonly repository: Repository;
  /** Git was stopped while it registered the work tree: what it keeps of it is of no use. */
  readonly isHalfRegistered: boolean;
}

/** Another place than its own, in another clone of its repository: what is there decides, not what was captured. */
export interface RecreateTo {
  readonly path: string;
  readonly commonDir: string;
  readonly branch: string | null;
}

interface RecreateOptions {
  readonly env: Environment;
  readonly upTo: string | null;
  /** Null: where it was. */
  readonly to?: RecreateTo | null;
}

/** Throws E_RECREATE_UNKNOWN where there is no repository to bring it back from, or nothing to bring back. */
export async function gatherRecreate(
  store: Store,
  row: SessionRow,
  { env, upTo, to = null }: RecreateOptions,
): Promise<RecreateLook> {
  const session = row.id;
  const unknown = (why: string): RefloatError => new RefloatError("E_RECREATE_UNKNOWN", { session, why });
  const captured = await lastCaptured(store, session, upTo);
  if (!captured) throw unknown("nothing of it was captured");
  const path = to?.path ?? workspaceIn(row);
  const commonDir = to?.commonDir ?? commonDirOf(captured, path, unknown);
  if (!existsSync(join(commonDir, "objects"))) throw unknown(`its repository is gone, too: ${commonDir}`);
  const head = captured.head?.id ?? null;
  if (head === null) throw unknown("its branch had no commit yet");
  const at: Location = { root: commonDir, gitDir: commonDir, commonDir, kind: "main" };
  const repository = await openRepository(at, { env });
  if (!(await hasCommit(repository, head))) throw unknown(`its commit ${head.slice(0, 12)} is gone`);
  const branch = to ? to.branch : (captured.head?.branch ?? null);
  const listed = await listWorktrees(repository);
  const own = listed.find((one) => one.path === path);
  const isHalfRegistered = own !== undefined && own.head === null && own.branch === null;
  const facts: RecreateFacts = {
    session,
    path,
    place: placeNow(path, commonDir),
    capture: captured.id,
    branch,
    head,
    tip: branch === null ? null : await tipOf(repository, branch),
    elsewhere: branch === null ? null : elsewhereOf(listed, branch, path),
    kept: own === undefined || isHalfRegistered ? null : { branch: own.branch, head: own.head },
  };
  return { facts, captured, repository, isHalfRegistered };
}

function commonDirOf(
  { workspace }: LastCaptured,
  path: string,
  unknown: (why: string) => RefloatError,
): string {
  const { common_dir: commonDir, path: then } = workspace;
  if (then !== path) throw unknown(`it was captured at another place: ${then}`);
  if (commonDir === null) throw unknown("it was a folder without git");
  if (placeInside(path, commonDir) !== null)
    throw unknown("its repository was in it; clone that again first");
  return commonDir;
}

function placeNow(path: string, commonDir: string): RecreateFacts["place"] {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat) return "free";
  if (!stat.isDirectory()) return "taken";
  const location = locationAt(path);
  if (location?.kind !== "linked" || location.commonDir !== commonDir) return "taken";
  return readdirSync(path).join("\0") === GIT_FILE ? "begun" : "there";
}

/** A `.git` that leads somewhere odd is somebody else's business, and in the way all the same. */
function locationAt(path: string): Location | null {
  try {
    return repositoryAt(path);
  } catch (thrown) {
    if (thrown instanceof RefloatError) return null;
    throw thrown;
  }
}

function elsewhereOf(listed: readonly ListedWorktree[], branch: string, path: string): string | null {
  return listed.find((one) => one.branch === branch && one.path !== path && !one.isBare)?.path ?? null;
}

export async function tipOf(repository: Repository, branch: string): Promise<string | null> {
  const args = ["rev-parse", "-q", "--verify", `refs/heads/${branch}`];
  const found = await repository.run(args, { answers: [1] });
  return found.toString("latin1").trim() || null;
}

async function hasCommit(repository: Repository, id: string): Promise<boolean> {
  const args = ["rev-parse", "-q", "--verify", `${id}^{commit}`];
  return (await repository.run(args, { answers: [1, 128] })).length > 0;
}
