/** The checker of the sweep: everything that must hold after a kill. An empty answer means that it does. */
import { openStore, type RefloatStore } from "../../src/app/store/open-store.ts";
import { checkStore } from "../../src/store/check.ts";
import { checkBackups, checkCalls } from "./check-calls.ts";
import { checkRecords, type World } from "./check-records.ts";
import { checkSurvivor } from "./check-survivor.ts";
import type { StoreAddress } from "./run-writer.ts";

/** `look`: read only, the next writer does the recovering. `take over`: the checker is the next writer. */
export type Thoroughness = "look" | "take over";

export async function checkAfterKill(
  address: StoreAddress,
  world: World,
  how: Thoroughness,
): Promise<string[]> {
  const store = await openStore(address.url, { ...address.open, thread: false });
  try {
    return await checkOpened(store, world, how);
  } finally {
    await store.close();
  }
}

/** The same on a store that is open: for the sweep's own test, which breaks the store. */
export async function checkOpened(store: RefloatStore, world: World, how: Thoroughness): Promise<string[]> {
  const found = [...(await checkRecords(store.raw, world)), ...(await checkCalls(store.raw, world))];
  found.push(...(await checkBackups(world)));
  if (how === "take over") {
    found.push(...(await checkSurvivor(store, world)));
    found.push(...(await checkRecords(store.raw, world)).map((what) => `after recovery: ${what}`));
  }
  const { damage } = await checkStore(store.raw);
  return [
    ...found,
    ...damage.map(({ kind, where, message }) => `store check: ${kind} at ${where}: ${message}`),
  ];
}
