/** What `init` and `uninstall` do to disks: the recorder, and one file after the other. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { recorderPath } from "../../agents/install/commands.ts";
import { type LedgerNote, openLedger } from "../../agents/install/ledger.ts";
import type { PlannedFile } from "../../agents/install/plan-file.ts";
import { crashPoint } from "../../platform/crash-point.ts";
import { makePrivateDirectory, removeDurable, writeDurable } from "../../platform/durable-file.ts";
import { removeEmptyFolders, removeLeftFresh, swapForeign } from "../../platform/foreign-file.ts";
import { builtFile } from "../../platform/own-files.ts";

export interface RefusedFile {
  readonly path: string;
  readonly why: string;
}

const EXECUTABLE = 0o700;

const packagedRecorder = (): Buffer => readFileSync(builtFile("hooks/refloat-hook"));
const inboxOf = (home: string): string => join(home, "inbox");

export function isRecorderNew(home: string): boolean {
  const path = recorderPath(home);
  if (!existsSync(path) || !existsSync(inboxOf(home))) return true;
  return (statSync(path).mode & EXECUTABLE) !== EXECUTABLE || !readFileSync(path).equals(packagedRecorder());
}

/** A copy: it must stay where it is when the package is updated, moved or gone. It writes only where there is an inbox. */
export function putRecorder(home: string): void {
  const made = missingAbove(home);
  if (made.length > 0) openLedger(home).keepFolders(made);
  makePrivateDirectory(inboxOf(home));
  makePrivateDirectory(dirname(recorderPath(home)));
  if (isRecorderNew(home)) writeDurable(recorderPath(home), packagedRecorder(), { mode: EXECUTABLE });
  crashPoint("install.after-recorder");
}

/** What is empty goes with it: of somebody who never ran a session nothing is left. */
export function removeRecorder(home: string): void {
  if (existsSync(recorderPath(home))) removeDurable(recorderPath(home));
  const ledger = openLedger(home);
  const made = ledger.folders();
  ledger.forgetFolders();
  const own = [join(home, "install"), join(home, "install", "originals"), dirname(recorderPath(home))];
  removeEmptyFolders([...made, ...own, inboxOf(home)]);
}

/** Outermost first. */
function missingAbove(folder: string): readonly string[] {
  const missing: string[] = [];
  for (let level = folder; !existsSync(level); level = dirname(level)) missing.unshift(level);
  return missing;
}

/** Empty: it is done. */
export function applyFile({ change }: Extract<PlannedFile, { kind: "change" }>): readonly RefusedFile[] {
  const { path, target, before, after, mode } = change;
  const outcome = swapForeign(target, before, after, mode);
  removeLeftFresh(target);
  if (outcome === "changed") return [{ path, why: "somebody changed it meanwhile; run this again" }];
  return [];
}

/** A file that is given back: what was made on the way to it goes, too, if nobody uses it. */
export function tidyAfter({ target, folders }: Pick<LedgerNote, "target" | "folders">): void {
  removeLeftFresh(target);
  if (!existsSync(target)) removeEmptyFolders(folders);
}
