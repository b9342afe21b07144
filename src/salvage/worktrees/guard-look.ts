/**
 * Looks at one work tree that is about to go: what in it is in no capture whose bytes the store gives back, which commits would go
 * with it, what is under way. Holding is apart (guard-hold.ts); after it this looks again, so that "all is held" is always said by
 * a reading of the tree and of the store, never by whoever held it (W4, S7).
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { HeldRepository } from "../../model/capture.ts";
import type { ContentHash } from "../../model/ids.ts";
import { isWithin, type PathName } from "../../model/path-name.ts";
import { stateKey } from "../../model/path-state.ts";
import { errnoOf } from "../../platform/io-error.ts";
import type { Environment } from "../../platform/places.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import type { Store } from "../../store/store.ts";
import { count } from "../../text/counting.ts";
import { shellLineWord } from "../../text/escape.ts";
import { shownPath } from "../../text/shown-path.ts";
import { newestCaptures } from "../../workspace/captures/captures.ts";
import { readsBack, stagedOnly, tipsReadBack } from "../../workspace/captures/hold-repository.ts";
import { hashingSink } from "../../workspace/files/contents-sink.ts";
import { pathAt } from "../../workspace/files/read-path.ts";
import { filesUnderWay, type GitFile, gitFilesIn } from "../../workspace/git/git-files.ts";
import { commitsBeyond, type GoingCommits, goingCommits } from "../../workspace/git/going-commits.ts";
import { blobId } from "../../workspace/git/landed.ts";
import { type LfsObject, lfsBytes, lfsObjectsGoing } from "../../workspace/git/lfs-objects.ts";
import type { Repository } from "../../workspace/git/repository.ts";
import { listWorktrees } from "../../workspace/git/worktrees.ts";
import type { Workspace } from "../../workspace/opening/workspace.ts";
import { lastCaptureOf, sessionsOf } from "../../workspace/sessions/workspace-sessions.ts";
import { readTree } from "../../workspace/tree/read-tree.ts";
import { type ReadEntry, type Reading, readingOf } from "../../workspace/tree/reading.ts";
import {
  changedFinding,
  commitsFinding,
  type GuardFinding,
  holding,
  hooksFinding,
  lfsFinding,
  plainFinding,
  stagedFinding,
  tagsFinding,
} from "./guard-finding.ts";
import type { GuardedTree } from "./guarded-trees.ts";

export interface LookOrder {
  readonly store: Store | null;
  readonly env: Environment;
  readonly clock: Store["clock"];
  /** What is about to go. */
  readonly folder: string;
  readonly workspace: Workspace;
  /** Null: a plain folder. */
  readonly tree: GuardedTree | null;
  /** Repositories that are looked at by themselves: what a capture of the one around them does not have is theirs. */
  readonly others: readonly string[];
}

/** A tree that was held is held in its newest captures: older ones are not looked through. */
const MAX_SESSIONS = 20;
const MAX_CAPTURES = 3;
/** Refs that are named one by one. */
const MAX_REFS = 12;
export const HOLD_LIMITS = { budgetMs: 600_000, statusMs: 600_000 } as const;

interface HeldInCaptures {
  /** Path and state, as one text. */
  readonly states: ReadonlySet<string>;
  readonly repositories: readonly HeldRepository[];
}

export async function lookAtTree(order: LookOrder): Promise<GuardFinding[]> {
  const { store, env, clock, workspace, tree } = order;
  const reading = await readTree(workspace, hashingSink(), { env, clock, limits: HOLD_LIMITS });
  const repository = workspace.kind === "git" ? await workspace.repository() : null;
  const held = await heldOf(store, workspace.root);
  const scope = tree?.scope ?? ("" as PathName);
  const isThere = (path: PathName): boolean => scope === "" || isWithin(path, scope);
  const entries = reading.entries.filter(({ path, state }) => isThere(path) && state?.kind !== "submodule");
  const changed = await notHeld(
    store,
    held,
    entries.filter((entry) => !isAsHead(workspace.root, entry)),
  );
  const { root } = workspace;
  return [
    ...changedFinding(root, order.folder, changed),
    ...gapFindings(order, reading, isThere),
    ...(repository && tree ? await repositoryFindings(order, tree, repository, reading, held) : []),
  ];
}

/** Git was told not to look at it, and it is as HEAD has it all the same. */
function isAsHead(root: string, { path, state, head, flags }: ReadEntry): boolean {
  const isHidden = flags.some((flag) => flag === "skip-worktree" || flag === "assume-unchanged");
  return (
    isHidden && head !== null && head !== undefined && state?.kind === "file" && isBlob(root, path, head.id)
  );
}

