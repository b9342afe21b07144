/** What is wrong with each config by itself: the one HEAD has, the user's own, and those that lie above state files. */
import { join } from "node:path";
import { CONFIG_FILE, type RefloatConfig } from "../model/config.ts";
import { ensureError, RefloatError } from "../model/errors.ts";
import type { Environment } from "../platform/places.ts";
import type { OnUnknownKey } from "../text/read-config-text.ts";
import { unknownKeyText } from "../text/unknown-key.ts";
import { createShapeReader } from "../workflow/read-config.ts";
import { readHead } from "../workspace/git/head.ts";
import { committedConfig, userConfig, userConfigPath } from "../workspace/opening/config.ts";
import type { Workspace } from "../workspace/opening/workspace.ts";
import type { ConfigFacts } from "./facts.ts";

export interface ConfigPlaces {
  readonly workspace: Workspace | null;
  readonly env: Environment;
  readonly stateFiles: readonly string[];
}

export async function configFacts({ workspace, env, stateFiles }: ConfigPlaces): Promise<ConfigFacts[]> {
  const own = await factsOf({ path: userConfigPath(env), isCommitted: false }, (onUnknownKey) =>
    userConfig(env, onUnknownKey),
  );
  const others = [own, ...brokenAbove(stateFiles)];
  if (workspace?.kind !== "git") return others;
  const path = join(workspace.root, CONFIG_FILE);
  const committed = await factsOf({ path, isCommitted: true }, async (onUnknownKey) => {
    const repository = await workspace.repository();
    const { id } = await readHead(repository);
    return id === null ? {} : committedConfig(repository, id, onUnknownKey);
  });
  return [committed, ...others];
}

async function factsOf(
  about: Pick<ConfigFacts, "path" | "isCommitted">,
  read: (onUnknownKey: OnUnknownKey) => RefloatConfig | Promise<RefloatConfig>,
): Promise<ConfigFacts> {
  const unknownKeys: string[] = [];
  try {
    await read((key) => unknownKeys.push(unknownKeyText(key)));
    return { ...about, problem: null, unknownKeys };
  } catch (thrown) {
    if (!(thrown instanceof RefloatError))
      return {
        ...about,
        problem: `${about.path} cannot be read: ${ensureError(thrown).message}.`,
        unknownKeys,
      };
    // A repository that cannot be read has its own findings.
    return { ...about, problem: thrown.code === "E_BAD_CONFIG" ? thrown.message : null, unknownKeys };
  }
}

/** The steps of a state file come from the config as it lies there; without it nothing is said of the file. */
function brokenAbove(stateFiles: readonly string[]): ConfigFacts[] {
  const broken = new Map<string, ConfigFacts>();
  const shapeFor = createShapeReader();
  for (const file of stateFiles) {
    const bad = badConfigOf(() => shapeFor(file));
    if (!bad) continue;
    const path = String(bad.data.path);
    broken.set(path, { path, isCommitted: false, problem: bad.message, unknownKeys: [] });
  }
  return [...broken.values()];
}

/** Null: nothing was thrown. Throws what has nothing to do with a config. */
function badConfigOf(read: () => unknown): RefloatError | null {
  try {
    read();
    return null;
  } catch (thrown) {
    if (thrown instanceof RefloatError && thrown.code === "E_BAD_CONFIG") return thrown;
    throw thrown;
  }
}

/** Whether the steps of a state file can be told: its config can be used. */
export const isConfigured = (stateFile: string): boolean =>
  badConfigOf(() => createShapeReader()(stateFile)) === null;
