/**
 * A file that is another program's, and is changed in one piece: looked at with everything that must stay as it is, then put back whole,
 * durably, and only if it is still what it was (docs/init.md). What is on disk after a kill is the old file or the new one.
 *
 * A symlink is the user's way of saying where the file lies: what is written is its target, and the link stays. Between the last look and
 * the rename lie two system calls; who writes in between is not seen.
 */
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmdirSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { RefloatError } from "../model/errors.ts";
import { crashPoint } from "./crash-point.ts";
import { linkDurable, replaceDurable, syncDirectory } from "./durable-file.ts";
import { selfPid } from "./identity.ts";
import { errnoOf, guarded } from "./io-error.ts";
import { placeInside } from "./places.ts";
import { removeTemporary } from "./private-file.ts";
import { systemProcesses } from "./process-table.ts";
import { randomId } from "./random.ts";

export type ForeignFile =
  /** `target`: where the bytes are, links followed. */
  | { readonly kind: "file"; readonly target: string; readonly bytes: Buffer; readonly mode: number }
  /** `folders`: those that are missing on the way, outermost first. */
  | { readonly kind: "missing"; readonly target: string; readonly folders: readonly string[] }
  | { readonly kind: "refused"; readonly why: string };

export interface ForeignLook {
  readonly maxBytes: number;
  /** Where it must lie, links followed; null: anywhere. */
  readonly inside: string | null;
}

export function lookAtForeign(path: string, { maxBytes, inside }: ForeignLook): ForeignFile {
  const found = lstatSync(path, { throwIfNoEntry: false });
  const target = found === undefined ? placeOfMissing(path) : linkedTo(path);
  if (target === null) return { kind: "refused", why: "it is a link that leads nowhere" };
  if (inside !== null && placeInside(realpathSync(inside), target) === null)
    return { kind: "refused", why: `it leads out of ${inside}` };
  if (found === undefined) return lookAtMissing(target);
  const stat = statSync(target);
  if (!stat.isFile()) return { kind: "refused", why: "it is no file" };
  if (stat.size > maxBytes) return { kind: "refused", why: `it is larger than ${maxBytes} bytes` };
  if (stat.nlink > 1)
    return { kind: "refused", why: `it has ${stat.nlink} names (hard links), and only one would be changed` };
  const uid = process.getuid?.() ?? stat.uid;
  if (stat.uid !== uid && uid !== 0) return { kind: "refused", why: "it belongs to another user" };
  // Root is not bound by modes, but whoever took the right to write away meant everybody.
  if ((stat.mode & 0o222) === 0 || !mayWrite(target)) return { kind: "refused", why: "it is read-only" };
  if (!mayWrite(dirname(target))) return { kind: "refused", why: "its folder is read-only" };
  return { kind: "file", target, bytes: readFileSync(target), mode: stat.mode & 0o7777 };
}

function lookAtMissing(target: string): ForeignFile {
  const folders: string[] = [];
  let above = dirname(target);
  for (; !isThere(above); above = dirname(above)) folders.unshift(above);
  if (!statSync(above).isDirectory()) return { kind: "refused", why: `${above} is no folder` };
  if (!mayWrite(above)) return { kind: "refused", why: `${above} is read-only` };
  return { kind: "missing", target, folders };
}

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

/** Null: to nothing, or in a circle. */
function linkedTo(path: string): string | null {
  try {
    return realpathSync(path);
  } catch (thrown) {
    if (errnoOf(thrown) === "ENOENT" || errnoOf(thrown) === "ELOOP") return null;
    throw thrown;
  }
}

/** The same place with the links of the folders that are there followed. Null: one of them leads nowhere. */
function placeOfMissing(path: string): string | null {
  const above = dirname(path);
  if (isThere(above)) {
    const folder = linkedTo(above);
    return folder === null ? null : join(folder, basename(path));
  }
  const folder = placeOfMissing(above);
  return folder === null ? null : join(folder, basename(path));
}

export function mayWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch (thrown) {
    if (errnoOf(thrown) === null) throw thrown;
    return false;
  }
}

/** `changed`: it is not what it was; nothing was done. */
export type ForeignSwap = "done" | "changed";

