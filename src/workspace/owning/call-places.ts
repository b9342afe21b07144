/**
 * Where the names of a call lead. An agent names files from the folder it was started in, which may be one below the workspace's top and may
 * have had another name then: a link, a place the workspace was moved from. Pure.
 */
import { resolve } from "node:path";
import type { PathName } from "../../model/path-name.ts";
import type { KeptEdit } from "../../model/recorded-edit.ts";
import { placeInside } from "../../platform/places.ts";
import { mentions, placedAt, writesTo } from "./named-paths.ts";
import type { CallHearsay, FoundState, TrackedCall } from "./track.ts";

/** Where an agent says that it was started. */
export interface AgentFolder {
  readonly nativeId: string;
  readonly cwd: string | null;
  /** The same folder in the workspace; null: nobody looked. */
  readonly inside: string | null;
}

export interface CallDraft {
  readonly call: Omit<TrackedCall, "paths" | "heard">;
  /** Files it names, as it names them. */
  readonly named: readonly string[];
  readonly heard: HearsayDraft | null;
}

export interface HearsayDraft {
  readonly command: string | null;
  readonly isDone: boolean;
  readonly wrote: readonly {
    readonly path: string;
    readonly hash: string;
    readonly ends_lost?: boolean | undefined;
  }[];
  readonly found: readonly {
    readonly path: string;
    readonly hash: string | null;
    readonly ends_lost?: boolean | undefined;
  }[];
  readonly edits: readonly KeptEdit[];
}

interface CallPlaces {
  readonly root: string;
  /** The session's folder, as its first record has it. */
  readonly place: string;
  readonly folders: ReadonlyMap<string, AgentFolder>;
}

export function placedCall(places: CallPlaces, { call, named, heard }: CallDraft): TrackedCall {
  const from = folderOf(places, call.id, heard !== null);
  const place = (text: string): readonly PathName[] => {
    const path = placedAt(places.root, moved(resolve(from.folder, text), from));
    return path === null ? [] : [path];
  };
  const paths = [...new Set(named.flatMap(place))];
  return { ...call, paths, ...(heard ? { heard: hearsay(heard, place, from.below) } : {}) };
}

interface FolderHere {
  /** What relative names are relative to. */
  readonly folder: string;
  /** The same below the workspace's top; empty: that itself. */
  readonly below: string;
  /** What the workspace's top was called then, and is called now. */
  readonly top: readonly [then: string, now: string] | null;
}

function folderOf({ root, place, folders }: CallPlaces, call: string, isHeard: boolean): FolderHere {
  const told = isHeard
    ? [...folders.values()].findLast(
        ({ nativeId, cwd }) => cwd !== null && call.startsWith(`call:${nativeId.slice(0, 8)}:`),
      )
    : undefined;
  const inside = told ? (told.inside ?? placeInside(root, told.cwd ?? "")) : null;
  if (!told || inside === null) return { folder: place, below: placeInside(root, place) ?? "", top: null };
  const then = topOf(told.cwd ?? "", inside);
  return {
    folder: resolve(root, inside),
    below: inside,
    top: then === null || then === root ? null : [then, root],
  };
}

/** Null: the folder it tells of does not end as the one here does. */
function topOf(cwd: string, inside: string): string | null {
  if (inside === "") return cwd;
  return cwd.endsWith(`/${inside}`) ? cwd.slice(0, -inside.length - 1) : null;
}

function moved(path: string, { top }: FolderHere): string {
  if (top === null) return path;
  const inside = placeInside(top[0], path);
  return inside === null ? path : resolve(top[1], inside);
}

const COMMITS = /\bgit\b[^\n;|&]*\scommit\b/;

function hearsay(
  { command, isDone, wrote, found, edits }: HearsayDraft,
  place: (text: string) => readonly PathName[],
  below: string,
): CallHearsay {
  const byPath = new Map<PathName, KeptEdit[]>();
  const put = (text: string, edit: KeptEdit): void => {
    for (const path of place(text)) byPath.set(path, [...(byPath.get(path) ?? []), edit]);
  };
  for (const edit of edits) {
    put(edit.path, edit);
    // What came there is another file's text.
    if (edit.kind === "move") put(edit.to, { kind: "unknown", path: edit.to });
  }
  const hashes = (isLost: boolean): ReadonlyMap<PathName, string> =>
    new Map(
      wrote
        .filter(({ ends_lost }) => (ends_lost === true) === isLost)
        .flatMap(({ path, hash }) => place(path).map((name) => [name, hash] as const)),
    );
  const state = (hash: string | null, ends_lost: boolean | undefined): FoundState => ({
    hash,
    areLineEndsLost: ends_lost === true,
  });
  return {
    mentions: (path) => command !== null && mentions(command, path, below),
    writes: (path) => byPath.has(path) || (command !== null && writesTo(command, path, below)),
    wrote: hashes(false),
    leftPlain: hashes(true),
    found: new Map(
      found.flatMap(({ path, hash, ends_lost }) =>
        place(path).map((name) => [name, state(hash, ends_lost)] as const),
      ),
    ),
    commits: command !== null && COMMITS.test(command),
    isDone,
    edits: byPath,
  };
}
