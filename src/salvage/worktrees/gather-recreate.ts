/** The facts by which a removed work tree is brought back, or not: its last capture, its place, its branch. Reads only. */
import { existsSync, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { RefloatError } from "../../model/errors.ts";
import type { Environment } from "../../platform/places.ts";
import { placeInside } from "../../platform/places.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import type { Store } from "../../store/store.ts";
import { type LastCaptured, lastCaptured } from "../../workspace/captures/captured-states.ts";
import { type Location, repositoryAt } from "../../workspace/git/locate.ts";
import { openRepository, type Repository } from "../../workspace/git/repository.ts";
import { type ListedWorktree, listWorktrees } from "../../workspace/git/worktrees.ts";
import type { RecreateFacts } from "./decide-recreate.ts";

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

/** Throws E_RECREATE_UNKNOWN where there is no repository to bring it back from, or nothing to bring back. */
export async function gatherRecreate(
  store: Store,
  row: SessionRow,
  { env, upTo }: { readonly env: Environment; readonly upTo: string | null },
): Promise<RecreateLook> {
  const session = row.id;
  const unknown = (why: string): RefloatError => new RefloatError("E_RECREATE_UNKNOWN", { session, why });
  const captured = await lastCaptured(store, session, upTo);
  if (!captured) throw unknown("nothing of it was captured");
  const path = typeof row.facts.workspace === "string" ? row.facts.workspace : "";
  const { common_dir: commonDir, path: then } = captured.workspace;
  if (then !== path) throw unknown(`it was captured at another place: ${then}`);
  if (commonDir === null) throw unknown("it was a folder without git");
  if (placeInside(path, commonDir) !== null)
    throw unknown("its repository was in it; clone that again first");
  if (!existsSync(join(commonDir, "objects"))) throw unknown(`its repository is gone, too: ${commonDir}`);
  const head = captured.head?.id ?? null;
  if (head === null) throw unknown("its branch had no commit yet");
  const at: Location = { root: commonDir, gitDir: commonDir, commonDir, kind: "main" };
  const repository = await openRepository(at, { env });
  if (!(await hasCommit(repository, head))) throw unknown(`its commit ${head.slice(0, 12)} is gone`);
  const branch = captured.head?.branch ?? null;
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

async function tipOf(repository: Repository, branch: string): Promise<string | null> {
  const args = ["rev-parse", "-q", "--verify", `refs/heads/${branch}`];
  const found = await repository.run(args, { answers: [1] });
  return found.toString("latin1").trim() || null;
}

async function hasCommit(repository: Repository, id: string): Promise<boolean> {
  const args = ["rev-parse", "-q", "--verify", `${id}^{commit}`];
  return (await repository.run(args, { answers: [1, 128] })).length > 0;
}
