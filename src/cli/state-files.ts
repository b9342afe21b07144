/** The state files a command was given, or those of the folder it was started in. */
import { resolve } from "node:path";
import { RefloatError } from "../model/errors.ts";
import { STATE_FILE } from "../model/workflow-state.ts";
import { shellWord } from "../text/shell-word.ts";
import { identityOf } from "../workflow/claim-ids.ts";
import { leftOf, lostBeside, lostIn, noState, statesAbove } from "../workflow/lost-state.ts";
import { keptVersions } from "../workflow/state-journal.ts";
import { findStateFiles, onlyOne, stateFileAt } from "../workflow/state-paths.ts";
import type { Context } from "./context.ts";
import { type CommandInput, listArgument } from "./options.ts";

/** With -C a name means something else where somebody stands: commands about it name it in full (T6). */
function namedFiles({ flags: { directory } }: Context, input: CommandInput): readonly string[] {
  return listArgument(input, 0)
    .map(stateFileAt)
    .map((path) => (directory === null ? path : resolve(path)));
}

export async function filesOf(context: Context, input: CommandInput): Promise<readonly string[]> {
  const named = namedFiles(context, input);
  if (named.length > 0) return named;
  const found = findStateFiles(context.workspace());
  if (found.length === 0) throw await noStateHere(context);
  return found;
}

/** Those that are gone, too, as long as something of them is left: whoever looks or repairs has to hear of them. */
export async function filesAndLost(context: Context, input: CommandInput): Promise<readonly string[]> {
  const named = namedFiles(context, input);
  if (named.length > 0) return named;
  const folder = context.workspace();
  const beside = [...findStateFiles(folder), ...lostBeside(folder)];
  const found = beside.length > 0 ? beside : await lostHere(context);
  if (found.length === 0) throw noState(folder, null);
  return found;
}

/** The one state file meant by a command that works on one; one that is gone is meant, too, and is then missed by name. */
export async function oneFile(context: Context, named: string | null): Promise<string> {
  const file = await oneKnownFile(context, named);
  if (file === null) throw await noStateHere(context);
  return file;
}

/** The same; where there never was one it is a new one of this folder. Below a workflow's own folder nobody means a second. */
export async function oneFileOrNew(context: Context, named: string | null): Promise<string> {
  const folder = context.workspace();
  const file = await oneKnownFile(context, named);
  if (file !== null) return file;
  const [above] = statesAbove(folder);
  if (above === undefined) return resolve(folder, STATE_FILE);
  const instead = `The workflow above has one: --file ${shellWord(above)}`;
  throw new RefloatError("E_NO_STATE", { folder, left: "", instead });
}

async function oneKnownFile(context: Context, named: string | null): Promise<string | null> {
  const folder = context.workspace();
  if (named !== null) return resolve(folder, stateFileAt(named));
  return onlyOne(findStateFiles(folder)) ?? onlyOne(await lostHere(context));
}

/** Null: there is none, and none is gone that left something beside: the session is meant. */
export function fileOfWorkflow(context: Context, named: string | null): string | null {
  const folder = context.workspace();
  if (named !== null) return resolve(folder, stateFileAt(named));
  return onlyOne(findStateFiles(folder)) ?? onlyOne(lostBeside(folder));
}

async function lostHere(context: Context): Promise<readonly string[]> {
  const store = await context.findStore();
  return lostIn(context.workspace(), store?.raw ?? null);
}

async function noStateHere(context: Context): Promise<RefloatError> {
  const folder = context.workspace();
  const [file] = await lostHere(context);
  return noState(folder, file === undefined ? null : { file, left: (await leftHere(context, file)) ?? "" });
}

async function leftHere(context: Context, file: string): Promise<string | null> {
  const store = await context.findStore();
  return leftOf(file, store ? await keptVersions(store.raw, identityOf(file).session, 1) : []);
}
