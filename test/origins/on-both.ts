/** Where an origin's sentence is about a store, it is shown on both: a SQLite file and a schema of a PostgreSQL server. */
import { join } from "node:path";
import { describe, onTestFinished } from "vitest";
import { openStore, type RefloatStore } from "../../src/library/open-store.ts";
import type { OpenStoreOptions } from "../../src/store/open-raw-store.ts";
import { freshSchema } from "../support/postgres.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

export interface StorePlace {
  readonly url: string;
  readonly open: Pick<OpenStoreOptions, "schema" | "thread">;
}

export type FreshPlace = () => StorePlace;

export function describeOnBoth(laws: (fresh: FreshPlace) => void): void {
  describe("on SQLite", () =>
    laws(() => ({ url: join(temporaryFolder(), "refloat.db"), open: { thread: false } })));
  describe("on PostgreSQL", () =>
    laws(() => {
      const { url, schema } = freshSchema();
      return { url, open: { schema } };
    }));
}

export async function openAt({ url, open }: StorePlace): Promise<RefloatStore> {
  const store = await openStore(url, open);
  onTestFinished(() => store.close());
  return store;
}
