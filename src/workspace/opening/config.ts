/**
 * The config that counts: `refloat.json` as a commit has it, never the uncommitted bytes (T2), and the user's own file
 * over it. Lists are joined, everything else is the user's where both say something.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CONFIG_FILE, type RefloatConfig } from "../../model/config.ts";
import { RefloatError } from "../../model/errors.ts";
import type { PathName } from "../../model/path-name.ts";
import { errnoOf } from "../../platform/io-error.ts";
import { configHome, type Environment } from "../../platform/places.ts";
import { type OnUnknownKey, readConfigText } from "../../text/read-config-text.ts";
import { readHead } from "../git/head.ts";
import { objectsAt, readBlobs } from "../git/objects.ts";
import type { Repository } from "../git/repository.ts";
import type { Workspace } from "./workspace.ts";

/** A config larger than this is no config. */
const MAX_CONFIG_BYTES = 1024 * 1024;
const TOP_CONFIG = CONFIG_FILE as PathName;

/** `commit`: HEAD, or for judging the one at the session's begin (T2). Null: no commit, or no git. Throws E_BAD_CONFIG. */
export async function readConfig(
  repository: Repository | null,
  commit: string | null,
  env: Environment,
  onUnknownKey?: OnUnknownKey,
): Promise<RefloatConfig> {
  const committed =
    repository && commit !== null ? await committedConfig(repository, commit, onUnknownKey) : {};
  return mergeConfigs(committed, userConfig(env, onUnknownKey));
}

/** What counts in a workspace now: HEAD's, with the user's own over it. Throws E_BAD_CONFIG. */
export async function headConfig(
  workspace: Workspace,
  env: Environment,
  onUnknownKey?: OnUnknownKey,
): Promise<RefloatConfig> {
  if (workspace.kind === "folder") return userConfig(env, onUnknownKey);
  const repository = await workspace.repository();
  return readConfig(repository, (await readHead(repository)).id, env, onUnknownKey);
}

/** `refloat.json` of a commit alone. Throws E_BAD_CONFIG. */
export async function committedConfig(
  repository: Repository,
  commit: string,
  onUnknownKey?: OnUnknownKey,
): Promise<RefloatConfig> {
  const object = (await objectsAt(repository, commit, [TOP_CONFIG])).get(TOP_CONFIG);
  if (!object) return {};
  const [blob] = await readBlobs(repository, [{ id: object.id }]);
  return blob ? configOf(blob, `${CONFIG_FILE} at ${commit.slice(0, 12)}`, onUnknownKey) : {};
}

export const userConfigPath = (env: Environment): string => join(configHome(env), "config.json");

export function userConfig(env: Environment, onUnknownKey?: OnUnknownKey): RefloatConfig {
  const path = userConfigPath(env);
  try {
    return configOf(readFileSync(path), path, onUnknownKey);
  } catch (thrown) {
    if (errnoOf(thrown) === "ENOENT" || errnoOf(thrown) === "ENOTDIR") return {};
    throw thrown;
  }
}

function configOf(bytes: Uint8Array, path: string, onUnknownKey?: OnUnknownKey): RefloatConfig {
  if (bytes.byteLength > MAX_CONFIG_BYTES)
    throw new RefloatError("E_BAD_CONFIG", { path, line: 1, column: 1, why: "it is larger than a mebibyte" });
  return readConfigText(Buffer.from(bytes).toString("utf8"), path, onUnknownKey);
}

/** Pure. */
export function mergeConfigs(committed: RefloatConfig, own: RefloatConfig): RefloatConfig {
  const merged: Record<string, unknown> = { ...committed };
  for (const [key, value] of Object.entries(own)) {
    const other = merged[key];
    merged[key] =
      Array.isArray(value) && Array.isArray(other)
        ? [...new Set([...other, ...value])]
        : isPlain(value) && isPlain(other)
          ? { ...other, ...value }
          : value;
  }
  return merged as RefloatConfig;
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