/** `before`: null: there must be nothing. `after`: null: it goes. */
export function swapForeign(
  target: string,
  before: Uint8Array | null,
  after: Uint8Array | null,
  mode: number,
): ForeignSwap {
  return guarded(target, () => {
    if (after === null) return removed(target, before);
    return before === null ? created(target, after, mode) : replaced(target, before, after, mode);
  });
}

function removed(target: string, before: Uint8Array | null): ForeignSwap {
  if (!isStill(target, before)) return "changed";
  if (before === null) return "done";
  crashPoint("install.before-swap");
  unlinkSync(target);
  syncDirectory(dirname(target));
  crashPoint("install.after-swap");
  return "done";
}

function created(target: string, after: Uint8Array, mode: number): ForeignSwap {
  if (isThere(target)) return "changed";
  makeFolders(dirname(target));
  return withFresh(target, (fresh) => {
    writeFileSync(fresh, after, { mode, flag: "wx" });
    crashPoint("install.before-swap");
    if (isThere(target) || !isNamed(fresh, target)) return "changed";
    crashPoint("install.after-swap");
    return "done";
  });
}

/** False: somebody was faster by a system call. */
function isNamed(fresh: string, target: string): boolean {
  try {
    linkDurable(fresh, target);
    return true;
  } catch (thrown) {
    if (thrown instanceof RefloatError && thrown.code === "E_EXISTS") return false;
    throw thrown;
  }
}

function replaced(target: string, before: Uint8Array, after: Uint8Array, mode: number): ForeignSwap {
  return withFresh(target, (fresh) => {
    writeFileSync(fresh, after, { mode: 0o600, flag: "wx" });
    const { uid, gid } = statSync(target);
    if (uid !== process.getuid?.() || gid !== process.getgid?.()) chownIfMay(fresh, uid, gid);
    chmodSync(fresh, mode);
    crashPoint("install.before-swap");
    if (!isStill(target, before)) return "changed";
    replaceDurable(fresh, target);
    crashPoint("install.after-swap");
    return "done";
  });
}

/** Named after this process: what a kill leaves of it is told from what another one is writing. */
function withFresh(target: string, use: (fresh: string) => ForeignSwap): ForeignSwap {
  const fresh = join(dirname(target), `.tmp-refloat-${selfPid()}-${randomId()}`);
  try {
    return use(fresh);
  } finally {
    removeTemporary(fresh);
  }
}

const FRESH = /^\.tmp-refloat-(\d+)-/;

/** What killed ones left in the folder of a file. */
export function removeLeftFresh(target: string): void {
  const folder = dirname(target);
  if (!isThere(folder)) return;
  for (const name of readdirSync(folder)) {
    const pid = FRESH.exec(name)?.[1];
    if (pid !== undefined && systemProcesses.exists(Number(pid)) === false)
      removeTemporary(join(folder, name));
  }
}

/** A group one is not in cannot be given: then it is the folder's, as for every new file. */
function chownIfMay(path: string, uid: number, gid: number): void {
  try {
    chownSync(path, uid, gid);
  } catch (thrown) {
    if (errnoOf(thrown) !== "EPERM") throw thrown;
  }
}

function isStill(target: string, before: Uint8Array | null): boolean {
  if (before === null || !isThere(target)) return before === null && !isThere(target);
  return readFileSync(target).equals(before);
}

/** As the umask has them: they are the other program's. */
function makeFolders(folder: string): void {
  const missing: string[] = [];
  for (let level = folder; !isThere(level); level = dirname(level)) missing.unshift(level);
  for (const level of missing) {
    mkdirSync(level, { recursive: true });
    syncDirectory(dirname(level));
  }
}

/** Those of them that are empty, innermost first. */
export function removeEmptyFolders(folders: readonly string[]): void {
  for (const folder of folders.toReversed())
    try {
      rmdirSync(folder);
      syncDirectory(dirname(folder));
    } catch (thrown) {
      // Something is in it by now, or it is gone: both are as they should be.
      if (!["ENOTEMPTY", "EEXIST", "ENOENT", "ENOTDIR"].includes(errnoOf(thrown) ?? "")) throw thrown;
    }
}
