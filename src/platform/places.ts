/** Where things live, by the environment and the customs of the platform. Paths are absolute: children start elsewhere. */
import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";

export type Environment = Readonly<Record<string, string | undefined>>;

/** The folder of the store: outside every workspace, so that it survives the loss of one. */
export function storeHome(env: Environment, platform: NodeJS.Platform = process.platform): string {
  if (env.REFLOAT_HOME) return resolve(env.REFLOAT_HOME);
  const state = absolute(env.XDG_STATE_HOME);
  if (state !== null) return join(state, "refloat");
  if (platform === "darwin") return join(home(env), "Library", "Application Support", "refloat");
  return join(home(env), ".local", "state", "refloat");
}

/** The folder of the user's own `config.json`. */
export function configHome(env: Environment): string {
  return join(absolute(env.XDG_CONFIG_HOME) ?? join(home(env), ".config"), "refloat");
}

/** The XDG rules say that a relative path there is to be ignored. */
function absolute(path: string | undefined): string | null {
  return path !== undefined && isAbsolute(path) ? path : null;
}

function home(env: Environment): string {
  return absolute(env.HOME) ?? homedir();
}
