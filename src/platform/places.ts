/**
 * Where things live, by the environment and the customs of the platform: our folders, programs, a path in a
 * folder. Paths are absolute: children start elsewhere.
 */
import { accessSync, constants, statSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, isAbsolute, join, relative, resolve, sep } from "node:path";
import { errnoOf } from "./io-error.ts";

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

// Where a path lies in a folder, by its text alone: no link is followed, and a name may begin with two dots. Pure.

/** Null: it lies elsewhere. Empty: it is the folder itself. */
export function placeInside(folder: string, path: string): string | null {
  const inside = relative(folder, path);
  const isElsewhere = inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside);
  return isElsewhere ? null : inside;
}

/** What a shell would start for a word: by its path, or by the folders of PATH. */
type FoundProgram =
  | { readonly kind: "found"; readonly path: string }
  | { readonly kind: "not-found" }
  /** Something has that name, and it is not a program we may start. */
  | { readonly kind: "not-executable"; readonly path: string; readonly why: string };

/** Where PATH is not set at all, as execvp looks then. */
const DEFAULT_PATH = "/bin:/usr/bin";

export function findProgram(word: string, cwd: string, env: Environment): FoundProgram {
  if (word === "") return { kind: "not-found" };
  if (word.includes("/")) return look(resolve(cwd, word));
  let refused: FoundProgram | null = null;
  for (const folder of (env.PATH ?? DEFAULT_PATH).split(delimiter)) {
    const found = look(join(resolve(cwd, folder), word));
    if (found.kind === "found") return found;
    // A folder of that name in PATH is passed over, as a shell does; a file that may not be run is remembered.
    if (found.kind === "not-executable" && found.why !== A_FOLDER) refused ??= found;
  }
  return refused ?? { kind: "not-found" };
}

const A_FOLDER = "it is a folder";

function look(path: string): FoundProgram {
  try {
    if (statSync(path).isDirectory()) return { kind: "not-executable", path, why: A_FOLDER };
    accessSync(path, constants.X_OK);
    return { kind: "found", path };
  } catch (thrown) {
    const code = errnoOf(thrown);
    if (code === "EACCES" || code === "EPERM")
      return { kind: "not-executable", path, why: "it may not be executed" };
    // ENOENT, ENOTDIR, ELOOP, ENAMETOOLONG: nothing there that could be started.
    if (code !== null) return { kind: "not-found" };
    throw thrown;
  }
}
