/**
 * Whether a repository is to be left alone: nothing of it is recorded, captured or heard. Its own word is `"ignore": true` in refloat.json as
 * HEAD has it, never the uncommitted bytes (T2); the user's is the path of the repository, or of a folder above it, in the `ignore`
 * of his own config. A config that cannot be read leaves nothing alone: what is recorded too much can be forgotten.
 */
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { CONFIG_FILE } from "../../model/config.ts";
import { RefloatError } from "../../model/errors.ts";
import type { PathName } from "../../model/path-name.ts";
import { type Environment, placeInside } from "../../platform/places.ts";
import { lookAt } from "../files/read-path.ts";
import { readHead } from "../git/head.ts";
import { committedConfig, userConfig, userConfigPath } from "./config.ts";
import type { Workspace } from "./workspace.ts";

/** The config that says so, for people; null: none does. */
export async function leftAloneBy(workspace: Workspace, env: Environment): Promise<string | null> {
  try {
    if (isLeftByUser(workspace.root, env)) return userConfigPath(env);
    return (await isLeftByItself(workspace)) ? `${CONFIG_FILE} at HEAD` : null;
  } catch (thrown) {
    if (thrown instanceof RefloatError) return null;
    throw thrown;
  }
}

/** Throws E_LEFT_ALONE. */
export async function assertNotLeftAlone(
  workspace: Workspace,
  env: Environment,
  what: string,
): Promise<void> {
  const by = await leftAloneBy(workspace, env);
  if (by !== null) throw new RefloatError("E_LEFT_ALONE", { path: workspace.root, by, what });
}

function isLeftByUser(root: string, env: Environment): boolean {
  const { ignore } = userConfig(env);
  if (typeof ignore === "boolean") return ignore;
  return (ignore ?? []).some((entry) => {
    const path = entry.startsWith("~/") ? join(env.HOME ?? homedir(), entry.slice(2)) : entry;
    return isAbsolute(path) && placeInside(path, root) !== null;
  });
}

/** Looked for in the tree first: most repositories have none, and then git is not asked. */
async function isLeftByItself(workspace: Workspace): Promise<boolean> {
  if (workspace.kind === "folder" || lookAt(workspace.root, CONFIG_FILE as PathName) === null) return false;
  const repository = await workspace.repository();
  const { id } = await readHead(repository);
  return id !== null && (await committedConfig(repository, id)).ignore === true;
}
