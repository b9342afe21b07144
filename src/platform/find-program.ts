/** What a shell would start for a word: by its path, or by the folders of PATH. */
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { errnoOf } from "./io-error.ts";
import type { Environment } from "./places.ts";

export type FoundProgram =
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
