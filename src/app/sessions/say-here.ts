/**
 * What is said about a session in a moment (`op`, `decide`): into the session that is meant; where the store cannot be written
 * (a sandbox) nothing is recorded, and whoever says it leaves a text marker instead, which the agent's own output keeps (DESIGN 10).
 */

import { RefloatError } from "../../model/errors.ts";
import { errnoOf } from "../../platform/io-error.ts";
import type { Store } from "../../store/store.ts";
import { type MakeRecord, type WrittenRecord, writeInto } from "../../workspace/sessions/write-into.ts";
import { hearHooks } from "../agents/hear-agents.ts";
import type { AppPlace } from "../place/app-place.ts";
import { isOff, whyOff } from "../place/off.ts";
import { workspaceHere } from "../place/workspace-here.ts";

export type RecordOutcome =
  | { readonly kind: "recorded"; readonly written: WrittenRecord }
  | { readonly kind: "marker" };

/** The sandbox says no: permissions, or no way to the server. A full disk or a damaged store is another matter, and an error. */
const UNWRITABLE: ReadonlySet<string> = new Set([
  "E_STORE_READ_ONLY",
  "E_STORE_FOREIGN",
  "E_STORE_UNREACHABLE",
]);
/** What making a store says where no folder for it can be. */
const NO_PLACE: ReadonlySet<string | null> = new Set(["ENOENT", "ENOTDIR"]);

export async function sayHere(at: AppPlace, make: (store: Store) => MakeRecord): Promise<RecordOutcome> {
  // Before a store is made for what nobody is to keep.
  if ((await whyOff(at)) !== null) return { kind: "marker" };
  const written = await unlessUnwritable(at, async () => {
    await hearHooks(at);
    const store = await at.openOrMakeStore();
    const { workspace, place, env } = await workspaceHere(at, store);
    return writeInto(store.raw, { root: workspace.root, place, env }, make(store.raw));
  });
  return written === null ? { kind: "marker" } : { kind: "recorded", written };
}

/** Null: the store cannot be written here, or REFLOAT_OFF=1 says that nothing is. The script that says it goes on either way. */
export async function unlessUnwritable<T>(
  { env }: Pick<AppPlace, "env">,
  write: () => Promise<T>,
): Promise<T | null> {
  if (isOff(env)) return null;
  try {
    return await write();
  } catch (thrown) {
    if (thrown instanceof RefloatError && isUnwritable(thrown)) return null;
    throw thrown;
  }
}

export const isUnwritable = ({ code, cause }: RefloatError): boolean =>
  UNWRITABLE.has(code) || (code === "E_STORE_IO" && NO_PLACE.has(errnoOf(cause)));
