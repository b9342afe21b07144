/** What `init` and `uninstall` do to disks: the recorder, and one file after the other. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { inboxOf } from "../../agents/inbox/inbox-folder.ts";
import { openMarksOf } from "../../agents/inbox/open-marks.ts";
import { recorderPath } from "../../agents/install/commands.ts";
import { type LedgerNote, openLedger } from "../../agents/install/ledger.ts";
import type { PlannedFile } from "../../agents/install/plan-file.ts";
import { crashPoint } from "../../platform/crash-point.ts";
import { makePrivateDirectory, removeDurable, writeDurable } from "../../platform/durable-file.ts";
import { removeEmptyFolders, removeLeftFresh, swapForeign } from "../../platform/foreign-file.ts";
import { builtFile } from "../../platform/own-files.ts";
import { removeScratch } from "../../platform/scratch.ts";
import { isProgramFileNew, programFileOf, writeProgramFile } from "./program-file.ts";

export interface RefusedFile {
  readonly path: string;
  readonly why: string;
}

const EXECUTABLE = 0o700;

/** The recorder, and what it holds trees with: beside each other. */
const SCRIPTS = ["refloat-hook", "refloat-hold"] as const;
type RecorderScript = (typeof SCRIPTS)[number];

const packaged = (name: RecorderScript): Buffer => readFileSync(builtFile(`hooks/${name}`));
const scriptPath = (home: string, name: RecorderScript): string => join(dirname(recorderPath(home)), name);

/** `isPassing`: refloat was fetched for this start only, so that the recorder is told of no program. */
export const isRecorderNew = (home: string, isPassing: boolean): boolean =>
  !existsSync(inboxOf(home)) ||
  SCRIPTS.some((name) => isScriptNew(home, name)) ||
  (!isPassing && isProgramFileNew(home));

function isScriptNew(home: string, name: RecorderScript): boolean {
  const path = scriptPath(home, name);
  if (!existsSync(path)) return true;
  return (statSync(path).mode & EXECUTABLE) !== EXECUTABLE || !readFileSync(path).equals(packaged(name));
}

/** A copy: it must stay where it is when the package is updated, moved or gone. It writes only where there is an inbox. */
export function putRecorder(home: string, isPassing: boolean): void {
  makePrivateDirectory(inboxOf(home));
  makePrivateDirectory(dirname(recorderPath(home)));
  for (const name of SCRIPTS)
    if (isScriptNew(home, name)) writeDurable(scriptPath(home, name), packaged(name), { mode: EXECUTABLE });
  if (!isPassing && isProgramFileNew(home)) writeProgramFile(home);
  crashPoint("install.after-recorder");
}

/** What is empty goes with it: of somebody who never ran a session nothing is left. The folders that were once made for all of it come back, outermost first. */
export function removeRecorder(home: string): readonly string[] {
  // Its marks of open turns say nothing to anybody else. The recorder goes last: while it is there, the next `uninstall` finishes this one.
  removeScratch(openMarksOf(home));
  const scripts = SCRIPTS.toReversed().map((name) => scriptPath(home, name));
  for (const path of [programFileOf(home), ...scripts]) if (existsSync(path)) removeDurable(path);
  const ledger = openLedger(home);
  const made = ledger.folders();
  ledger.forgetFolders();
  removeEmptyFolders([join(home, "install", "originals"), dirname(recorderPath(home)), inboxOf(home)]);
  return made;
}

/** Empty: it is done. */
export function applyFile({ change }: Extract<PlannedFile, { kind: "change" }>): readonly RefusedFile[] {
  const { path, target, before, after, mode } = change;
  const outcome = swapForeign(target, before, after, mode);
  removeLeftFresh(target);
  // Another `init` at the same time has made it the very same.
  const isSame = after !== null && existsSync(target) && readFileSync(target).equals(after);
  if (outcome === "changed" && !isSame)
    return [{ path, why: "somebody changed it meanwhile; run this again" }];
  return [];
}

/** A file that is given back: what was made on the way to it goes, too, if nobody uses it. */
export function tidyAfter({ target, folders }: Pick<LedgerNote, "target" | "folders">): void {
  removeLeftFresh(target);
  if (!existsSync(target)) removeEmptyFolders(folders);
}
