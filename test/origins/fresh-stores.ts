/** The stores an origin's sentence is shown on, each new and nobody else's: as a program opens it, and as a command is told of it. */
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { openStore, type RefloatStore } from "../../src/library/open-store.ts";
import { freshSchema } from "../support/postgres.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

export interface FreshStore {
  readonly url: string;
  readonly options: { readonly schema?: string };
}

export const STORES: readonly (readonly [name: string, fresh: () => FreshStore])[] = [
  ["SQLite", () => ({ url: join(temporaryFolder(), "refloat.db"), options: {} })],
  [
    "Postgres",
    () => {
      const { url, schema } = freshSchema();
      return { url, options: { schema } };
    },
  ],
];

/** In this process; closed when the test is over. */
export async function openedHere({ url, options }: FreshStore): Promise<RefloatStore> {
  const store = await openStore(url, { ...options, thread: false });
  onTestFinished(() => store.close());
  return store;
}
