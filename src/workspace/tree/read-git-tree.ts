/**
 * The tree of a repository: by status, or only the paths that are known. HEAD and the index must be the same
 * before and after (W4); when they moved, everything is read again, and after a few times it fails.
 */
import { CONFIG_FILE, type RefloatConfig } from "../../model/config.ts";
import { giving, RefloatError } from "../../model/errors.ts";
import { CAPTURE_TRIES } from "../../model/limits.ts";
import type { PathName } from "../../model/path-name.ts";
import type { Environment } from "../../platform/places.ts";
import { shownPath } from "../../text/shown-path.ts";
import { isFolderAt, lookAt } from "../files/read-path.ts";
import {
  type CaseTwin,
  caseTwins,
  isBlindHere,
  listPrecious,
  pathsWithFilter,
  readTracked,
  type TrackedFiles,
} from "../git/beside-status.ts";
import { type Head, headFromFiles, inProgress, readHead } from "../git/head.ts";
import { indexIdentity, isSameIndex } from "../git/index-file.ts";
import { objectsAt } from "../git/objects.ts";
import type { Repository } from "../git/repository.ts";
import { readStatus, type StatusLine } from "../git/status.ts";
import { MAX_SUBMODULES, readSubmodule } from "../git/submodules.ts";
import { readConfig } from "../opening/config.ts";
import type { GitWorkspace } from "../opening/workspace.ts";
import { readCandidates } from "./read-candidates.ts";
import type {
  CandidatePath,
  ReachedLimit,
  ReadGap,
  Reading,
  ReadingLimits,
  ReadingOptions,
} from "./reading.ts";
import { boundsOf } from "./reading.ts";

interface FoundPaths {
  readonly candidates: readonly CandidatePath[];
  readonly gaps: readonly ReadGap[];
  readonly limits: readonly ReachedLimit[];
  readonly hidden: number;
  readonly scopes: readonly PathName[];
  /** The user's own bounds of a capture. */
  readonly bounds?: ReadingLimits;
}

export async function readByStatus(
  workspace: GitWorkspace,
  env: Environment,
  options: ReadingOptions,
): Promise<Reading> {
  return atRest(workspace, "status", options, async (head) => {
    const repository = await workspace.repository();
    const timeoutMs = options.limits.statusMs;
    const [lines, tracked] = await Promise.all([
      (workspace.asked?.lines ?? readStatus)(repository, timeoutMs),
      (workspace.asked?.tracked ?? readTracked)(repository, timeoutMs),
    ]);
    return findByStatus({ repository, env, head, lines, tracked, timeoutMs }, options);
  });
}

/** Costs the same in any repository: no status, no index, no git at all unless a folder is named. */
export async function readKnownPaths(
  workspace: GitWorkspace,
  env: Environment,
  paths: readonly PathName[],
  options: ReadingOptions,
): Promise<Reading> {
  return atRest(workspace, "paths", options, async () => {
    const scopes = paths.filter((path) => isFolderAt(workspace.root, path));
    const files = paths.filter((path) => !scopes.includes(path));
    const below = scopes.length === 0 ? NOTHING_BELOW : await findBelow(workspace, env, scopes, options);
    const known = new Set(below.candidates.map(({ path }) => path));
    return {
      candidates: [
        ...below.candidates,
        ...files.filter((path) => !known.has(path)).map((path) => ({ path, flags: [] })),
      ],
      gaps: below.gaps,
      limits: below.limits,
      hidden: 0,
      scopes,
    };
  });
}

type PathsBelow = Pick<FoundPaths, "candidates" | "gaps" | "limits">;
const NOTHING_BELOW: PathsBelow = { candidates: [], gaps: [], limits: [] };

/** What git lists in folders; a submodule, which it calls one path, through its own door. */
async function findBelow(
  workspace: GitWorkspace,
  env: Environment,
  scopes: readonly PathName[],
  { limits }: ReadingOptions,
): Promise<PathsBelow> {
  const repository = await workspace.repository();
  const timeoutMs = limits.statusMs;
  const [lines, tracked] = await Promise.all([
    readStatus(repository, timeoutMs, scopes),
    readTracked(repository, timeoutMs, scopes),
  ]);
  const submodules = await findSubmodules({ repository, env, lines, tracked, timeoutMs });
  const inside = lines.filter(({ kind, isSubmodule }) => kind !== "unreadable" && !isSubmodule);
  return {
    candidates: [...inside.map(candidateOf), ...submodules.candidates],
    gaps: [...lines.flatMap(placeGap), ...submodules.gaps],
    limits: submodules.limits,
  };
}