function isBlob(root: string, path: PathName, id: string): boolean {
  try {
    return blobId(readFileSync(pathAt(root, path)), id.length === 64 ? "sha256" : "sha1") === id;
  } catch (thrown) {
    if (errnoOf(thrown) === null) throw thrown;
    return false;
  }
}

async function heldOf(store: Store | null, root: string): Promise<HeldInCaptures> {
  if (!store) return { states: new Set(), repositories: [] };
  const newest = (row: SessionRow): number => lastCaptureOf(row)?.atMs ?? 0;
  const rows = (await sessionsOf(store, [root]))
    .toSorted((a, b) => newest(b) - newest(a))
    .slice(0, MAX_SESSIONS);
  const captures = await newestCaptures(store, rows, MAX_CAPTURES);
  const states = new Set<string>();
  for (const { capture } of captures) {
    const { entries, gaps } = readingOf(capture);
    const missing = new Set(gaps.map(({ path }) => path));
    for (const { path, state } of entries) if (!missing.has(path)) states.add(`${stateKey(state)}\0${path}`);
  }
  return { states, repositories: captures.flatMap(({ capture }) => capture.repository ?? []) };
}

/** Named by a capture, and the store gives the very bytes back. */
async function notHeld(
  store: Store | null,
  held: HeldInCaptures,
  entries: readonly ReadEntry[],
): Promise<PathName[]> {
  const proved = new Map<ContentHash, boolean>();
  const found: PathName[] = [];
  for (const { path, state } of entries) {
    const isNamed = held.states.has(`${stateKey(state)}\0${path}`);
    const hash = state?.hash ?? null;
    if (store && isNamed && hash !== null && !proved.has(hash))
      proved.set(hash, await readsBack(store, hash));
    if (!isNamed || (hash !== null && !proved.get(hash))) found.push(path);
  }
  return found;
}

function gapFindings(
  { workspace: { root }, folder, others }: LookOrder,
  { gaps, limits }: Reading,
  isThere: (path: PathName) => boolean,
): GuardFinding[] {
  const ofOthers = new Set(others);
  const own = gaps.filter(
    ({ path, reason }) =>
      isThere(path) &&
      !((reason === "submodule" || reason === "nested-repository") && ofOthers.has(`${root}/${path}`)),
  );
  return [
    ...own.map(({ path, reason, detail }) => ({
      kind: reason === "unreadable" ? ("unreadable" as const) : ("not-held" as const),
      tree: root,
      message: `${shownPath(path)} cannot be held: ${detail}`,
      count: 1,
      paths: [path],
      command: null,
    })),
    ...limits.map(({ limit, value, leftOut }) =>
      plainFinding(
        "limit",
        root,
        `the limit ${limit} (${value}) left out ${count(leftOut, "path")} of ${folder}`,
      ),
    ),
  ];
}

async function repositoryFindings(
  { store, folder, workspace }: LookOrder,
  { goes, location }: GuardedTree,
  repository: Repository,
  reading: Reading,
  held: HeldInCaptures,
): Promise<GuardFinding[]> {
  if (goes === "nothing") return [];
  const { root } = workspace;
  const going = await goingCommits(repository, goes, folder);
  const heldTips = store ? await tipsHeld(store, repository, going.kept, held.repositories) : [];
  const listed = await listWorktrees(repository);
  const locked = listed.find(({ path }) => path === root)?.locked ?? null;
  return [
    ...(await lostCommits(root, folder, repository, going, heldTips)),
    ...tagsFinding(root, folder, lostObjects(going, new Set(heldTips))),
    ...(location.kind === "linked" ? [] : await lostHooks(store, root, location.gitDir, folder, held)),
    ...(goes === "repository" ? await lostLfs(store, repository, going, folder, held) : []),
    ...stagedFinding(root, folder, lostStaged(root, reading, new Set(heldTips))),
    ...(await underWay(store, root, location.gitDir, folder, reading, held)),
    ...(locked === null
      ? []
      : [
          plainFinding(
            "locked",
            root,
            locked ? `it is locked: ${locked}` : "it is locked",
            `git worktree unlock ${shellLineWord(root)}`,
          ),
        ]),
    ...(goes === "repository" ? dependents(root, folder, listed) : []),
  ];
}

