/**
 * HEAD with a group laid upon it: what a commit of the group would be. References are followed in it, so a name that
 * only stands in somebody else's uncommitted work does not count.
 */
import type { PathName } from "../../../model/path-name.ts";
import type { Analysis } from "../../facts/known/analysis.ts";
import type { FileFacts } from "../../facts/known/file-facts.ts";
import type { AnalysisCache } from "../../facts/known/kept.ts";
import type { HeadTree } from "../../facts/known/triage-facts.ts";
import { analyseOnce } from "../../facts/look-into.ts";
import { folderOfPath, isAliasing, nameOfPath } from "../../facts/manifests/manifest-kinds.ts";
import type { GroupMember } from "../../facts/member.ts";

export interface HeadSources {
  readonly paths: ReadonlySet<string>;
  readonly folders: ReadonlySet<string>;
  /** Configurations by which sources are imported under other names (manifests/aliases.ts). */
  readonly configs: readonly string[];
  /** Paths by their name without its ending; of a folder's entry by the folder's, too. */
  readonly names: ReadonlyMap<string, readonly string[]>;
  /** Paths by the folder they lie in. */
  readonly byFolder: ReadonlyMap<string, readonly string[]>;
  factsOf(path: string): Promise<FileFacts | null>;
  mentioning(words: readonly string[], endings?: readonly string[]): Promise<readonly PathName[] | null>;
}

/** Unchanged files looked at to follow references; more means something everybody names, and is not followed. */
const MAX_LOOKED_AT = 5000;

export async function loadHeadFiles(
  head: HeadTree,
  analysis: Analysis,
  cache: AnalysisCache,
): Promise<HeadSources> {
  const paths = new Set<string>(await head.list());
  const known = new Map<string, Promise<FileFacts | null>>();
  const read = async (path: string): Promise<FileFacts | null> => {
    const bytes = await head.read(path as PathName);
    return bytes ? analyseOnce(path, bytes, analysis, cache) : null;
  };
  let folders: Set<string> | null = null;
  let configs: string[] | null = null;
  let names: Map<string, string[]> | null = null;
  let byFolder: Map<string, string[]> | null = null;
  return {
    paths,
    get configs() {
      configs ??= [...paths].filter(isConfig);
      return configs;
    },
    get names() {
      names ??= namesOf(paths);
      return names;
    },
    get byFolder() {
      byFolder ??= byFolderOf(paths);
      return byFolder;
    },
    get folders() {
      folders ??= foldersOf(paths);
      return folders;
    },
    async factsOf(path) {
      if (!paths.has(path)) return null;
      let facts = known.get(path);
      if (!facts) {
        if (known.size >= MAX_LOOKED_AT) return null;
        facts = read(path);
        known.set(path, facts);
      }
      return facts;
    },
    mentioning: (words, endings) => head.mentioning(words, endings),
  };
}

const isConfig = (path: string): boolean =>
  path.endsWith(".json") && isAliasing(path) && !/(?:^|\/)node_modules\//.test(path);

function namesOf(paths: Iterable<string>): Map<string, string[]> {
  const names = new Map<string, string[]>();
  const add = (name: string, path: string): void => {
    const known = names.get(name);
    if (known) known.push(path);
    else names.set(name, [path]);
  };
  for (const path of paths) {
    const name = nameOfPath(path);
    const stem = name.replace(/(?:\.d)?\.[^.]+$/, "");
    add(stem, path);
    if (stem !== name) add(name, path);
    if (stem === "index") add(nameOfPath(folderOfPath(path)), path);
  }
  return names;
}

function byFolderOf(paths: Iterable<string>): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const path of paths) {
    const known = found.get(folderOfPath(path));
    if (known) known.push(path);
    else found.set(folderOfPath(path), [path]);
  }
  return found;
}

function foldersOf(paths: ReadonlySet<string>): Set<string> {
  const folders = new Set<string>([""]);
  for (const path of paths)
    for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) {
      const folder = path.slice(0, at);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  return folders;
}

export interface GroupTree {
  has(path: string): boolean;
  hasFolder(path: string): boolean;
  /** Configurations by which sources are imported under other names. */
  configs(): readonly string[];
  /** Paths of this name, without its ending or with it, or in a folder of this name whose entry they are. */
  byName(name: string): readonly string[];
  /** Files that lie in a folder itself. */
  filesIn(folder: string): readonly string[];
  /** Files whose names end so, in a folder and below it. */
  filesBelow(folder: string, ending: string): readonly string[];
  factsOf(path: string): Promise<FileFacts | null>;
}

/** An empty list of members: HEAD as it is. */
export function groupTree(head: HeadSources, members: readonly GroupMember[]): GroupTree {
  const laid = new Map<string, GroupMember | null>();
  for (const member of members) {
    if (member.change.fromPath !== undefined) laid.set(member.change.fromPath, null);
    laid.set(member.path, member.change.to === null ? null : member);
    for (const inner of member.change.members) laid.set(inner.path, inner.to === null ? null : member);
  }
  let own: Set<string> | null = null;
  let ownNames: Map<string, string[]> | null = null;
  const came = (): string[] => [...laid].flatMap(([at, member]) => (member ? [at] : []));
  const has = (path: string): boolean => (laid.has(path) ? laid.get(path) !== null : head.paths.has(path));
  return {
    has,
    hasFolder(path) {
      own ??= foldersOf(new Set(came()));
      return head.folders.has(path) || own.has(path);
    },
    configs: () => [...new Set([...head.configs, ...came().filter(isConfig)])].filter(has),
    byName(name) {
      ownNames ??= namesOf(came());
      return [...new Set([...(head.names.get(name) ?? []), ...(ownNames.get(name) ?? [])])].filter(has);
    },
    filesIn(folder) {
      const fresh = came().filter((path) => folderOfPath(path) === folder);
      return [...new Set([...(head.byFolder.get(folder) ?? []), ...fresh])].filter(has);
    },
    filesBelow: (folder, ending) =>
      [...new Set([...head.paths, ...came()])].filter(
        (path) => path.endsWith(ending) && (folder === "" || path.startsWith(`${folder}/`)) && has(path),
      ),
    async factsOf(path) {
      const member = laid.get(path);
      if (member === undefined) return head.factsOf(path);
      return member?.path === path ? member.after : null;
    },
  };
}

const plain = new WeakMap<HeadSources, GroupTree>();

/** HEAD as it is, once: what is found out about its configurations is kept by tree. */
export function headTree(head: HeadSources): GroupTree {
  const known = plain.get(head) ?? groupTree(head, []);
  plain.set(head, known);
  return known;
}
