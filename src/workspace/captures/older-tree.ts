/**
 * Whether the tree somebody stands in is an older state of the one a session worked in: a container started again from its image, a disk put
 * back from a backup. It has the marks of the session's tree, and not its work. Going on there would take what is gone for something that the
 * session, or its user, did away with; what is held would be hidden by the next capture (W8). Two signs, each by itself:
 *  - HEAD: it is elsewhere, the log of HEAD never was at the commit the last capture stood on, and that is not here, or HEAD is behind it.
 *    Whoever moves HEAD back himself is in that log.
 *  - on another machine, files: a path that the last capture holds is otherwise, and was last written before that capture.
 */
import { existsSync, lstatSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { stateKey } from "../../model/path-state.ts";
import { hostId } from "../../platform/identity.ts";
import type { Environment } from "../../platform/places.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import type { Store } from "../../store/store.ts";
import { hashingSink } from "../files/contents-sink.ts";
import { readHead } from "../git/head.ts";
import { hasCommit } from "../git/objects.ts";
import type { Repository } from "../git/repository.ts";
import type { GitWorkspace, Workspace } from "../opening/workspace.ts";
import { lastCaptureOf } from "../sessions/workspace-sessions.ts";
import { readTree } from "../tree/read-tree.ts";
import { lastCaptured } from "./captured-states.ts";
import { isAway } from "./held-work.ts";

export interface OlderTree {
  /** HEAD as the last capture saw it. */
  readonly was: string;
  readonly is: string | null;
  readonly why: "commit-missing" | "never-there" | "files";
}

/** File systems count in seconds, some in two; machines' clocks differ by more, which only costs the second sign (D3). */
const COARSE_MS = 2000;

/** Null: it is not, or it is plainly another tree, or nothing of the session was captured. */
export async function olderTree(
  store: Store,
  row: SessionRow,
  workspace: Workspace,
  env: Environment,
): Promise<OlderTree | null> {
  const was = row.facts.captured_head;
  if (workspace.kind === "folder" || typeof was !== "string" || isAway(row, workspace)) return null;
  const repository = await workspace.repository();
  const { id: is } = await readHead(repository);
  if (is !== was) {
    const log = loggedHead(repository);
    if (log?.includes(was)) return null;
    if (!(await hasCommit(repository, was))) return { was, is, why: "commit-missing" };
    // Without a log nobody knows; and with the commit here, nothing of it is lost.
    const isBehind = log !== null && is !== null && (await isAncestor(repository, is, was));
    return isBehind ? { was, is, why: "never-there" } : null;
  }
  const isElsewhere = (lastCaptureOf(row)?.host ?? hostId()) !== hostId();
  return isElsewhere && (await hasOlderFiles(store, row, workspace, env)) ? { was, is, why: "files" } : null;
}

async function isAncestor(repository: Repository, a: string, b: string): Promise<boolean> {
  const output = await repository.run(["merge-base", a, b], { answers: [1] });
  return output.toString("latin1").trim() === a;
}

/** All that it ever was, as far as this work tree remembers. */
function loggedHead({ gitDir }: Repository): string | null {
  const path = join(gitDir, "logs/HEAD");
  return existsSync(path) ? readFileSync(path, "latin1") : null;
}

async function hasOlderFiles(
  store: Store,
  row: SessionRow,
  workspace: GitWorkspace,
  env: Environment,
): Promise<boolean> {
  const last = await lastCaptured(store, row.id);
  if (!last) return false;
  const held = last.reading.entries.filter(({ state }) => state?.kind === "file");
  const paths = held.map(({ path }) => path);
  const { entries } = await readTree(workspace, hashingSink(), { env, clock: store.clock, paths });
  const now = new Map(entries.map(({ path, state }) => [path, state]));
  return held.some(({ path, state }) => {
    if (stateKey(now.get(path) ?? null) === stateKey(state)) return false;
    const writtenMs = changedMs(workspace.root, path);
    return writtenMs !== null && writtenMs + COARSE_MS < last.atMs;
  });
}

/** When a path was last written, or taken away: then its folder was. */
function changedMs(root: string, path: string): number | null {
  for (let at = path; ; at = dirname(at)) {
    const stat = lstatSync(join(root, at), { throwIfNoEntry: false });
    if (stat) return stat.mtimeMs;
    if (at === ".") return null;
  }
}
