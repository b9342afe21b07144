/**
 * The brief as a file for an agent that is told in no other way: `{handoff}` in its command line, and
 * REFLOAT_HANDOFF_FILE in its environment. Under the store's home, this user's only; one per workspace and name.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { writeBrief } from "../handoff/write-brief.ts";
import type { RefloatStore } from "../library/open-store.ts";
import { makePrivateDirectory, writeDurable } from "../platform/durable-file.ts";
import type { SessionRow } from "../store/driver.ts";
import type { HandoffFile } from "../supervise/loop.ts";
import { handoffBudget } from "./handoff-budget.ts";
import { sessionBrief } from "./session-brief.ts";

export const HANDOFF_VARIABLE = "REFLOAT_HANDOFF_FILE";
const PLACEHOLDER = "{handoff}";

export interface HandoffPlace {
  readonly home: string;
  readonly workspace: string;
  readonly name: string;
}

/** By a hash: neither a path nor a name is ever part of a file's name. */
function fileOf({ home, workspace, name }: HandoffPlace): string {
  const key = createHash("sha256")
    .update(JSON.stringify([workspace, name]))
    .digest("hex")
    .slice(0, 24);
  return join(home, "handoffs", `${key}.md`);
}

/** `row`: the session to tell of; null: there is none, and the file is empty. */
export async function writeHandoffFile(
  store: RefloatStore,
  place: HandoffPlace,
  row: SessionRow | null,
): Promise<HandoffFile> {
  const file = fileOf(place);
  makePrivateDirectory(join(place.home, "handoffs"));
  const options = { clock: store.raw.clock, env: process.env, home: place.home };
  const found = row ? await sessionBrief(store, row, options) : null;
  const brief = found && writeBrief(found.facts, await handoffBudget(found.workspace, process.env));
  writeDurable(file, brief?.markdown ?? "");
  return { path: file, isEmpty: brief === null };
}

/** What the agent is started with: the brief's path where its command line asks for it, and in its environment. */
export function withHandoff(
  command: readonly string[],
  { path, isEmpty }: HandoffFile,
): { readonly command: readonly string[]; readonly childEnv: Readonly<Record<string, string>> } {
  return {
    command: command.map((word) => word.replaceAll(PLACEHOLDER, path)),
    childEnv: isEmpty ? {} : { [HANDOFF_VARIABLE]: path },
  };
}
