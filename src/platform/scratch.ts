/** Private folders that live as long as one piece of work, in memory where the machine has such a place. */
import { chmodSync, copyFileSync, lstatSync, mkdtempSync, readdirSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pidNamespace, processStart } from "./identity.ts";
import { errnoOf, guarded, readOrNull } from "./io-error.ts";

const MEMORY_FOLDER = "/dev/shm";

/** A new 0700 folder with room for `bytes`: in memory if it fits there, else in the temporary folder. */
export function makeScratchDirectory(prefix: string, bytes: number): string {
  const parent = hasRoom(MEMORY_FOLDER, bytes) ? MEMORY_FOLDER : tmpdir();
  return guarded(parent, () => mkdtempSync(join(parent, prefix)));
}

/** A new 0700 folder in the temporary folder, for what may be looked at afterwards. */
export const makeTemporaryDirectory = (prefix: string): string =>
  guarded(tmpdir(), () => mkdtempSync(join(tmpdir(), prefix)));

/**
 * A new 0700 folder that is gone when this process is, by its own end or, after a kill, by the next process that makes one of this prefix.
 * `isInMemory`: as for a scratch directory; else in the temporary folder.
 */
export function makeProcessScratch(prefix: string, bytes: number, isInMemory: boolean): string {
  removeDeadScratch(prefix);
  const named = `${prefix}${ownName()}-`;
  const folder = isInMemory ? makeScratchDirectory(named, bytes) : makeTemporaryDirectory(named);
  if (!isListening) process.once("exit", removeOwn);
  isListening = true;
  ofThisProcess.add(folder);
  return folder;
}

const ofThisProcess = new Set<string>();
let isListening = false;

function removeOwn(): void {
  for (const folder of ofThisProcess) removeScratch(folder);
}

/** Whose it is, in the words of K2: namespace, pid and start. Null start: nobody will ever call it dead. */
const ownName = (): string =>
  [pidNamespace().replaceAll(/\D/g, ""), process.pid, processStart(process.pid) ?? "x"].join("-");

const OWNED = /^(\d+)-(\d+)-(\d+)-\w+$/;

/** Left by processes that are proved dead (K2): another namespace's are not ours to judge, another user's not ours to touch. */
function removeDeadScratch(prefix: string): void {
  const namespace = pidNamespace().replaceAll(/\D/g, "");
  for (const parent of new Set([MEMORY_FOLDER, tmpdir()]))
    for (const name of readOrNull(() => readdirSync(parent)) ?? []) {
      const [, of, pid, started] = (name.startsWith(prefix) && OWNED.exec(name.slice(prefix.length))) || [];
      if (of === undefined || of !== namespace || processStart(Number(pid)) === Number(started)) continue;
      const stat = lstatSync(join(parent, name), { throwIfNoEntry: false });
      if (stat?.isDirectory() && stat.uid === process.getuid?.()) removeScratch(join(parent, name));
    }
}

export function copyPrivately(from: string, to: string): void {
  guarded(to, () => {
    copyFileSync(from, to);
    chmodSync(to, 0o600);
  });
}

/** For folders made by the functions above, for run folders, and for what of the store's folder is ours (`uninstall --purge`). */
export function removeScratch(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  ofThisProcess.delete(folder);
}

function hasRoom(folder: string, bytes: number): boolean {
  try {
    const fs = statfsSync(folder);
    return fs.bavail * fs.bsize > 2 * bytes;
  } catch (thrown) {
    if (errnoOf(thrown) === "ENOENT" || errnoOf(thrown) === "EACCES") return false;
    throw thrown;
  }
}
