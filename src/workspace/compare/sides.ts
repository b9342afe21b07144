/**
 * Any two of {a capture, HEAD, the tree now}: gathers what each side says of every path that either of them
 * names, and compares (states.ts). A path that differs only because HEAD moved is *committed since* and listed
 * apart: nothing may be done about it unless somebody names it.
 */
import { giving, RefloatError } from "../../model/errors.ts";
import { isWithin, type PathName } from "../../model/path-name.ts";
import { hashingSink } from "../files/contents-sink.ts";
import { lookAt } from "../files/read-path.ts";
import { BLOB_MISSING, type HeadState, headStates } from "../git/head-states.ts";
import { treeChanges } from "../git/objects.ts";
import type { Repository } from "../git/repository.ts";
import type { GitObject } from "../git/status.ts";
import type { Workspace } from "../opening/workspace.ts";
import { readTree, type TreeOptions } from "../tree/read-tree.ts";
import type { Reading } from "../tree/reading.ts";
import { type Change, compareStates, type SideState, type StateAt } from "./states.ts";

export interface CompareSide {
  readonly label: string;
  /** Null: HEAD itself, without a tree. */
  readonly reading: Reading | null;
  readonly headId: string | null;
  /** Read by name although status does not list them: clean, or ignored. */
  readonly unlisted?: ReadonlySet<PathName>;
  /** What its HEAD has at paths, where it is known already; null: nothing. */
  readonly objects?: ReadonlyMap<PathName, GitObject | null>;
}

export interface SidesCompared {
  readonly changes: readonly Change[];
  readonly committed: readonly PathName[];
  readonly unknown: readonly { readonly path: PathName; readonly why: string }[];
}

/** `repository` is null for a folder without git. */
export async function compareSides(
  repository: Repository | null,
  from: CompareSide,
  to: CompareSide,
): Promise<SidesCompared> {
  const named = [...namedBy(from), ...namedBy(to)];
  const moved = await movedBetween(repository, from.headId, to.headId);
  const all = [...new Set([...named, ...moved])];
  const [before, after] = [await statesOf(repository, from, all), await statesOf(repository, to, all)];
  const isClean = (side: CompareSide, path: PathName): boolean =>
    side.reading === null || side.unlisted?.has(path) || !entriesOf(side.reading).has(path);
  const committed = new Set([...moved].filter((path) => isClean(to, path) && looksAt(from, path)));
  const wanted = all.filter((path) => !committed.has(path) && looksAt(from, path) && looksAt(to, path));
  const { changes, unknown } = compareStates(wanted, before, after);
  return { changes, unknown, committed: [...committed].sort() };
}

const namedBy = ({ reading }: CompareSide): PathName[] =>
  reading === null ? [] : [...reading.entries, ...reading.gaps].map(({ path }) => path);

const entryMaps = new WeakMap<Reading, ReadonlyMap<PathName, Reading["entries"][number]>>();

function entriesOf(reading: Reading): ReadonlyMap<PathName, Reading["entries"][number]> {
  const known = entryMaps.get(reading) ?? new Map(reading.entries.map((entry) => [entry.path, entry]));
  entryMaps.set(reading, known);
  return known;
}

/** A capture of known paths says nothing of others. */
function looksAt({ reading }: CompareSide, path: PathName): boolean {
  if (reading === null || reading.how !== "paths") return true;
  const isNamed = entriesOf(reading).has(path) || reading.gaps.some((gap) => gap.path === path);
  return isNamed || reading.scopes.some((scope) => isWithin(path, scope));
}

/** Paths in which the two commits differ. A commit that is gone moves nothing: its paths come out as unknown. */
export async function movedBetween(
  repository: Repository | null,
  from: string | null,
  to: string | null,
): Promise<ReadonlySet<PathName>> {
  if (!repository || from === null || to === null || from === to) return new Set();
  const changes = await treeChanges(repository, from, to).catch(giving([], "E_GIT_FAILED"));
  return new Set(changes.map(({ path }) => path));
}

async function statesOf(
  repository: Repository | null,
  side: CompareSide,
  paths: readonly PathName[],
): Promise<StateAt> {
  const entries = side.reading === null ? new Map() : entriesOf(side.reading);
  const clean = paths.filter((path) => !entries.has(path) && looksAt(side, path));
  const head = await cleanStates(repository, side, clean);
  const gaps = new Map(side.reading?.gaps.map(({ path, detail }) => [path, detail]) ?? []);
  return (path) => {
    const entry = entries.get(path);
    const isHeld = entry && (entry.state?.hash !== null || entry.state.kind !== "file");
    if (isHeld) return known(entry.state);
    const gap = gaps.get(path) ?? [...gaps].find(([one]) => isWithin(path, one))?.[1];
    if (gap !== undefined) return { kind: "unknown", why: `${side.label}: ${gap}` };
    return head(path);
  };
}

/** What a side says of a path it does not name: what its HEAD has there. */
async function cleanStates(
  repository: Repository | null,
  side: CompareSide,
  paths: readonly PathName[],
): Promise<StateAt> {
  if (!repository || side.headId === null) return () => known(null);
  let states: ReadonlyMap<PathName, HeadState>;
  try {
    states = await headStates(repository, side.headId, paths, { known: side.objects ?? new Map() });
  } catch (thrown) {
    if (!(thrown instanceof RefloatError) || thrown.code !== "E_GIT_FAILED") throw thrown;
    const why = `${side.label}: its commit ${side.headId.slice(0, 12)} cannot be read any more`;
    return () => ({ kind: "unknown", why });
  }
  return (path) => {
    const found = states.get(path);
    if (found?.kind === "missing") return { kind: "unknown", why: `${side.label}: ${BLOB_MISSING}` };
    return { kind: "known", state: found?.state ?? null, isReconstructed: true };
  };
}

const known = (state: Extract<SideState, { kind: "known" }>["state"]): SideState => ({
  kind: "known",
  state,
  isReconstructed: false,
});

/**
 * The tree as it is now, to be compared with: read like a capture, held nowhere. Paths the other side names are
 * read by name where status does not list them, so that a file that is only ignored by now is not taken for gone.
 */
export async function nowSide(
  workspace: Workspace,
  otherPaths: readonly PathName[],
  options: TreeOptions,
): Promise<CompareSide> {
  const reading = await readTree(workspace, hashingSink(), options);
  const listed = new Set([...reading.entries, ...reading.gaps].map(({ path }) => path));
  const unlisted = otherPaths.filter(
    (path) => !listed.has(path) && lookAt(workspace.root, path)?.isDirectory() === false,
  );
  const headId = reading.head?.id ?? null;
  if (unlisted.length === 0) return { label: "now", reading, headId };
  const more = await readTree(workspace, hashingSink(), { ...options, paths: unlisted });
  const entries = [...reading.entries, ...more.entries];
  const both = { ...reading, entries, gaps: [...reading.gaps, ...more.gaps] };
  return { label: "now", reading: both, headId, unlisted: new Set(unlisted) };
}
