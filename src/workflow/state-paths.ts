/** Where a state file and what belongs to it lie. Reading only. */
import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, extname, join, resolve } from "node:path";
import { HANDOFF_FILE, STATE_FILE } from "./definition.ts";
import type { FolderNames } from "./folder-names.ts";

/** Copies of earlier versions: `.bak` is the newest, then `.bak.1`, `.bak.2`. Three changes back is what a person remembers. */
export const BACKUP_SUFFIXES = [".bak", ".bak.1", ".bak.2"] as const;
/** Where projects keep their outputs, one folder each. */
const OUTPUT_FOLDER = "agent-output";
/** Folders above the file in which a path it names may begin: the root of a repository is rarely deeper. */
export const MAX_LEVELS_UP = 8;

/** Looking for one name costs about a fifth of listing a folder. */
const LOOKS_BEFORE_LISTING = 5;

/** A folder stands for the state file in it; a path without `.json` is one, also where it is not there. */
export function stateFileAt(path: string): string {
  const isFolder = existsSync(path) ? statSync(path).isDirectory() : extname(path) !== ".json";
  return isFolder ? join(path, STATE_FILE) : path;
}

/** `00-handoff.md` beside the file; a file with a prefix of its own has a companion with that prefix. */
export function handoffOf(file: string): string {
  const name = basename(file);
  const companion = name.endsWith(STATE_FILE)
    ? name.slice(0, -STATE_FILE.length) + HANDOFF_FILE
    : HANDOFF_FILE;
  return `${dirname(file)}/${companion}`;
}

/** The state files somebody in this folder means when none is named. */
export function findStateFiles(folder: string): readonly string[] {
  const here = join(folder, STATE_FILE);
  return existsSync(here) ? [here] : inOutputs(folder).filter((path) => existsSync(path));
}

/** One for each project, whether it is there or not. */
export function inOutputs(folder: string): readonly string[] {
  const outputs = join(folder, OUTPUT_FOLDER);
  if (!existsSync(outputs)) return [];
  return readdirSync(outputs)
    .sort()
    .map((name) => join(outputs, name, STATE_FILE));
}

/** Whether a file of this name is a state file that somebody in this folder would mean. */
export function isMeantIn(folder: string, file: string): boolean {
  const home = dirname(file);
  return basename(file) === STATE_FILE && (home === folder || dirname(home) === join(folder, OUTPUT_FOLDER));
}

/**
 * Whether artifacts exist. They are named relative to the file's folder or to one above it; a pattern is not looked up.
 */
export function artifactLookup(file: string, names: FolderNames): (path: string) => boolean {
  const folder = dirname(file);
  let looks = 0;
  return (path) => {
    if (path === "" || path.includes("*") || path.includes("{")) return true;
    if (path.includes("/")) return existsAtOrAbove(folder, path, names);
    return looks++ < LOOKS_BEFORE_LISTING ? names.has(folder, path) : names.list(folder).has(path);
  };
}

/** What a path begins with is looked for first: above the file it is the same for all that lie beside it. */
function existsAtOrAbove(folder: string, path: string, names: FolderNames): boolean {
  const first = path.slice(0, path.indexOf("/")) || "/";
  let level = folder;
  for (let up = 0; up <= MAX_LEVELS_UP; up++) {
    if (names.hasBelow(level, first) && existsSync(resolve(level, path))) return true;
    if (dirname(level) === level) return false;
    level = dirname(level);
  }
  return false;
}
