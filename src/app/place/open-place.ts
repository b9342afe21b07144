/**
 * A place to ask for use cases from: a directory, an environment, and the door to its store, which is opened when it is first asked
 * for and closed at the end. What the command line and the library stand on.
 *
 * Who only reads never makes a store: a mistyped address would otherwise be answered by an empty one, and a backup of nothing
 * would look like a backup.
 */
import { existsSync } from "node:fs";
import { RefloatError } from "../../model/errors.ts";
import { systemClock } from "../../platform/clock.ts";
import { homeOfStore, isPostgres, markPath, storeAddress, storePath } from "../../platform/store-address.ts";
import type { RefloatStore } from "../store/open-store.ts";
import type { AppPlace, StoreDoorOptions } from "./app-place.ts";

export interface PlaceOptions {
  /** The directory somebody stands in, without symlinks. */
  readonly place: () => string;
  readonly env: NodeJS.ProcessEnv;
  /** The store's address as it was given; null: as the environment says. */
  readonly store: string | null;
  /** How long its lock is waited for; left out: as long as a commit may. */
  readonly lockWaitMs?: number;
  /** Sessions of other repositories are not found, whoever names them. */
  readonly isConfined?: boolean;
}

export interface OpenedPlace extends AppPlace {
  /** Whether anything of a store is at its address; always true of a server. */
  hasStore(): Promise<boolean>;
  /** Null: nobody has asked for it, or it could not be opened. */
  openedStore(): Promise<RefloatStore | null>;
  close(): Promise<void>;
}

export function openPlace({ place, env, store, lockWaitMs, isConfined }: PlaceOptions): OpenedPlace {
  let opened: Promise<RefloatStore> | null = null;

  const address = async (): Promise<string> => store ?? storeAddress(env);

  async function openNow(options: StoreDoorOptions): Promise<RefloatStore> {
    const { openStore } = await import("../store/open-store.ts");
    const patience = lockWaitMs === undefined ? {} : { lockWaitMs };
    return openStore(await address(), { thread: false, env, ...patience, ...options });
  }

  /** Asked for twice at once it is opened once; one that could not be opened is tried again. */
  function open(options: StoreDoorOptions): Promise<RefloatStore> {
    opened ??= openNow(options).catch((thrown: unknown) => {
      opened = null;
      throw thrown;
    });
    return opened;
  }

  const hasStore = async (): Promise<boolean> => isThere(await address());

  async function findStore(options: StoreDoorOptions = {}): Promise<RefloatStore | null> {
    return (await hasStore()) ? open(options) : null;
  }

  /** In a plain folder it is left to those who work on it: what lies in it may be somebody's home. */
  async function assertMayBeMade(): Promise<void> {
    const { locationOf } = await import("./scope.ts");
    const { assertStoreOutside } = await import("../store/outside-workspace.ts");
    const location = locationOf(place());
    if (location) assertStoreOutside(await address(), location.root);
  }

  return {
    env,
    clock: systemClock,
    place,
    ...(isConfined ? { isConfined } : {}),
    storeAddress: address,
    home: async () => homeOfStore(await address(), env),
    hasStore,
    findStore,
    openStore: async (options) => {
      const found = await findStore(options);
      if (!found) throw noStore(await address());
      return found;
    },
    openOrMakeStore: async (options = {}) => {
      if (opened === null && !(await hasStore())) await assertMayBeMade();
      return open(options);
    },
    openedStore: async () => opened?.catch(() => null) ?? null,
    close: async () => (await opened)?.close(),
  };
}

export const noStore = (address: string): RefloatError => new RefloatError("E_NO_STORE", { path: address });

/** What is left beside a lost store counts too: opening then says that the store is missing, not that there is none. */
function isThere(address: string): boolean {
  if (isPostgres(address)) return true;
  const path = storePath(address);
  return [path, `${path}-wal`, markPath(path)].some((file) => existsSync(file));
}
