/** Looking for transcripts in an agent's own folders: bounded, and never through a link out of them. */
import { type Dirent, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { errnoOf } from "../../platform/io-error.ts";
import type { FoundTranscript } from "./adapter.ts";

/** Names of one folder that are looked at: years of sessions in one project. */
const MAX_NAMES = 20_000;

/** What lies in a folder, by name; nothing where it cannot be read: an agent that is not there left nothing. */
export function namesIn(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).slice(0, MAX_NAMES);
  } catch (thrown) {
    if (errnoOf(thrown) === null) throw thrown;
    return [];
  }
}

export const foldersIn = (folder: string): readonly string[] =>
  namesIn(folder).flatMap((one) => (one.isDirectory() ? [join(folder, one.name)] : []));

export interface NamedTranscript {
  readonly path: string;
  readonly nativeId: string | null;
}

/** Files (no links) of a folder that the agent names in its way, with the id their name tells. */
export const filesIn = (
  folder: string,
  idOf: (name: string) => { readonly nativeId: string | null } | null,
): readonly NamedTranscript[] =>
  namesIn(folder).flatMap((one) => {
    const named = one.isFile() ? idOf(one.name) : null;
    return named === null ? [] : [{ path: join(folder, one.name), nativeId: named.nativeId }];
  });

/** Newest first; one that went away meanwhile is not there. */
export function newestFirst(found: readonly NamedTranscript[]): readonly FoundTranscript[] {
  return found
    .flatMap(({ path, nativeId }): FoundTranscript[] => {
      const stat = lstatSync(path, { throwIfNoEntry: false });
      return stat?.isFile() ? [{ path, nativeId, modifiedMs: stat.mtimeMs, bytes: stat.size }] : [];
    })
    .toSorted((a, b) => b.modifiedMs - a.modifiedMs);
}