/** A bundle counts only where what it stands on stays. */
async function tipsHeld(
  store: Store,
  repository: Repository,
  kept: readonly string[],
  repositories: readonly HeldRepository[],
): Promise<string[]> {
  const tips: string[] = [];
  for (const one of repositories) {
    if ((await commitsBeyond(repository, one.bases, kept)) > 0) continue;
    tips.push(...(await tipsReadBack(store, repository, one)));
  }
  return tips;
}

async function lostCommits(
  root: string,
  folder: string,
  repository: Repository,
  { tips, kept }: GoingCommits,
  heldTips: readonly string[],
): Promise<GuardFinding[]> {
  const others = [...kept, ...heldTips];
  const commits = await commitsBeyond(
    repository,
    tips.map(({ id }) => id),
    others,
  );
  if (commits === 0) return [];
  const refs: string[] = [];
  for (const { ref, id } of tips.slice(0, MAX_REFS))
    if ((await commitsBeyond(repository, [id], others)) > 0) refs.push(ref);
  return commitsFinding(root, folder, commits, refs);
}

const lostObjects = ({ objects }: GoingCommits, heldIds: ReadonlySet<string>): string[] =>
  objects.filter(({ id }) => !heldIds.has(id)).map(({ ref }) => ref);

async function lostHooks(
  store: Store | null,
  root: string,
  gitDir: string,
  folder: string,
  held: HeldInCaptures,
): Promise<GuardFinding[]> {
  const { files, leftOut } = gitFilesIn(gitDir, ["hooks"]);
  const lost = [...leftOut];
  for (const file of files) if (!(await isFileHeld(store, file, held))) lost.push(file.name);
  return hooksFinding(root, folder, lost.sort());
}

async function lostLfs(
  store: Store | null,
  repository: Repository,
  { kept }: GoingCommits,
  folder: string,
  { repositories }: HeldInCaptures,
): Promise<GuardFinding[]> {
  const named = new Map(repositories.flatMap(({ files }) => files.map((one) => [one.name, one.hash])));
  const lost: string[] = [];
  for (const object of await lfsObjectsGoing(repository, kept, folder)) {
    const hash = named.get(object.name) as ContentHash | undefined;
    const isHeld = store !== null && hash !== undefined && (await isSame(object, hash));
    if (!isHeld || !(await readsBack(store, hash))) lost.push(object.name);
  }
  return lfsFinding(repository.root, folder, lost);
}

async function isSame(object: LfsObject, hash: ContentHash): Promise<boolean> {
  const whole = createHash("sha256");
  for await (const piece of lfsBytes(object)) whole.update(piece);
  return whole.digest("hex") === hash;
}

/** A file of git's own, by its name and its very bytes. */
async function isFileHeld(
  store: Store | null,
  { name, bytes }: GitFile,
  { repositories }: HeldInCaptures,
): Promise<boolean> {
  const hash = createHash("sha256").update(bytes).digest("hex") as ContentHash;
  const isNamed = repositories.some(({ files }) =>
    files.some((one) => one.name === name && one.hash === hash),
  );
  return store !== null && isNamed && (await readsBack(store, hash));
}

/** Staged otherwise than it lies there. */
function lostStaged(root: string, reading: Reading, heldIds: ReadonlySet<string>): PathName[] {
  const wanted = new Set(stagedOnly(reading));
  return reading.entries.flatMap(({ path, state, staged = [] }) =>
    staged.some(
      ({ id }) => wanted.has(id) && !heldIds.has(id) && !(state?.kind === "file" && isBlob(root, path, id)),
    )
      ? [path]
      : [],
  );
}

async function underWay(
  store: Store | null,
  root: string,
  gitDir: string,
  folder: string,
  { inProgress }: Reading,
  held: HeldInCaptures,
): Promise<GuardFinding[]> {
  if (inProgress.length === 0) return [];
  const { files, leftOut } = filesUnderWay(gitDir);
  let isHeld = leftOut.length === 0;
  for (const file of isHeld ? files : []) isHeld &&= await isFileHeld(store, file, held);
  if (isHeld) return [];
  return inProgress.map((what) => plainFinding("operation", root, `a ${what} is under way`, holding(folder)));
}

/** Work trees elsewhere whose repository is here: their files would stay, and belong to nothing. */
function dependents(
  root: string,
  folder: string,
  listed: Awaited<ReturnType<typeof listWorktrees>>,
): GuardFinding[] {
  return listed
    .filter(
      ({ path, isMain, prunable }) =>
        !isMain && prunable === null && path !== folder && !path.startsWith(`${folder}/`),
    )
    .map(({ path }) =>
      plainFinding("linked", root, `the work tree ${path} has its repository here`, "refloat worktrees"),
    );
}
