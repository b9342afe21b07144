/**
 * The user's tree under the hands of an act: each path is walked anew from the root's descriptor (W3), stays on
 * the root's device, and has names of the plan's beside it, its slots, for as long as it is being swapped:
 *
 *  n  the new file, whole; always ours, may be dropped at any time
 *  o  what was at the path: dropped only when it is compared and held
 *  r  what is on its way back to the path: dropped like o
 */
import { accessSync, constants, fstatSync, lstatSync, readdirSync, statSync } from "node:fs";
import { type PathName, pathToBytes } from "../../../model/path-name.ts";
import { openDescriptorWalk } from "../../../platform/descriptor-walk.ts";
import { errnoOf } from "../../../platform/io-error.ts";
import { type FileOwner, syncFolder } from "../../../platform/tree-names.ts";

export type Slot = "n" | "o" | "r";

/** Where the slots of a path are: beside it, or outside of the folder that goes or comes with it (units.ts). */
export interface PathSlots {
  slot(slot: Slot): Buffer;
  sync(): void;
}

export interface TreePlace extends PathSlots {
  /** The path's own name, through its parent's descriptor. Valid until the next path is entered. */
  readonly at: Buffer;
  /** Whose a new file here is: of root's making, the folder's owner's. */
  readonly owner: FileOwner | null;
}

export type EnteredPath =
  | { readonly kind: "place"; readonly place: TreePlace }
  /** Its folder is not there, or something else stands in its place: nothing is at the path. Its slots may be. */
  | { readonly kind: "nowhere"; readonly slots: PathSlots | null }
  | { readonly kind: "barred"; readonly why: string };

export interface LocatedPath {
  readonly path: PathName;
  readonly key: string;
  /** The folder of its slots; "" is the root. */
  readonly home: PathName;
}

export interface Tree {
  enter(at: LocatedPath): EnteredPath;
  /** A folder by itself: it has no slots. */
  enterFolder(path: PathName): EnteredPath;
  readonly isProof: boolean;
  close(): void;
}

export function openTree(root: string, token: string): Tree {
  const [walk, homeWalk] = [openDescriptorWalk(root), openDescriptorWalk(root)];
  const device = statSync(root).dev;

  function slotsIn(parent: number, key: string): PathSlots {
    const folder = below(parent);
    return {
      slot: (slot) => Buffer.concat([folder, Buffer.from(slotName(token, key, slot))]),
      sync: () => syncFolder(Buffer.concat([folder, Buffer.from(".")])),
    };
  }

  function slotsAt({ home, key }: LocatedPath): PathSlots | null {
    homeWalk.refresh();
    const inside = home === "" ? "" : `${home}/`;
    const reached = homeWalk.reach(pathToBytes(`${inside}x` as PathName));
    if (reached.kind === "unreachable" || reached.parent === null) return null;
    return fstatSync(reached.parent).dev === device ? slotsIn(reached.parent, key) : null;
  }

  function enter(at: LocatedPath): EnteredPath {
    // From the root every time: a folder that was moved away since is not the tree's any more.
    walk.refresh();
    const reached = walk.reach(pathToBytes(at.path));
    if (reached.kind === "unreachable") {
      if (reached.why === "unreadable") return { kind: "barred", why: "its folder may not be entered" };
      return { kind: "nowhere", slots: slotsAt(at) };
    }
    const { parent } = reached;
    if (parent === null) return { kind: "barred", why: "there is no /proc/self/fd here" };
    const stat = fstatSync(parent);
    if (stat.dev !== device) return { kind: "barred", why: "its folder is on another device" };
    const isBeside = at.home === parentOf(at.path);
    const slots = isBeside ? slotsIn(parent, at.key) : slotsAt(at);
    if (!slots) return { kind: "nowhere", slots };
    const owner = process.geteuid?.() === 0 ? { uid: stat.uid, gid: stat.gid } : null;
    const sync = (): void => {
      syncFolder(Buffer.concat([below(parent), Buffer.from(".")]));
      if (!isBeside) slots.sync();
    };
    return { kind: "place", place: { at: reached.at, slot: slots.slot, owner, sync } };
  }

  return {
    isProof: walk.isProof,
    enter,
    enterFolder: (path) => enter({ path, key: "", home: parentOf(path) }),
    close: () => {
      walk.close();
      homeWalk.close();
    },
  };
}

const below = (fd: number): Buffer => Buffer.from(`/proc/self/fd/${fd}/`);

export const parentOf = (path: PathName): PathName =>
  path.slice(0, Math.max(0, path.lastIndexOf("/"))) as PathName;

/** Short, and without the path's own name: that may already be as long as a name can be. */
const slotName = (token: string, key: string, slot: Slot): string => `.refloat-${token}-${key}.${slot}`;

/** Told from what a user might call a file. */
export const SLOT_NAME = /^\.refloat-[0-9a-z]+-[0-9a-z]+\.[nor]$/;

export const isThere = (at: Buffer): boolean => lstatSync(at, { throwIfNoEntry: false }) !== undefined;

export const isEmptyFolder = (at: Buffer): boolean => readdirSync(at).length === 0;

/** They are there also where the path's own folder has gone with everything else. */
export function slotsOf(entered: EnteredPath): PathSlots | null {
  switch (entered.kind) {
    case "place":
      return entered.place;
    case "nowhere":
      return entered.slots;
    case "barred":
      return null;
    default:
      return entered satisfies never;
  }
}

/** Null: names may be made and removed beside it, and nothing is known that keeps the path itself where it is. */
export function whyNotWritable(place: TreePlace): string | null {
  const folder = Buffer.concat([place.at.subarray(0, place.at.lastIndexOf(0x2f) + 1), Buffer.from(".")]);
  switch (refusalOf(folder, constants.W_OK | constants.X_OK)) {
    case "EACCES":
    case "EPERM":
      return "its folder may not be written";
    case "EROFS":
      return "its file system is read-only";
    case null:
      return whyNotMovable(place.at, folder);
  }
}

/** Of a file that merely may not be written (EACCES) nothing is said: it is not written, another takes its place. */
function whyNotMovable(at: Buffer, folder: Buffer): string | null {
  const stat = lstatSync(at, { throwIfNoEntry: false });
  if (!stat || stat.isSymbolicLink()) return null;
  if (stat.dev !== lstatSync(folder).dev) return "something is mounted there";
  return refusalOf(at, constants.W_OK) === "EPERM" ? "it is marked immutable" : null;
}

/** Null: the kernel would let us. */
function refusalOf(at: Buffer, mode: number): "EACCES" | "EPERM" | "EROFS" | null {
  try {
    accessSync(at, mode);
    return null;
  } catch (thrown) {
    const code = errnoOf(thrown);
    if (code === "EACCES" || code === "EPERM" || code === "EROFS") return code;
    throw thrown;
  }
}
