/**
 * `guard`: whether a folder may go without anything being lost (S7), for whoever is about to delete one. Nothing but "all of it is settled
 * or held" is a yes; what cannot be known is a no. Holding comes first where it is asked for, and then everything is looked at
 * anew, from the tree and the store.
 */
import { realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { ensureError, RefloatError } from "../../model/errors.ts";
import { mountsWithin } from "../../platform/file-system.ts";
import { placeInside } from "../../platform/places.ts";
import { type GuardFinding, holding, plainFinding } from "../../salvage/worktrees/guard-finding.ts";
import { holdTree } from "../../salvage/worktrees/guard-hold.ts";
import { lookAtTree } from "../../salvage/worktrees/guard-look.ts";
import { type GuardedFolder, type GuardedTree, guardedTrees } from "../../salvage/worktrees/guarded-trees.ts";
import { MARK_VARIABLE } from "../../session/leftovers.ts";
import { shellLineWord, shellWord } from "../../text/escape.ts";
import type { Workspace } from "../../workspace/opening/workspace.ts";
import { openTrusted } from "../../workspace/trust/open-trusted.ts";
import { hearPlaces } from "../agents/hear-agents.ts";
import type { AppPlace } from "../place/app-place.ts";
import { isOff } from "../place/off.ts";
import { EMPTY_PATH } from "../place/workspace-here.ts";
import type { RefloatStore } from "../store/open-store.ts";
import { assertStoreOutside } from "../store/outside-workspace.ts";

export interface GuardOrder {
  readonly path: string;
  /** Holds everything first. */
  readonly holds: boolean;
}

export interface GuardedHere {
  readonly path: string;
  readonly kind: "main" | "linked" | "submodule" | "folder";
  readonly goes: GuardedTree["goes"] | "folder";
  /** What holds it; null: nothing was asked to be held, or it could not be. */
  readonly capture: string | null;
  /** Commits are held with it. */
  readonly holdsCommits: boolean;
  /** Ignored files and folders that were not held. */
  readonly ignored: readonly string[];
  /** How many of them for which reason. */
  readonly whyIgnored: Readonly<Record<string, number>>;
}

export interface GuardOutcome {
  readonly path: string;
  /** `removable`: nothing in it would be lost. */
  readonly verdict: "removable" | "keep";
  readonly trees: readonly GuardedHere[];
  readonly findings: readonly GuardFinding[];
  /** Told, and no reason to keep it: sessions whose work is held and that are not settled. */
  readonly notes: readonly GuardFinding[];
  /** The commands that bring back what was held. */
  readonly back: readonly string[];
}

export async function guard(at: AppPlace, { path, holds }: GuardOrder): Promise<GuardOutcome> {
  const folder = folderAt(at, path);
  if (isOff(at.env)) throw new RefloatError("E_OFF", { what: "guard" });
  assertStoreOutside(await at.storeAddress(), folder);
  const found = guardedTrees(folder);
  // An agent that works there may be known by its hooks or its transcript alone (S1).
  const roots = found.trees.map(({ location }) => location.root);
  await hearPlaces(at, roots.includes(folder) ? roots : [...roots, folder]);
  const store = holds ? await at.openOrMakeStore() : await at.findStore();
  const refused: GuardFinding[] = found.refused.map((one) =>
    plainFinding("refused", one.path, `${one.path}: ${one.why}`),
  );
  const places = placesOf(at, store, folder, found, refused);
  const held = new Map<string, GuardedHere>();
  for (const place of places)
    held.set(place.workspace.root, await holdIf(at, holds ? store : null, folder, place, refused));
  const findings = [...refused];
  for (const place of places) findings.push(...(await lookedAt(at, store, folder, place, places)));
  findings.push(
    ...mountsWithin(folder)
      .filter((mount) => mount !== folder)
      .map((mount) => plainFinding("mount", folder, `something is mounted in it: ${mount}`)),
  );
  const { live, unsettled } = await sessionsIn(at, store, folder, places);
  findings.push(...live, ...(holds ? [] : unsettled));
  const trees = [...held.values()];
  return {
    path: folder,
    verdict: findings.length === 0 ? "removable" : "keep",
    trees,
    findings,
    notes: holds ? unsettled : [],
    back: trees.flatMap(backOf),
  };
}

interface Place {
  readonly workspace: Workspace;
  readonly tree: GuardedTree | null;
}

function folderAt(at: AppPlace, typed: string): string {
  if (typed === "") throw new RefloatError("E_USAGE", { why: EMPTY_PATH });
  const full = resolve(at.place(), typed);
  if (!statSync(full, { throwIfNoEntry: false })?.isDirectory())
    throw new RefloatError("E_USAGE", { why: `There is no folder ${typed}.` });
  return realpathSync(full);
}

/** A repository that may not be entered is a reason to keep the folder. */
function placesOf(
  { env }: AppPlace,
  store: RefloatStore | null,
  folder: string,
  { trees, hasLooseFiles, refused }: GuardedFolder,
  into: GuardFinding[],
): Place[] {
  const places: Place[] = [];
  for (const tree of trees) {
    try {
      places.push({ workspace: openTrusted(store?.raw ?? null, tree.location.root, env), tree });
    } catch (thrown) {
      if (!(thrown instanceof RefloatError)) throw thrown;
      into.push(plainFinding("refused", tree.location.root, thrown.message));
    }
  }
  const isPlain = hasLooseFiles || (places.length === 0 && refused.length === 0);
  if (isPlain) places.push({ workspace: { kind: "folder", root: folder }, tree: null });
  return places;
}

async function holdIf(
  { env }: AppPlace,
  store: RefloatStore | null,
  folder: string,
  { workspace, tree }: Place,
  into: GuardFinding[],
): Promise<GuardedHere> {
  const here = {
    path: workspace.root,
    kind: tree?.location.kind ?? ("folder" as const),
    goes: tree?.goes ?? ("folder" as const),
  };
  if (!store) return { ...here, capture: null, holdsCommits: false, ignored: [], whyIgnored: {} };
  try {
    const { taken, ignored } = await holdTree({ store: store.raw, env, folder, workspace, tree });
    const { repository } = taken.capture;
    return {
      ...here,
      capture: taken.id,
      holdsCommits: (repository?.bundle ?? null) !== null,
      ignored: ignored.map(({ path }) => path.toWellFormed()),
      whyIgnored: countBy(ignored.map(({ why }) => why)),
    };
  } catch (thrown) {
    // It says what could not be held, and that nothing may go; a full disk is a reason like any other.
    into.push(
      plainFinding("not-held", workspace.root, `it could not be held: ${ensureError(thrown).message}`),
    );
    return { ...here, capture: null, holdsCommits: false, ignored: [], whyIgnored: {} };
  }
}

const countBy = (words: readonly string[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
};

async function lookedAt(
  { env, clock }: AppPlace,
  store: RefloatStore | null,
  folder: string,
  { workspace, tree }: Place,
  places: readonly Place[],
): Promise<GuardFinding[]> {
  const others = places.map((one) => one.workspace.root).filter((root) => root !== workspace.root);
  try {
    const order = { store: store?.raw ?? null, env, clock, folder, workspace, tree, others };
    const found = await lookAtTree(order);
    const isUnknown = workspace.kind === "folder" && found.length > 0;
    if (!isUnknown) return found;
    const message = "it is in no repository: what of it is elsewhere is not known";
    return [plainFinding("no-repository", workspace.root, message, holding(folder)), ...found];
  } catch (thrown) {
    return [
      plainFinding("not-held", workspace.root, `it could not be looked at: ${ensureError(thrown).message}`),
    ];
  }
}

/** In the folder, and in the work tree around it. Whoever asks from inside his own session knows that it lives. */
async function sessionsIn(
  { env }: AppPlace,
  store: RefloatStore | null,
  folder: string,
  places: readonly Place[],
): Promise<{ live: GuardFinding[]; unsettled: GuardFinding[] }> {
  if (!store) return { live: [], unsettled: [] };
  const roots = new Set(places.map(({ workspace }) => workspace.root));
  const isIn = (workspace: unknown): boolean =>
    typeof workspace === "string" &&
    workspace !== "" &&
    (roots.has(workspace) || placeInside(folder, workspace) !== null);
  const rows = (await store.raw.sessions()).filter(({ facts }) => isIn(facts.workspace));
  const described = await store.describe(rows);
  const own = env[MARK_VARIABLE] ?? "";
  const live = described
    .filter(({ state, id }) => state === "live" && id !== own)
    .map(({ id, name, workspace }) =>
      plainFinding(
        "live",
        workspace ?? folder,
        `the session ${name ?? id} is live there`,
        `refloat stop ${shellWord(id)}`,
      ),
    );
  const unsettled = described
    .filter((one) => one.unsettled)
    .map(({ id, name, workspace }) =>
      plainFinding(
        "unsettled",
        workspace ?? folder,
        `the session ${name ?? id} is not settled`,
        `refloat inspect ${shellWord(id)}`,
      ),
    );
  return { live, unsettled };
}

function backOf({ capture, holdsCommits }: GuardedHere): string[] {
  if (capture === null) return [];
  const files = `refloat restore ${shellLineWord(capture)} --to DIR`;
  return holdsCommits ? [files, `refloat restore ${shellLineWord(capture)} --commits DIR`] : [files];
}