/** Paths git is asked about: what it does not list there is clean, or ignored, and needs no reading (W6). */
export async function readAskedPaths(
  workspace: GitWorkspace,
  env: Environment,
  paths: readonly PathName[],
  options: ReadingOptions,
): Promise<Reading> {
  return atRest(workspace, "paths", options, async (head) => {
    const repository = await workspace.repository();
    const timeoutMs = options.limits.statusMs;
    const [lines, tracked] = await Promise.all([
      readStatus(repository, timeoutMs, paths),
      readTracked(repository, timeoutMs, paths),
    ]);
    const known = new Set(lines.map(({ path }) => path));
    const hidden = await findHidden({ repository, head, tracked }, known);
    const submodules = await findSubmodules({ repository, env, lines, tracked, timeoutMs });
    const changed = lines.filter((line) => isOfFile(line) && !line.isSubmodule);
    const files = await withFilters(repository, [...changed.map(candidateOf), ...hidden]);
    return {
      candidates: [...files, ...submodules.candidates],
      gaps: [...lines.flatMap(placeGap), ...submodules.gaps],
      limits: [...submodules.limits, ...hiddenLimit(tracked)],
      hidden: tracked.hiddenCount,
      scopes: paths,
    };
  });
}

async function atRest(
  { root, location, repository }: GitWorkspace,
  how: "status" | "paths",
  options: ReadingOptions,
  find: (head: Head) => Promise<FoundPaths>,
): Promise<Reading> {
  const headNow = async (): Promise<Head> => headFromFiles(location) ?? readHead(await repository());
  for (let left = CAPTURE_TRIES; left > 0; left--) {
    const [head, index] = [await headNow(), indexIdentity(location)];
    const found = await find(head);
    const limits = found.bounds ?? options.limits;
    const read = await readCandidates(root, found.candidates, { ...options, limits });
    const after = await headNow();
    const isAtRest = head.id === after.id && head.branch === after.branch;
    if (!isAtRest || !isSameIndex(index, indexIdentity(location))) continue;
    return {
      how,
      head,
      index,
      inProgress: inProgress(location),
      scopes: found.scopes,
      entries: read.entries,
      gaps: [...found.gaps, ...read.gaps],
      limits: [...found.limits, ...read.limits],
      hidden: found.hidden,
    };
  }
  throw new RefloatError("E_CAPTURE_MOVING", { what: "HEAD or the index", tries: CAPTURE_TRIES });
}

interface StatusFacts {
  readonly repository: Repository;
  readonly env: Environment;
  readonly head: Head;
  readonly lines: readonly StatusLine[];
  readonly tracked: TrackedFiles;
  readonly timeoutMs: number;
}

async function findByStatus(facts: StatusFacts, options: ReadingOptions): Promise<FoundPaths> {
  const { repository, lines, tracked } = facts;
  const submodules = await findSubmodules(facts);
  const twins =
    (options.isCaseBlind ?? isBlindHere(repository))
      ? await caseTwins(repository, lines, facts.timeoutMs)
      : [];
  const isTwin = new Set(twins.flatMap(({ path, tracked: other }) => [path, other]));
  const isSubmodule = new Set(tracked.submodules.map(({ path }) => path));
  const changed = lines
    .filter((line) => isOfFile(line) && !isSubmodule.has(line.path) && !isTwin.has(line.path))
    .map(candidateOf);
  const known = new Set(lines.map(({ path }) => path));
  const hidden = await findHidden(facts, known);
  const configured = await configuredFor(facts, known);
  const globs = [...options.precious, ...(configured.precious ?? [])];
  const listed = await listPrecious(repository, globs, facts.timeoutMs);
  const precious = listed.filter((path) => !known.has(path) && !isNested(path));
  const candidates = [
    ...changed,
    ...submodules.candidates,
    ...hidden,
    ...precious.map((path) => ({ path, head: null, staged: [], flags: ["ignored"] })),
  ];
  return {
    candidates: await withFilters(repository, candidates),
    gaps: [
      ...lines.flatMap(placeGap),
      ...submodules.gaps,
      ...twins.flatMap(twinGaps),
      ...listed.filter(isNested).map(nestedGap),
    ],
    limits: [...submodules.limits, ...hiddenLimit(tracked)],
    hidden: tracked.hiddenCount,
    scopes: [],
    bounds: boundsOf(configured, options.limits),
  };
}

