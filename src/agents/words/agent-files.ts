/** Looking for transcripts in an agent's own folders: bounded, and never through a link out of them. */
import { type Dirent, lstatSync, readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { type JsonObject, parsedOrNull } from "../../model/json.ts";
import { errnoOf } from "../../platform/io-error.ts";
import type { Environment } from "../../platform/places.ts";
import type { AgentHome, FoundTranscript } from "./adapter.ts";

/** Where the user's agents keep their files. */
export const agentHome = (env: Environment): AgentHome => ({ home: env.HOME ?? homedir(), env });

import { objectOf } from "./fields.ts";

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
  readonly child?: NonNullable<FoundTranscript["child"]>;
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
    .flatMap((named): FoundTranscript[] => {
      const stat = lstatSync(named.path, { throwIfNoEntry: false });
      return stat?.isFile() ? [{ ...named, modifiedMs: stat.mtimeMs, bytes: stat.size }] : [];
    })
    .toSorted((a, b) => b.modifiedMs - a.modifiedMs);
}

/** The last words of a path of any system: nothing of another machine's path is used but names. */
export const namesOf = (path: string): readonly string[] => path.split(/[/\\]/);

/** Whoever wrote it there may have named it otherwise. */
export const NAMED_OTHERWISE = {
  kind: "nowhere",
  why: "would not find it by the name it had",
} as const;

/** A mark or a note beside a transcript is a few hundred bytes. */
const MAX_NOTE_BYTES = 64 * 1024;

/** A small JSON file the agent keeps beside its transcripts; null: there is none, or it is no such thing. */
export function noteIn(path: string): JsonObject | null {
  try {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined || !stat.isFile() || stat.size > MAX_NOTE_BYTES) return null;
    return objectOf(parsedOrNull(readFileSync(path, "utf8")));
  } catch (thrown) {
    if (errnoOf(thrown) === null) throw thrown;
    return null;
  }
}
