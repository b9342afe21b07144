/**
 * What the recorder held before a command becomes captures of the session whose call it is, one for each work tree. Only now the command is
 * read as a shell would: what turns out to take nothing away is dropped, and so is what lies in a repository that is left alone.
 */
import { resolve } from "node:path";
import { type Destruction, destructionsIn, UNNAMED } from "../../agents/commands/destructive.ts";
import {
  byDanger,
  commandsText,
  lostOf,
  noteBefore,
  type PlacesInDanger,
  placesInDanger,
  refsInDanger,
  touches,
  withoutOf,
} from "../../agents/commands/in-danger.ts";
import { folderOf, shellCallOf } from "../../agents/commands/shell-call.ts";
import type { WaitingHeld } from "../../agents/inbox/drain-inbox.ts";
import type { BeforeImage } from "../../agents/inbox/format.ts";
import { type HeldFile, heldCaptureId } from "../../agents/inbox/held-format.ts";
import type { SessionId } from "../../model/ids.ts";
import { isJsonObject, parsedOrNull } from "../../model/json.ts";
import type { Store } from "../../store/store.ts";
import type { OutsideTree } from "../../workspace/captures/outside-tree.ts";
import { takeHeldCapture } from "../../workspace/captures/take-held.ts";
import { leftAloneBy } from "../../workspace/opening/left-alone.ts";
import type { Workspace } from "../../workspace/opening/workspace.ts";
import { openTrustedOrNull } from "../../workspace/trust/open-trusted.ts";
import { realPlaces } from "./real-places.ts";

export interface HeldPlace {
  readonly store: Store;
  readonly env: NodeJS.ProcessEnv;
  /** Whose captures of this work tree are. */
  sessionIn(root: string): Promise<SessionId>;
}

/** Null: the command takes nothing away. */
export async function takeHeld(
  place: HeldPlace,
  { name, held, atMs }: WaitingHeld,
): Promise<BeforeImage | null> {
  const call = callIn(held);
  if (call === null || call.found.length === 0) return null;
  const { store, env } = place;
  const captures: { readonly id: string; readonly root: string }[] = [];
  let left: string | null = null;
  const leftRoots: string[] = [];
  for (const [which, tree] of held.trees.entries()) {
    const workspace = sameTree(store, tree, env);
    const by = await leftAloneBy(workspace ?? { kind: "folder", root: tree.root }, env);
    left ??= by;
    if (by !== null) {
      leftRoots.push(tree.root);
      continue;
    }
    const id = heldCaptureId(name, which);
    const going = refsInDanger(call.found);
    const note = noteBefore(
      call.found,
      tree.tips.filter(({ ref }) => going.includes(ref)),
    );
    const session = await place.sessionIn(tree.root);
    const before = commandsText(call.found);
    await takeHeldCapture(store, { id, session, tree, workspace, note, before, atMs });
    captures.push({ id, root: tree.root });
  }
  if (left !== null && byDanger(captures, call.places).meant.length === 0)
    return { kind: "none", reason: `left alone by ${left}` };
  return imageOf(captures, leftRoots, held, call);
}

interface HeldCall {
  readonly found: readonly Destruction[];
  readonly places: PlacesInDanger;
}

/** Null: it is no call of a shell. */
function callIn({ body, cwd }: HeldFile): HeldCall | null {
  const said = parsedOrNull(body);
  const call = isJsonObject(said) ? shellCallOf(said) : null;
  if (!isJsonObject(said) || call === null) return null;
  const found = destructionsIn(call.script);
  const stands = resolve(folderOf(said) ?? cwd, call.folder ?? ".");
  return { found, places: realPlaces(placesInDanger(stands, found)) };
}

/** The tree itself, where it is still there; the one that is at its path now may be another. */
function sameTree(store: Store, { root }: OutsideTree, env: NodeJS.ProcessEnv): Workspace | null {
  const workspace = openTrustedOrNull(store, root, env);
  return workspace?.kind === "git" && workspace.root === root ? workspace : null;
}

interface TakenTree {
  readonly id: string;
  readonly root: string;
}

/** T1: another tree's capture is no before-image of what goes. */
function imageOf(
  captures: readonly TakenTree[],
  leftRoots: readonly string[],
  { unheld, hasMore }: HeldFile,
  { found, places }: HeldCall,
): BeforeImage {
  const { meant, others } = byDanger(captures, places);
  const missed = hasMore
    ? places.meant.filter((place) => !captures.some(({ root }) => touches(root, place)))
    : [];
  const lost = [
    ...(hasMore && places.isUnclear ? [UNNAMED] : []),
    ...lostOf(unheld, places),
    ...missed,
    ...leftRoots.filter((root) => places.isUnclear || places.meant.some((place) => touches(root, place))),
  ];
  // What a pattern stands for may be what was held. Else nothing of what goes is, whether or not the holder said what it missed.
  if (meant.length === 0 && captures.length > 0 && !found.some(({ hasPatterns }) => hasPatterns)) {
    const all = withoutOf(lost.length > 0 ? lost : places.meant, found);
    return { kind: "none", reason: `nothing was held of ${all.join(", ")}` };
  }
  if (captures.length === 0) return { kind: "none", reason: "nothing was held" };
  const [first = "", ...also] = [...meant, ...others].map(({ id }) => id);
  const without = withoutOf(lost, found);
  return {
    ...{ kind: "held", capture: first },
    ...(also.length > 0 ? { also } : {}),
    ...(without.length > 0 ? { without } : {}),
  };
}
