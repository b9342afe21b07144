/**
 * Files of the package itself, told by their place under its root. This is the one place (but for the program's own
 * version in cli/bin.ts) that asks where the code lies: a bundle moves modules, so what a module says of its own folder is
 * true of the sources only (`test/layers.test.ts` checks that nobody else asks).
 */
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { RefloatError } from "../model/errors.ts";

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

export function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(builtFile("package.json"), "utf8")) as { version: string };
  return version;
}

/** Loads and finds what was installed beside us and is no part of a bundle: native code, grammars. */
export const requireInstalled = createRequire(import.meta.url);
