/** The kinds of store that what is about a store is shown on: each new, and nobody else's. */
import { join } from "node:path";
import { describe, onTestFinished } from "vitest";
import { openStore, type RefloatStore } from "../../src/app/store/open-store.ts";
import type { OpenStoreOptions } from "../../src/store/open-raw-store.ts";
import { freshSchema } from "./postgres.ts";
import { temporaryFolder } from "./temporary-folder.ts";

export interface FreshStore {
  readonly url: string;
  /** What opening it needs, as an option of the library or in a child's orders. */
  readonly open: { readonly schema?: string };
}

export type MakeStore = () => FreshStore;

export const STORES = [
  ["SQLite", () => ({ url: join(temporaryFolder(), "refloat.db"), open: {} })],
  [
    "PostgreSQL",
    () => {
      const { url, schema } = freshSchema();
      return { url, open: { schema } };
    },
  ],
] as const satisfies readonly (readonly [name: string, make: MakeStore])[];

export function describeOnBoth(laws: (make: MakeStore) => void): void {
  describe.each(STORES)("on %s", (_, make) => laws(make));
}

/** In this process; closed when the test is over. */
export async function openedHere(
  { url, open }: FreshStore,
  options: OpenStoreOptions = {},
): Promise<RefloatStore> {
  const store = await openStore(url, { thread: false, ...open, ...options });
  onTestFinished(() => store.close());
  return store;
}
