/** Which state files are meant: those that are named, or those of the folder somebody stands in. */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { RefloatError } from "../../model/errors.ts";
import { STATE_FILE } from "../../model/workflow-state.ts";
import { shellWord } from "../../text/escape.ts";
import { identityOf } from "../../workflow/claim-ids.ts";
import {
  leftOf,
  lostBeside,
  lostIn,
  noneOf,
  noState,
  severalHere,
  statesAbove,
} from "../../workflow/lost-state.ts";
import { keptVersions } from "../../workflow/state-journal.ts";
import { findStateFiles, stateFileAt } from "../../workflow/state-paths.ts";
import type { AppPlace } from "./app-place.ts";

/** `named`: files or their folders, as whoever asks calls them: what is said of one names it so. Empty: those of where he stands. */
export async function filesMeant(at: AppPlace, named: readonly string[]): Promise<readonly string[]> {
  if (named.length > 0) return named.map(stateFileAt);
  const found = findStateFiles(at.place());
  if (found.length === 0) throw await noStateHere(at);
  return found;
}

/** Those that are gone, too, as long as something of them is left: whoever looks or repairs has to hear of them. */
export async function filesAndLost(at: AppPlace, named: readonly string[]): Promise<readonly string[]> {
  if (named.length > 0) return named.map(stateFileAt);
  const found = await everyKnownFile(at, lostHere);
  if (found.length === 0) throw noState(at.place(), null);
  return found;
}

type FindLost = (at: AppPlace) => Promise<readonly string[]>;

/** Where a folder has its own, what only the store knows of others below it is no business of who stands there. */
export async function everyKnownFile(
  at: AppPlace,
  findLost: FindLost = lostOrBeside,
): Promise<readonly string[]> {
  const folder = at.place();
  const there = findStateFiles(folder);
  return [...there, ...(hasItsOwn(folder, there) ? lostBeside(folder) : await findLost(at))];
}

const hasItsOwn = (folder: string, there: readonly string[]): boolean =>
  there.includes(join(folder, STATE_FILE));

/** The one state file meant by a command that works on one; one that is gone is meant, too, and is then missed by name. */
export async function oneFile(at: AppPlace, named: string | null): Promise<string> {
  const file = await oneKnownFile(at, named);
  if (file === null) throw await noStateHere(at);
  return file;
}

/** Where a new one is made. */
export const newStateFile = (at: AppPlace, named: string | null): string =>
  named === null ? join(at.place(), STATE_FILE) : stateFileAt(named);

/** The same; where there never was one it is a new one of this folder. Below a workflow's own folder nobody means a second. */
export async function oneFileOrNew(at: AppPlace, named: string | null): Promise<string> {
  const folder = at.place();
  const file = await oneKnownFile(at, named);
  if (file !== null) return file;
  const [above] = statesAbove(folder);
  if (above === undefined) return resolve(folder, STATE_FILE);
  const instead = `The workflow above has one: --file ${shellWord(above)}`;
  throw new RefloatError("E_NO_STATE", { folder, left: "", instead });
}

/** Null: there never was one. One that is gone counts: what is done to another in its place is done to the wrong project. */
async function oneKnownFile(
  at: AppPlace,
  named: string | null,
  findLost: FindLost = lostHere,
): Promise<string | null> {
  const folder = at.place();
  if (named !== null) return resolve(folder, stateFileAt(named));
  const there = findStateFiles(folder);
  const lost = hasItsOwn(folder, there) ? [] : await findLost(at);
  const [only = null, ...others] = [...there, ...lost];
  if (others.length === 0) return only;
  throw there.length === 0 ? noneOf(folder, lost) : severalHere(there, lost);
}

/** Null: there is none, and none is gone: the session is meant. */
export async function fileOfWorkflow(at: AppPlace, named: string | null): Promise<string | null> {
  const file = await oneKnownFile(at, named, lostOrBeside);
  const isKnownByStore = named === null && file !== null && !existsSync(file) && leftOf(file, []) === null;
  if (isKnownByStore) throw await noStateHere(at);
  return file;
}

async function lostHere(at: AppPlace): Promise<readonly string[]> {
  const store = await at.findStore();
  return lostIn(at.place(), store?.raw ?? null);
}

/** For who goes on without a store: one that cannot be read says nothing here, and is told of where it is needed. */
async function lostOrBeside(at: AppPlace): Promise<readonly string[]> {
  try {
    return await lostHere(at);
  } catch (thrown) {
    if (thrown instanceof RefloatError) return lostBeside(at.place());
    throw thrown;
  }
}

async function noStateHere(at: AppPlace): Promise<RefloatError> {
  const folder = at.place();
  const [file] = await lostHere(at);
  return noState(folder, file === undefined ? null : { file, left: (await leftHere(at, file)) ?? "" });
}

async function leftHere(at: AppPlace, file: string): Promise<string | null> {
  const store = await at.findStore();
  return leftOf(file, store ? await keptVersions(store.raw, identityOf(file).session, 1) : []);
}
