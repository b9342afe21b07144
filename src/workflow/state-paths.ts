/** Where a state file and what belongs to it lie. Reading only. */
import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, extname, join, resolve } from "node:path";
import { errnoOf } from "../platform/io-error.ts";
import { HANDOFF_FILE, STATE_FILE } from "./definition.ts";

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

/** What lies in folders, each listed once: a step may name dozens of artifacts. */
export interface FolderNames {
  /** Everything in a folder. */
  list(folder: string): ReadonlySet<string>;
  /** Whether one name is there: from the listing where there is one, else by one look, which is cheaper than a listing. */
  has(folder: string, name: string): boolean;
  /** The same for a path below a folder that many files share: looked at once. */
  hasBelow(folder: string, path: string): boolean;
}

const NOTHING: ReadonlySet<string> = new Set();
/** A folder that is not there or may not be listed shows nothing; whoever then reads a file in it gets the real error. */
const SHOWS_NOTHING: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR", "EACCES", "EPERM"]);

export function createFolderNames(): FolderNames {
  const listed = new Map<string, ReadonlySet<string>>();
  const looked = new Map<string, boolean>();
  const listOnce = (folder: string): ReadonlySet<string> => {
    const seen = listed.get(folder);
    if (seen) return seen;
    const names = list(folder);
    listed.set(folder, names);
    return names;
  };
  return {
    list: listOnce,
    has: (folder, name) => listed.get(folder)?.has(name) ?? existsSync(`${folder}/${name}`),
    hasBelow: (folder, path) => {
      const whole = resolve(folder, path);
      const seen = looked.get(whole);
      if (seen !== undefined) return seen;
      const isThere = existsSync(whole);
      looked.set(whole, isThere);
      return isThere;
    },
  };
}

function list(folder: string): ReadonlySet<string> {
  try {
    return new Set(readdirSync(folder));
  } catch (thrown) {
    const code = errnoOf(thrown);
    if (code !== null && SHOWS_NOTHING.has(code)) return NOTHING;
    throw thrown;
  }
}
