/**
 * A state file that is not there, while something of it is: the ring and the companion beside it, damaged bytes that were put
 * aside, its versions in the store. It is brought back from these by `state repair`; nothing makes another in its place unseen.
 */

import { existsSync, lstatSync, readdirSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { RefloatError } from "../model/errors.ts";
import { WORKFLOW_PREFIX } from "../model/ids.ts";
import { stepOfSession } from "../model/workflow-ids.ts";
import { STATE_FILE } from "../model/workflow-state.ts";
import type { Store } from "../store/store.ts";
import { shellWord } from "../text/escape.ts";
import { identityOf } from "./claim-ids.ts";
import { readHandoff } from "./read-handoff.ts";
import { isSameButBeats, readStateFile } from "./state-files-on-disk.ts";
import { type KeptVersion, keptVersions } from "./state-journal.ts";
import {
  BACKUP_SUFFIXES,
  findStateFiles,
  handoffOf,
  inOutputs,
  isMeantIn,
  MAX_LEVELS_UP,
} from "./state-paths.ts";

/** Names of what lies beside a state file and is of it, the newest first. */
export function tracesOf(file: string): readonly string[] {
  const folder = dirname(file);
  if (!existsSync(folder)) return [];
  const name = basename(file);
  const ring = BACKUP_SUFFIXES.map((suffix) => name + suffix).filter((one) => existsSync(join(folder, one)));
  const aside = readdirSync(folder).filter((one) => one.startsWith(`${name}.corrupt`));
  const handoff = handoffOf(file);
  const text = readStateFile(handoff);
  const isCompanion = text !== null && readHandoff(text).step !== null;
  return [...ring, ...(isCompanion ? [basename(handoff)] : []), ...aside.sort().reverse()];
}

/** One part of a sentence; null: there never was one, as far as anybody knows. */
export function leftOf(file: string, versions: readonly KeptVersion[]): string | null {
  const traces = tracesOf(file);
  const ring = traces.filter((name) => BACKUP_SUFFIXES.some((suffix) => name.endsWith(suffix))).length;
  const aside = traces.filter((name) => name.startsWith(`${basename(file)}.corrupt`));
  const parts = [
    versions.some(({ isGivenUp }) => !isGivenUp) ? "its newest version in the store" : "",
    ring === 0 ? "" : ring === 1 ? "an older version beside it" : `${ring} older versions beside it`,
    traces.includes(basename(handoffOf(file))) ? "its handoff" : "",
    aside[0] ?? "",
  ].filter((part) => part !== "");
  return parts.length === 0 ? null : `left of it: ${parts.join(", ")}`;
}

/** `lost`: where it was, and what is left; null: there never was one. */
export function noState(
  folder: string,
  lost: { readonly file: string; readonly left: string } | null,
): RefloatError {
  if (lost === null)
    return new RefloatError("E_NO_STATE", {
      folder,
      left: "",
      instead:
        "`refloat step start 1` makes one, and so does `refloat state init`; --file says where to look.",
    });
  const word = shellWord(lost.file);
  return new RefloatError("E_NO_STATE", {
    folder,
    left: `; ${lost.left}`,
    instead: `\`refloat state repair ${word}\` brings it back with all progress; \`refloat state init --fresh ${word}\` starts over.`,
  });
}

/** State files of this folder that are gone, with something of them left beside. */
export function lostBeside(folder: string): readonly string[] {
  const isLost = (file: string): boolean => !existsSync(file) && tracesOf(file).length > 0;
  const here = join(folder, STATE_FILE);
  return isLost(here) ? [here] : inOutputs(folder).filter(isLost);
}

/** Several are gone and none is there: all are named, and none is guessed at. */
export function noneOf(folder: string, lost: readonly string[]): RefloatError {
  return new RefloatError("E_NO_STATE", {
    folder,
    left: `; gone, with something of each left: ${lost.join(", ")}`,
    instead: "`refloat state repair` brings them back with all progress; --file names the one that is meant.",
  });
}

/** Some are there, and others are gone: which one is meant is not for a command to guess. */
export function severalHere(there: readonly string[], lost: readonly string[]): RefloatError {
  const gone = lost.length === 0 ? "" : `, and ${lost.length === 1 ? "one is" : `${lost.length} are`} gone`;
  const names = lost.length === 0 ? "" : ` (${lost.join(", ")}: \`refloat state validate\` says more)`;
  const here = there.length === 1 ? "There is a state file" : `There are ${there.length} state files`;
  return new RefloatError("E_USAGE", { why: `${here} here${gone}${names}: name one with --file.` });
}

/** Those of which only the store knows, too: its folder went with it. */
export async function lostIn(folder: string, store: Store | null): Promise<readonly string[]> {
  const beside = lostBeside(folder);
  if (!store) return beside;
  const there = findStateFiles(folder);
  const root = realpathSync(folder);
  const known = new Set(beside.map((file) => identityOf(file).path));
  const lost: string[] = [];
  for (const { id, facts } of await store.sessions({ prefix: WORKFLOW_PREFIX })) {
    const { workspace: path } = facts;
    if (stepOfSession(id) !== null || typeof path !== "string" || known.has(path)) continue;
    if (!isMeantIn(root, path) || existsSync(path)) continue;
    const newest = (await keptVersions(store, id)).find(({ isGivenUp }) => !isGivenUp);
    if (newest && !(await isMovedTo(there, newest, store))) lost.push(path);
  }
  return [...beside, ...lost.sort()];
}

/** A project whose folder has another name now is not lost: one of these began as what it was last. */
async function isMovedTo(
  there: readonly string[],
  { file: last }: KeptVersion,
  store: Store,
): Promise<boolean> {
  for (const file of there) {
    const versions = await keptVersions(store, identityOf(file).session);
    const texts = [readText(file), ...versions.map((version) => version.file)];
    if (texts.some((text) => text !== null && isSameButBeats(text, last))) return true;
  }
  return false;
}

/** Null: it cannot be read, which others say. */
function readText(file: string): string | null {
  return lstatSync(file).isFile() ? readStateFile(file) : null;
}

/** State files, lost ones too, of the folders above this one up to the root of its repository; outside of one nobody looks. */
export function statesAbove(folder: string): readonly string[] {
  const found: string[] = [];
  let level = resolve(folder);
  for (let up = 0; up < MAX_LEVELS_UP && !existsSync(join(level, ".git")); up++) {
    if (dirname(level) === level) return [];
    level = dirname(level);
    found.push(...findStateFiles(level), ...lostBeside(level));
  }
  return existsSync(join(level, ".git")) ? found : [];
}
