/**
 * Files of the package itself, told by their place under its root, and which build they are. This is the one place
 * (but for the program's own version in cli/bin.ts) that asks where the code lies: a bundle moves modules, so what
 * a module says of its own folder is true of the sources only (`test/layers.test.ts` checks that nobody else
 * asks).
 */
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { RefloatError } from "../model/errors.ts";
import { randomId } from "./random.ts";

/** The folder that holds package.json: dist/ once built, with every built file at the place its source has in src/. */
function packageRoot(): URL {
  for (let folder = new URL("./", import.meta.url); ; folder = new URL("../", folder)) {
    if (existsSync(new URL("package.json", folder))) return folder;
    if (folder.pathname === "/")
      throw new RefloatError("E_INTERNAL", { why: `there is no package.json above ${import.meta.url}` });
  }
}

/** A built file, for a thread or a process of its own: `builtFile("store/sqlite/worker.js")`. */
export const builtFile = (path: string): URL => new URL(path, packageRoot());

/** Its text; null: nobody built it. */
export function builtText(path: string): string | null {
  const file = builtFile(path);
  return existsSync(file) ? readFileSync(file, "utf8") : null;
}

export function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(builtFile("package.json"), "utf8")) as { version: string };
  return version;
}

/** Loads and finds what was installed beside us and is no part of a bundle: native code, grammars. */
export const requireInstalled = createRequire(import.meta.url);

/**
 * A package of native code whose parts that are used the build has copied to `copy` (scripts/carry-sqlite.mjs). The one installed
 * beside us comes first where it is the very same version: an application that has it, too, would else have two copies of one
 * SQLite in its process, and what the one closes takes the other's locks away. Sources that nobody built have no copy.
 */
export function requireCarried(name: string, copy: string): unknown {
  const own = fileURLToPath(builtFile(copy));
  if (!existsSync(own)) return requireInstalled(name);
  const isSame = versionOf(name) === versionOf(own);
  return requireInstalled(isSame ? name : own);
}

/** Null: there is none, or none that says. */
function versionOf(name: string): string | null {
  try {
    return (requireInstalled(`${name}/package.json`) as { version: string }).version;
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === "MODULE_NOT_FOUND" || code === "ERR_PACKAGE_PATH_NOT_EXPORTED") return null;
    throw thrown;
  }
}

/**
 * Which build of the program this is: another after every change of its code, whether or not anybody raised a number (scripts/build.mjs takes
 * the hash of what it made). Sources that nobody built are no build: one of its own for every process.
 */
export function programBuild(): string {
  const { build } = JSON.parse(readFileSync(builtFile("package.json"), "utf8")) as { build?: string };
  return build === undefined ? randomId() : `${build}-${process.version}`;
}
