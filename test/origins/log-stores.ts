/** A state file with a history in a store, on each kind of store: what is noticed against the store is noticed on both. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openRawStore } from "../../src/store/open-raw-store.ts";
import type { Store } from "../../src/store/store.ts";
import { claimOwner } from "../../src/workflow/claim-owner.ts";
import { initState } from "../../src/workflow/new-state.ts";
import { actOnStep, type StepDone } from "../../src/workflow/step-acts.ts";
import type { StepExtras, StepOrder } from "../../src/workflow/step-transition.ts";
import type { MakeStore } from "../support/both-stores.ts";
import type { JsonObject } from "../support/cli.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

export interface StateWithStore {
  readonly store: Store;
  readonly file: string;
  read(): JsonObject;
  /** By hand: nothing of ours is asked. */
  edit(change: (doc: JsonObject) => void): void;
  step(id: string, order: StepOrder, extras?: Partial<StepExtras>): Promise<StepDone>;
}

const NO_EXTRAS: StepExtras = { artifacts: [], contextFiles: [], findings: [], resolved: [] };

export async function withState(
  storeIn: MakeStore,
  use: (state: StateWithStore) => Promise<void>,
): Promise<void> {
  const { url, open } = storeIn();
  const file = join(temporaryFolder(), "00-session-state.json");
  const store = await openRawStore(url, { thread: false, ...open });
  const read = (): JsonObject => JSON.parse(readFileSync(file, "utf8"));
  try {
    await initState(store, file, { project: "p", branch: "main", region: "", version: "2.0" });
    await use({
      store,
      file,
      read,
      edit: (change) => {
        const doc = read();
        change(doc);
        writeFileSync(file, `${JSON.stringify(doc, null, 2)}\n`);
      },
      step: (id, order, extras = {}) =>
        actOnStep(store, file, id, order, {
          owner: claimOwner(undefined, "a"),
          token: null,
          extras: { ...NO_EXTRAS, ...extras },
        }),
    });
  } finally {
    await store.close();
  }
}
