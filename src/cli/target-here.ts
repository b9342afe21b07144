/**
 * Commands of a moment that say something about a session (`op`, `decide`): into the session that is meant, or, where
 * the store cannot be written (a sandbox), as the text marker on stdout, which the agent's own output keeps (DESIGN 10).
 */
import { RefloatError } from "../model/errors.ts";
import type { Store } from "../store/store.ts";
import { type MakeRecord, type Written, writeInto } from "../workspace/write-into.ts";
import type { Context } from "./context.ts";
import { workspaceHere } from "./workspace-here.ts";

export type Said = { readonly kind: "recorded"; readonly written: Written } | { readonly kind: "marker" };

/** The disk or its permissions say no; a full disk or a damaged store is another matter, and an error. */
const UNWRITABLE: ReadonlySet<string> = new Set(["E_STORE_READ_ONLY", "E_STORE_FOREIGN"]);

export async function sayHere(context: Context, make: (store: Store) => MakeRecord): Promise<Said> {
  try {
    const store = await context.openOrMakeStore();
    const { workspace, place, env } = await workspaceHere(context, store);
    const written = await writeInto(store.raw, { root: workspace.root, place, env }, make(store.raw));
    return { kind: "recorded", written };
  } catch (thrown) {
    if (thrown instanceof RefloatError && UNWRITABLE.has(thrown.code)) return { kind: "marker" };
    throw thrown;
  }
}

/** One line whatever was typed: a marker counts only alone on its line. */
export const markerLine = (word: "BEGIN" | "END" | "ABORT" | "DECIDED", text: string): string =>
  `# ${word}: ${text.replace(/\s+/g, " ").trim()}`;

export const NOT_RECORDED = "The store cannot be written here: only the marker above was left.";
