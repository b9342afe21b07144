/** Opening a store by its address: a file (SQLite) or postgres://. Drivers are loaded when they are needed. */
import { resolve } from "node:path";
import { throwIfAborted, unlessAborted } from "../model/aborted.ts";
import { RefloatError } from "../model/errors.ts";
import type { SessionId } from "../model/ids.ts";
import { type Clock, systemClock } from "../platform/clock.ts";
import { type Environment, placeInside } from "../platform/places.ts";
import { isPostgres, storeAddress, storePath } from "../platform/store-address.ts";
import type { Driver } from "./contract/driver.ts";
import type { StoreKey } from "./contract/seal.ts";
import type { PostgresClient } from "./postgres/own-client.ts";
import { Store } from "./store.ts";
import { storeKeys } from "./store-keys.ts";

export interface OpenStoreOptions {
  /** The Postgres schema; `refloat` when left out. */
  readonly schema?: string;
  /** Postgres: connections of this process at most, where the address does not say; 2 when left out, 1 without a thread. */
  readonly connections?: number;
  /** The same by another name. */
  readonly maxConnections?: number;
  /** Postgres: a pool or client of yours to send statements by, pg's or postgres.js's; it is never ended here. Without an address it is the store. */
  readonly client?: PostgresClient;
  /** SQLite on a worker thread, so that a sync never stops the event loop. True when left out. */
  readonly thread?: boolean;
  readonly clock?: Clock;
  readonly capBytes?: number;
  /** Seals contents at rest: the first seals, all of them open; left out: those of the file that REFLOAT_KEY_FILE names (docs/encryption.md). */
  readonly keys?: readonly StoreKey[];
  /** A store inside this folder is refused: it would die with it. */
  readonly workspace?: string;
  /** Go on with a store whose log was cut off by something else (D7). */
  readonly acceptLoss?: boolean;
  readonly env?: Environment;
  /** Calls the opening off: a server that does not answer is waited for. */
  readonly signal?: AbortSignal;
  /** How long a file's lock is waited for before E_STORE_BUSY, without a thread; left out: LOCK_WAIT_MS. */
  readonly lockWaitMs?: number;
}

/** `url`: a path, file://, postgres://; left out: REFLOAT_STORE, else `refloat.db` in the store's home. */
export async function openRawStore(url?: string, options: OpenStoreOptions = {}): Promise<Store> {
  const clock = options.clock ?? systemClock;
  throwIfAborted(options.signal, "The opening of the store");
  const keys = storeKeys(options.keys, options.env ?? process.env);
  const address = url ?? addressOf(options);
  const opening = openDriver(address, options, clock);
  const driver = await unlessAborted(opening, options.signal, "The opening of the store").catch(
    (thrown: unknown) => {
      // Opened after all, by nobody who wants it.
      if (options.signal?.aborted) opening.then((late) => late.close()).catch(() => undefined);
      throw thrown;
    },
  );
  return new Store(driver, {
    clock,
    keys,
    ...(options.capBytes === undefined ? {} : { capBytes: options.capBytes }),
  });
}

/** Of a client of the caller's the address is only a name. */
const OWN_CLIENT = "postgres://client/";

/** Where a store is that no address was given for. */
export const addressOf = ({ client, env = process.env }: Pick<OpenStoreOptions, "client" | "env">): string =>
  client ? OWN_CLIENT : storeAddress(env);

/** Whether a session is of that store, lost or not: asked where it is not decided yet that it may be gone on with (D7). */
export async function knowsSession(url: string, session: SessionId): Promise<boolean> {
  if (!isPostgres(url)) {
    const { isKnownIn } = await import("./sqlite/open-engine.ts");
    return isKnownIn(storePath(url), session, systemClock);
  }
  const store = await openRawStore(url);
  try {
    return (await store.session(session)) !== null;
  } finally {
    await store.close();
  }
}

async function openDriver(url: string, options: OpenStoreOptions, clock: Clock): Promise<Driver> {
  if (isPostgres(url)) {
    const { DEFAULT_CONNECTIONS, openPostgresDriver } = await import("./postgres/driver.ts");
    const { schema, env, client, connections = options.maxConnections } = options;
    const driver = await openPostgresDriver({
      ...{ url, clock },
      ...(schema ? { schema } : {}),
      ...(env ? { env } : {}),
      ...(client ? { client } : {}),
      // Who works inline is a short command: it waits for nobody's commits, or looks for them now and then.
      connections: connections ?? (options.thread === false ? 1 : DEFAULT_CONNECTIONS),
    });
    return withContents(driver, url, env ?? process.env, clock);
  }
  const path = storePath(url);
  assertOutside(path, options.workspace);
  const acceptLoss = options.acceptLoss ?? false;
  if (options.thread ?? true) {
    const { openThreadDriver } = await import("./sqlite/thread-driver.ts");
    return openThreadDriver({ path, acceptLoss });
  }
  const { openSqliteDriver } = await import("./sqlite/driver.ts");
  const { lockWaitMs } = options;
  return openSqliteDriver({ path, acceptLoss, clock, ...(lockWaitMs === undefined ? {} : { lockWaitMs }) });
}

/** Off unless somebody says where (docs/decisions/0028); what signs requests is loaded only then. */
async function withContents(
  driver: Driver & { readonly storeId: string },
  url: string,
  env: Environment,
  clock: Clock,
): Promise<Driver> {
  const { postgresPlace } = await import("./postgres/server-address.ts");
  const { withBucket } = await import("./bucket/bucket-driver.ts");
  const { contents } = postgresPlace(url, { env });
  if (contents === null) return withBucket(driver, null, clock);
  try {
    const { bucketPlace } = await import("./bucket/bucket-address.ts");
    const { openBucket } = await import("./bucket/bucket.ts");
    return withBucket(driver, openBucket(bucketPlace(contents, env), clock), clock);
  } catch (thrown) {
    await driver.close();
    throw thrown;
  }
}

function assertOutside(path: string, workspace: string | undefined): void {
  if (workspace === undefined) return;
  if (placeInside(resolve(workspace), path) !== null)
    throw new RefloatError("E_STORE_IN_WORKSPACE", { path, workspace });
}
