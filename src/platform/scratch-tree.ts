/**
 * Scratch trees: private folders beside the store in which a commit is tried out, never in the user's repository (W1). A
 * folder's name says whose it is; those of dead processes are removed by the next one that makes its own. What is
 * written here needs no sync: it is made again.
 */
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { RefloatError } from "../model/errors.ts";
import { hasGitName, pathFromBytes } from "../model/path-name.ts";
import { makePrivateDirectory } from "./durable-file.ts";
import { mountsWithin } from "./file-system.ts";
import { pidNamespace, processStart } from "./identity.ts";
import { errnoOf, guarded } from "./io-error.ts";

const FOLDER = "scratch";
const NAME = /^(\d+)\.(\d+)\.(\d+)-/;

/** A new 0700 folder below `home`, by its real path: the mount table knows no other. */
export function makeScratchTree(home: string): string {
  const parent = join(home, FOLDER);
  return guarded(parent, () => {
    makePrivateDirectory(parent);
    const real = realpathSync(parent);
    sweep(real);
    return mkdtempSync(join(real, `${process.pid}.${processStart(process.pid) ?? 0}.${namespaceNumber()}-`));
  });
}

/**
 * For folders made by `makeScratchTree` only. Links in it go, never what they lead to. Where something is mounted in it
 * nothing is removed: it would be somebody's files (W3). What cannot go now, because a program that ran there still
 * writes or made a folder read-only, is in nobody's way: the next sweep looks again.
 */
export function removeScratchTree(folder: string): void {
  if (mountsWithin(folder).length > 0) return;
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch (thrown) {
    if (errnoOf(thrown) === null) throw thrown;
  }
}

export type ScratchPut =
  | { readonly kind: "file"; readonly bytes: Uint8Array; readonly isExecutable: boolean }
  | { readonly kind: "symlink"; readonly target: Uint8Array }
  | { readonly kind: "folder" }
  | { readonly kind: "nothing" };

/**
 * Puts one path; whatever stands in its way goes, and no link is ever written through. A full disk says so (D6). A tree's
 * file only: E_GIT_NAME for what git would take for its own, and run programs by (W3).
 */
export function putIntoScratch(root: string, path: Buffer, put: ScratchPut): void {
  if (hasGitName(pathFromBytes(path))) throw new RefloatError("E_GIT_NAME", { path: pathFromBytes(path) });
  putWhole(root, path, put);
}

/** A file of the scratch tree's own repository, by its name below `.git`: never one that a record named. */
export function putIntoScratchGit(root: string, name: string, put: ScratchPut): void {
  putWhole(root, Buffer.from(`.git/${name}`), put);
}

function putWhole(root: string, path: Buffer, put: ScratchPut): void {
  guarded(root, () => putOne(root, path, put));
}

function putOne(root: string, path: Buffer, put: ScratchPut): void {
  let at: Buffer = Buffer.from(root);
  const names = splitPath(path);
  const last = names.pop();
  if (last === undefined) return;
  if ([...names, last].some((name) => name.equals(Buffer.from(".."))))
    throw new RefloatError("E_NOT_IN_WORKSPACE", { path: path.toString(), workspace: root });
  for (const name of names) {
    at = below(at, name);
    const stat = lstatSync(at, { throwIfNoEntry: false });
    if (stat && !stat.isDirectory()) unlinkSync(at);
    if (!stat?.isDirectory()) {
      if (put.kind === "nothing") return;
      mkdirSync(at);
    }
  }
  const place = below(at, last);
  rmSync(place, { recursive: true, force: true });
  switch (put.kind) {
    case "file":
      writeFileSync(place, put.bytes);
      chmodSync(place, put.isExecutable ? 0o755 : 0o644);
      return;
    case "symlink":
      symlinkSync(Buffer.from(put.target), place);
      return;
    case "folder":
      mkdirSync(place);
      return;
    case "nothing":
      return;
    default:
      put satisfies never;
  }
}

/** Whether nothing is at the path while the folder it would be in is there: no link on the way, nothing in the way. */
export function isFreeInScratch(root: string, path: Buffer): boolean {
  let at: Buffer = Buffer.from(root);
  const names = splitPath(path);
  const last = names.pop();
  if (last === undefined) return false;
  for (const name of names) {
    at = below(at, name);
    if (!lstatSync(at, { throwIfNoEntry: false })?.isDirectory()) return false;
  }
  return lstatSync(below(at, last), { throwIfNoEntry: false }) === undefined;
}

function splitPath(path: Buffer): Buffer[] {
  const names: Buffer[] = [];
  for (let at = 0; at <= path.length; ) {
    const slash = path.indexOf(0x2f, at);
    const end = slash === -1 ? path.length : slash;
    if (end > at) names.push(path.subarray(at, end));
    at = end + 1;
  }
  return names;
}

const below = (folder: Buffer, name: Buffer): Buffer => Buffer.concat([folder, Buffer.from("/"), name]);

const namespaceNumber = (): string => /\d+/.exec(pidNamespace())?.[0] ?? "0";

/** Of processes of this pid namespace that are proved over; what cannot be told stays. */
function sweep(parent: string): void {
  for (const name of readdirSync(parent)) {
    const [, pid, started, namespace] = NAME.exec(name) ?? [];
    if (pid === undefined || namespace !== namespaceNumber() || started === "0") continue;
    if (processStart(Number(pid)) === Number(started)) continue;
    removeScratchTree(join(parent, name));
  }
}
