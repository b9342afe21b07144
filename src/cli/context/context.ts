/**
 * What a command works with: the flags, the output, the workspace and the store, which is opened inline
 * (a short-lived command needs no thread of its own) when it is first asked for and closed at the end.
 *
 * Reading commands never make a store: a mistyped --store would otherwise be answered by an empty one, and
 * `store backup` of nothing would look like a backup.
 */
import { existsSync } from "node:fs";
import type { AppPlace, StoreDoorOptions } from "../../app/place/app-place.ts";
import type { RefloatStore } from "../../app/store/open-store.ts";
import { ensureError, RefloatError } from "../../model/errors.ts";
import { systemClock } from "../../platform/clock.ts";
import type { Flags } from "../grammar/flags.ts";
import { usage } from "../grammar/options.ts";
import type { Output } from "../screen/output.ts";

export interface Context extends AppPlace {
  readonly flags: Flags;
  readonly out: Output;
  /** Whether anything of a store is at its address; always true of a server. */
  hasStore(): Promise<boolean>;
  close(): Promise<void>;
}

export function createContext(flags: Flags, out: Output, env: NodeJS.ProcessEnv): Context {
  let opened: RefloatStore | null = null;
  if (flags.directory !== null) enter(flags.directory);

  async function storeAddress(): Promise<string> {
    const { storeAddress: addressIn } = await import("../../store/open-raw-store.ts");
    return flags.store ?? addressIn(env);
  }

  async function open(options: StoreDoorOptions): Promise<RefloatStore> {
    const { openStore } = await import("../../app/store/open-store.ts");
    opened ??= await openStore(await storeAddress(), { thread: false, ...options });
    return opened;
  }

  const hasStore = async (): Promise<boolean> => isThere(await storeAddress());

  async function findStore(options: StoreDoorOptions = {}): Promise<RefloatStore | null> {
    return (await hasStore()) ? open(options) : null;
  }

  /** In a plain folder it is left to those who work on it: what lies in it may be somebody's home. */
  async function assertMayBeMade(): Promise<void> {
    const { locationOf } = await import("../../app/place/scope.ts");
    const { assertStoreOutside } = await import("../../app/store/outside-workspace.ts");
    const location = locationOf(place());
    if (location) assertStoreOutside(await storeAddress(), location.root);
  }

  return {
    flags,
    out,
    env,
    clock: systemClock,
    place,
    storeAddress,
    home: async () => {
      const { homeOfStore } = await import("../../store/open-raw-store.ts");
      return homeOfStore(await storeAddress(), env);
    },
    hasStore,
    findStore,
    openStore: async (options) => {
      const found = await findStore(options);
      if (!found) throw noStore(await storeAddress());
      return found;
    },
    openOrMakeStore: async (options = {}) => {
      if (opened === null && !(await hasStore())) await assertMayBeMade();
      return open(options);
    },
    close: async () => opened?.close(),
  };
}

export const noStore = (address: string): RefloatError => new RefloatError("E_NO_STORE", { path: address });

/** As git's -C: everything after it, relative paths too, means that directory. */
function enter(directory: string): void {
  try {
    process.chdir(directory);
  } catch (thrown) {
    throw usage(`-C ${directory}: ${ensureError(thrown).message.replace(/^(\w+: [^,]*).*$/s, "$1")}.`);
  }
}

function place(): string {
  try {
    return process.cwd();
  } catch (thrown) {
    throw new RefloatError(
      "E_USAGE",
      { why: "The directory this was started in is gone; give another with -C DIR." },
      thrown,
    );
  }
}

/** What is left beside a lost store counts too: opening then says that the store is missing, not that there is none. */
async function isThere(address: string): Promise<boolean> {
  const { isPostgres, storePath } = await import("../../store/open-raw-store.ts");
  if (isPostgres(address)) return true;
  const { markPath } = await import("../../store/sqlite/mark.ts");
  const path = storePath(address);
  return [path, `${path}-wal`, markPath(path)].some((file) => existsSync(file));
}
