/** The sessions of a database as transcripts that were found: each with its folder, for finding them meant looking inside. */
import { lstatSync } from "node:fs";
import type { Environment } from "../../platform/places.ts";
import type { DatabaseFormat, FoundTranscript } from "../words/adapter.ts";
import { sessionsInDatabase } from "./read-database.ts";

export function foundInDatabases(
  paths: readonly string[],
  format: DatabaseFormat,
  env: Environment,
): readonly FoundTranscript[] {
  return paths
    .flatMap((path): FoundTranscript[] => {
      const stat = lstatSync(path, { throwIfNoEntry: false });
      if (stat?.isFile() !== true) return [];
      return sessionsInDatabase(path, format, env).map(({ nativeId, cwd, at, began }) => ({
        path,
        nativeId,
        modifiedMs: at ?? stat.mtimeMs,
        bytes: stat.size,
        cwd,
        beganMs: began,
      }));
    })
    .toSorted((a, b) => b.modifiedMs - a.modifiedMs);
}
