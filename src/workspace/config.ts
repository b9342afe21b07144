/**
 * The config that counts: `refloat.json` as a commit has it, never the uncommitted bytes (T2), and the user's own file
 * over it. Lists are joined, everything else is the user's where both say something.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CONFIG_FILE, type RefloatConfig } from "../model/config.ts";
import { RefloatError } from "../model/errors.ts";
import type { PathName } from "../model/path-name.ts";
import { errnoOf } from "../platform/io-error.ts";
import { configHome, type Environment } from "../platform/places.ts";
import { readConfigText } from "../text/read-config-text.ts";
import { objectsAt, readBlobs } from "./git/objects.ts";
import type { Repository } from "./git/repository.ts";

/** A config larger than this is no config. */
const MAX_CONFIG_BYTES = 1024 * 1024;
const TOP_CONFIG = CONFIG_FILE as PathName;

/** `commit`: HEAD, or for judging the one at the session's begin (T2). Null: no commit, or no git. Throws E_BAD_CONFIG. */
export async function readConfig(
  repository: Repository | null,
  commit: string | null,
  env: Environment,
): Promise<RefloatConfig> {
  const committed = repository && commit !== null ? await committedConfig(repository, commit) : {};
  return mergeConfigs(committed, userConfig(env));
}

async function committedConfig(repository: Repository, commit: string): Promise<RefloatConfig> {
  const object = (await objectsAt(repository, commit, [TOP_CONFIG])).get(TOP_CONFIG);
  if (!object) return {};
  const [blob] = await readBlobs(repository, [{ id: object.id }]);
  return blob ? configOf(blob, `${CONFIG_FILE} at ${commit.slice(0, 12)}`) : {};
}

export function userConfig(env: Environment): RefloatConfig {
  const path = join(configHome(env), "config.json");
  try {
    return configOf(readFileSync(path), path);
  } catch (thrown) {
    if (errnoOf(thrown) === "ENOENT" || errnoOf(thrown) === "ENOTDIR") return {};
    throw thrown;
  }
}

function configOf(bytes: Uint8Array, path: string): RefloatConfig {
  if (bytes.byteLength > MAX_CONFIG_BYTES)
    throw new RefloatError("E_BAD_CONFIG", { path, line: 1, column: 1, why: "it is larger than a mebibyte" });
  return readConfigText(Buffer.from(bytes).toString("utf8"), path);
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
