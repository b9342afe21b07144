/** Of what a session left: what still differs from HEAD here, without what the user left out of judging or left on purpose. */
import { CONFIG_FILE, ignoredGlobs } from "../../model/config.ts";
import { AUTO_CAPTURE_STATUS_MS } from "../../model/limits.ts";
import { isWithin, type PathName, pathFromJson } from "../../model/path-name.ts";
import { bodyAs } from "../../model/record.ts";
import type { Environment } from "../../platform/places.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import type { Store } from "../../store/store.ts";
import { globMatcher } from "../../text/glob.ts";
import { hashingSink } from "../files/contents-sink.ts";
import { isFolderAt, lookAt } from "../files/read-path.ts";
import { readStatus } from "../git/status.ts";
import { userConfig } from "../opening/config.ts";
import type { GitWorkspace, Workspace } from "../opening/workspace.ts";
import { GAP, type LeftChange } from "../owning/left-changes.ts";
import { laidUpon } from "../sessions/imports.ts";
import { readTree } from "../tree/read-tree.ts";
import { judgingConfig } from "../trust/judging-config.ts";

/** More paths than this are found among all changed ones: a command line holds only so many. */
const MAX_NAMED_PATHS = 200;

/** Changes the user's config leaves out of judging can never be settled, and need not be. */
export async function withoutIgnored(
  store: Store,
  workspace: Workspace,
  row: SessionRow,
  env: Environment,
  left: readonly LeftChange[],
): Promise<readonly LeftChange[]> {
  if (left.length === 0) return left;
  const isConfigured = lookAt(workspace.root, CONFIG_FILE as PathName) !== null;
  const config = isConfigured ? await judgingConfig(store, row, workspace, env) : userConfig(env);
  const isIgnored = globMatcher(ignoredGlobs(config));
  return left.filter(({ path }) => !isIgnored(path));
}

/** What somebody named and left, each path in the state it was in then (DESIGN 15). */
export async function leftOnPurpose(store: Store, { id }: SessionRow): Promise<ReadonlySet<string>> {
  const left = new Set<string>();
  const isLaid = (await laidUpon(store))(id);
  for await (const record of store.journal(id, { kinds: ["group.left"] })) {
    if (isLaid(record)) continue;
    for (const one of bodyAs(record, "group.left")?.paths ?? [])
      left.add(`${one.state} ${pathFromJson(one)}`);
  }
  return left;
}

export async function changedAmong(
  store: Store,
  workspace: Workspace,
  env: Environment,
  left: readonly LeftChange[],
): Promise<readonly LeftChange[]> {
  if (workspace.kind === "folder") return left;
  const named = left.map(({ path }) => path);
  const canName = named.length <= MAX_NAMED_PATHS && named.every((path) => path.isWellFormed());
  const repository = await workspace.repository();
  // In one look everybody asks about all of it, sooner or later.
  const lines = workspace.asked
    ? await workspace.asked.lines(repository, AUTO_CAPTURE_STATUS_MS)
    : await readStatus(repository, AUTO_CAPTURE_STATUS_MS, canName ? named : []);
  const changed = new Set<PathName>(lines.map(({ path }) => path));
  const unlisted = left.filter(({ path, to }) => to === GAP && !changed.has(path)).map(({ path }) => path);
  for (const path of await changedInside(store, workspace, env, unlisted)) changed.add(path);
  // What cannot be looked at is no proof that it was settled.
  const unseen = lines.filter(({ kind }) => kind === "unreadable");
  return left.filter(({ path }) => changed.has(path) || unseen.some((place) => isWithin(path, place.path)));
}

/** Submodules among the paths that have changes of their own: git does not look into them for us (status.ts). */
async function changedInside(
  store: Store,
  workspace: GitWorkspace,
  env: Environment,
  paths: readonly PathName[],
): Promise<PathName[]> {
  const folders = paths.filter((path) => isFolderAt(workspace.root, path));
  if (folders.length === 0) return [];
  const { gaps } = await readTree(workspace, hashingSink(), { env, clock: store.clock, paths: folders });
  return gaps.filter(({ reason }) => reason === "submodule").map(({ path }) => path);
}
