/** The state files a command was given, or those of the folder it was started in. */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { RefloatError } from "../../../model/errors.ts";
import { STATE_FILE } from "../../../model/workflow-state.ts";
import { shellWord } from "../../../text/escape.ts";
import { identityOf } from "../../../workflow/claim-ids.ts";
import {
  leftOf,
  lostBeside,
  lostIn,
  noneOf,
  noState,
  severalHere,
  statesAbove,
} from "../../../workflow/lost-state.ts";
import { keptVersions } from "../../../workflow/state-journal.ts";
import { findStateFiles, stateFileAt } from "../../../workflow/state-paths.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, listArgument } from "../../grammar/options.ts";

/** With -C a name means something else where somebody stands: commands about it name it in full (T6). */
function namedFiles({ flags: { directory } }: Context, input: CommandInput): readonly string[] {
  return listArgument(input, 0)
    .map(stateFileAt)
    .map((path) => (directory === null ? path : resolve(path)));
}

export async function filesOf(context: Context, input: CommandInput): Promise<readonly string[]> {
  const named = namedFiles(context, input);
  if (named.length > 0) return named;
  const found = findStateFiles(context.place());
  if (found.length === 0) throw await noStateHere(context);
  return found;
}

/** Those that are gone, too, as long as something of them is left: whoever looks or repairs has to hear of them. */
export async function filesAndLost(context: Context, input: CommandInput): Promise<readonly string[]> {
  const named = namedFiles(context, input);
  if (named.length > 0) return named;
  const found = await everyKnownFile(context, lostHere);
  if (found.length === 0) throw noState(context.place(), null);
  return found;
}

type FindLost = (context: Context) => Promise<readonly string[]>;

/** Where a folder has its own, what only the store knows of others below it is no business of who stands there. */
export async function everyKnownFile(
  context: Context,
  findLost: FindLost = lostOrBeside,
): Promise<readonly string[]> {
  const folder = context.place();
  const there = findStateFiles(folder);
  return [...there, ...(hasItsOwn(folder, there) ? lostBeside(folder) : await findLost(context))];
}

const hasItsOwn = (folder: string, there: readonly string[]): boolean =>
  there.includes(join(folder, STATE_FILE));

/** The one state file meant by a command that works on one; one that is gone is meant, too, and is then missed by name. */
export async function oneFile(context: Context, named: string | null): Promise<string> {
  const file = await oneKnownFile(context, named);
  if (file === null) throw await noStateHere(context);
  return file;
}

/** The same; where there never was one it is a new one of this folder. Below a workflow's own folder nobody means a second. */
export async function oneFileOrNew(context: Context, named: string | null): Promise<string> {
  const folder = context.place();
  const file = await oneKnownFile(context, named);
  if (file !== null) return file;
  const [above] = statesAbove(folder);
  if (above === undefined) return resolve(folder, STATE_FILE);
  const instead = `The workflow above has one: --file ${shellWord(above)}`;
  throw new RefloatError("E_NO_STATE", { folder, left: "", instead });
}

/** Null: there never was one. One that is gone counts: what is done to another in its place is done to the wrong project. */
async function oneKnownFile(
  context: Context,
  named: string | null,
  findLost: FindLost = lostHere,
): Promise<string | null> {
  const folder = context.place();
  if (named !== null) return resolve(folder, stateFileAt(named));
  const there = findStateFiles(folder);
  const lost = hasItsOwn(folder, there) ? [] : await findLost(context);
  const [only = null, ...others] = [...there, ...lost];
  if (others.length === 0) return only;
  throw there.length === 0 ? noneOf(folder, lost) : severalHere(there, lost);
}

/** Null: there is none, and none is gone: the session is meant. */
export async function fileOfWorkflow(context: Context, named: string | null): Promise<string | null> {
  const file = await oneKnownFile(context, named, lostOrBeside);
  const isKnownByStore = named === null && file !== null && !existsSync(file) && leftOf(file, []) === null;
  if (isKnownByStore) throw await noStateHere(context);
  return file;
}

async function lostHere(context: Context): Promise<readonly string[]> {
  const store = await context.findStore();
  return lostIn(context.place(), store?.raw ?? null);
}

/** For who goes on without a store: one that cannot be read says nothing here, and is told of where it is needed. */
async function lostOrBeside(context: Context): Promise<readonly string[]> {
  try {
    return await lostHere(context);
  } catch (thrown) {
    if (thrown instanceof RefloatError) return lostBeside(context.place());
    throw thrown;
  }
}

async function noStateHere(context: Context): Promise<RefloatError> {
  const folder = context.place();
  const [file] = await lostHere(context);
  return noState(folder, file === undefined ? null : { file, left: (await leftHere(context, file)) ?? "" });
}

async function leftHere(context: Context, file: string): Promise<string | null> {
  const store = await context.findStore();
  return leftOf(file, store ? await keptVersions(store.raw, identityOf(file).session, 1) : []);
}
