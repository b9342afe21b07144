/** Where a store is, by its address and by the environment: asked by who may never open one, so nothing else is loaded with it. */
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { RefloatError } from "../model/errors.ts";
import { type Environment, storeHome } from "./places.ts";

export function storeAddress(env: Environment): string {
  return env.REFLOAT_STORE || join(storeHome(env), "refloat.db");
}

export const isPostgres = (url: string): boolean => /^postgres(ql)?:\/\//.test(url);

/**
 * The folder that run folders, scratch trees and handoff files lie in: beside the store's file, wherever the one who
 * named it stands; for a server the user's own. Everybody who writes or looks there asks here.
 */
export const homeOfStore = (address: string, env: Environment): string =>
  isPostgres(address) ? storeHome(env) : dirname(storePath(address));

/** The file a SQLite address means. */
export function storePath(url: string): string {
  if (url === "") throw new RefloatError("E_BAD_STORE_URL", { url: "(empty)" });
  if (url.startsWith("file://")) return fileURLToPath(url);
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(url)) throw new RefloatError("E_BAD_STORE_URL", { url });
  return resolve(url.startsWith("~/") ? join(homedir(), url.slice(2)) : url);
}

/** The file beside a SQLite store that names a record which was there (D7). */
export const markPath = (dbPath: string): string => `${dbPath}-mark`;