/** Another repository among ignored files: git names it by its folder, with a slash, and does not enter it. */
const isNested = (path: PathName): boolean => path.endsWith("/");

const nestedGap = (path: PathName): ReadGap => ({
  path: path.replace(/\/+$/, "") as PathName,
  reason: "nested-repository",
  detail: "a repository lies there",
});

/**
 * The config as HEAD has it: it is there in the tree, or git lists it as changed. One that does not parse says nothing;
 * whoever reads it for its own sake says so, and a capture goes on without its precious files and bounds.
 */
async function configuredFor(
  { repository, env, head }: StatusFacts,
  known: ReadonlySet<PathName>,
): Promise<RefloatConfig> {
  const file = CONFIG_FILE as PathName;
  const isCommitted = lookAt(repository.root, file) !== null || known.has(file);
  return readConfig(isCommitted ? repository : null, head.id, env).catch(giving({}, "E_BAD_CONFIG"));
}

function hiddenLimit({ hidden, leftOut }: TrackedFiles): ReachedLimit[] {
  return leftOut > 0 ? [{ limit: "hidden", value: hidden.length, leftOut }] : [];
}

function twinGaps({ path, tracked }: CaseTwin): ReadGap[] {
  const detail = (other: PathName): string => `this file system does not tell it from ${shownPath(other)}`;
  return [
    { path, reason: "case-only", detail: detail(tracked) },
    { path: tracked, reason: "case-only", detail: detail(path) },
  ];
}

/** Git was told not to look at these: those that are there are read and held. */
async function findHidden(
  { repository, head, tracked }: Pick<StatusFacts, "repository" | "head" | "tracked">,
  known: ReadonlySet<PathName>,
): Promise<CandidatePath[]> {
  const there = tracked.hidden.filter(
    ({ path }) => !known.has(path) && lookAt(repository.root, path) !== null,
  );
  if (there.length === 0) return [];
  const paths = there.map(({ path }) => path);
  const objects = head.id === null ? new Map() : await objectsAt(repository, head.id, paths);
  return there.map(({ path, flag }) => ({ path, head: objects.get(path) ?? null, flags: [flag] }));
}

async function findSubmodules(
  facts: Omit<StatusFacts, "head">,
): Promise<{ candidates: CandidatePath[]; gaps: ReadGap[]; limits: ReachedLimit[] }> {
  const { repository, env, tracked, lines, timeoutMs } = facts;
  const looked = tracked.submodules.slice(0, MAX_SUBMODULES);
  const leftOut = tracked.submodules.length - looked.length;
  const candidates: CandidatePath[] = [];
  const gaps: ReadGap[] = [];
  for (const submodule of looked) {
    const found = await readSubmodule(repository.root, submodule, env, timeoutMs);
    const line = lines.find(({ path }) => path === submodule.path);
    if (line) candidates.push({ ...candidateOf(line), ...(found?.state ? { state: found.state } : {}) });
    if (found?.gap) gaps.push({ path: submodule.path, reason: "submodule", detail: found.gap });
  }
  return {
    candidates,
    gaps,
    limits: leftOut > 0 ? [{ limit: "submodules", value: MAX_SUBMODULES, leftOut }] : [],
  };
}

async function withFilters(
  repository: Repository,
  candidates: readonly CandidatePath[],
): Promise<readonly CandidatePath[]> {
  if (repository.untrustedFilters.length === 0) return candidates;
  const paths = candidates.map(({ path }) => path);
  const raw = await pathsWithFilter(repository, paths, repository.untrustedFilters);
  return candidates.map((candidate) => {
    const filter = raw.get(candidate.path);
    return filter === undefined
      ? candidate
      : { ...candidate, flags: [...candidate.flags, `raw-filter:${filter}`] };
  });
}

export function candidateOf({ path, kind, head, staged }: StatusLine): CandidatePath {
  const flags = kind === "untracked" || kind === "unmerged" ? [kind] : [];
  return { path, head, staged, flags };
}

const isOfFile = ({ kind }: StatusLine): boolean => kind !== "nested" && kind !== "unreadable";

/** A place that git names and nobody looked into. */
export function placeGap({ path, kind }: StatusLine): ReadGap[] {
  if (kind === "nested")
    return [{ path, reason: "nested-repository", detail: "another repository lies there" }];
  return kind === "unreadable" ? [{ path, reason: "unreadable", detail: "git could not look there" }] : [];
}
