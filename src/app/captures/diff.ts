/** What changed between two states of the workspace, and whose it is. Reads only. */

import { isWithin, type PathName } from "../../model/path-name.ts";
import { contentFinder, type FindContent } from "../../workspace/compare/content-finder.ts";
import { ownerOfChange } from "../../workspace/compare/owner-of-change.ts";
import { compareSides, type SidesCompared } from "../../workspace/compare/sides.ts";
import { type Change, pairRenames } from "../../workspace/compare/states.ts";
import type { ChangeOwner } from "../../workspace/owning/own.ts";
import { loadTracks, withNow } from "../../workspace/owning/session-tracks.ts";
import { sessionsWithSay } from "../../workspace/sessions/workspace-sessions.ts";
import { showOpen } from "../acts/show-open.ts";
import { hearHooks } from "../agents/hear-agents.ts";
import type { AppPlace } from "../place/app-place.ts";
import { sessionsHere, type WorkspaceHere, workspaceHere } from "../place/workspace-here.ts";
import type { Tell } from "../telling/news.ts";
import { type ChosenSide, fromSide, type SideChoice, toSide } from "./diff-sides.ts";

/** Larger files are told by their sizes: nobody reads their lines on a screen. */
const MAX_SHOWN_BYTES = 1024 * 1024;

export interface DiffOrder extends Pick<SideChoice, "captureName"> {
  /** A capture's id, its beginning, or HEAD; null: the newest capture, or HEAD where there is none. */
  readonly from: string | null;
  /** The same, or now; null: now. */
  readonly to: string | null;
  /** Below this path; null: all of it. */
  readonly only: (here: WorkspaceHere) => PathName | null;
}

export interface OwnedDifference {
  readonly change: Change;
  /** Null: from HEAD nobody is told. */
  readonly owner: ChangeOwner | null;
}

export interface Diff {
  readonly root: string;
  readonly from: ChosenSide;
  readonly to: ChosenSide;
  readonly compared: SidesCompared;
  readonly owned: readonly OwnedDifference[];
  /** The bytes on either side, where they are held. */
  readonly find: FindContent;
}

export async function diff(at: AppPlace, order: DiffOrder, tell: Tell): Promise<Diff> {
  // What was held before a command may still wait to be taken in.
  await hearHooks(at);
  const store = await at.findStore();
  const here = await workspaceHere(at, store);
  const { workspace } = here;
  await showOpen(store?.raw ?? null, workspace, tell);
  const rows = store ? await sessionsHere(store, here) : [];
  const choice: SideChoice = { clock: at.clock, captureName: order.captureName, here, store, rows };
  const from = await fromSide(choice, order.from);
  const to = await toSide(choice, order.to, from);
  const repository = workspace.kind === "git" ? await workspace.repository() : null;
  const compared = narrowed(await compareSides(repository, from.side, to.side), order.only(here));
  const own = rows.find(({ id }) => id === from.taken?.session) ?? null;
  const places = [workspace.root, here.place];
  const saying = store && from.taken ? await sessionsWithSay(store.raw, places, own) : [];
  const loaded = store && from.taken ? await loadTracks(store.raw, workspace.root, saying) : [];
  const { reading } = to.side;
  const isNow = to.taken === null && reading !== null;
  const tracks = isNow ? withNow(loaded, saying, { ...to.side, reading }, at.clock.nowMs()) : loaded;
  const track = tracks.find(({ session }) => session === from.taken?.session);
  // As the session of the older capture sees them; from HEAD there is no such session.
  const owned = compared.changes.map((change) => ({
    change,
    owner: track ? ownerOfChange(change, track, tracks) : null,
  }));
  const find = contentFinder({
    store: store?.raw ?? null,
    repository,
    root: workspace.root,
    commits: [from.side.headId, to.side.headId],
    maxBytes: MAX_SHOWN_BYTES,
  });
  return { root: workspace.root, from, to, compared, owned, find };
}

function narrowed(compared: SidesCompared, only: PathName | null): SidesCompared {
  const changes = pairRenames(compared.changes);
  if (only === null) return { ...compared, changes };
  return {
    changes: changes.filter(({ path }) => isWithin(path, only)),
    committed: compared.committed.filter((path) => isWithin(path, only)),
    unknown: compared.unknown.filter(({ path }) => isWithin(path, only)),
  };
}
