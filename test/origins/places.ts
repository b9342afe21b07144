/** The stores every row about a store is shown on: a new one of each kind per test. */
import { newStorePath, type Place } from "../scenarios/child.ts";
import { freshSchema } from "../support/postgres.ts";

export const STORES: readonly (readonly [name: string, fresh: () => Place])[] = [
  ["SQLite", newStorePath],
  [
    "PostgreSQL",
    () => {
      const { url, schema } = freshSchema();
      return { url, open: { schema } };
    },
  ],
];
