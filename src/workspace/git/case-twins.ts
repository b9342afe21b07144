/**
 * Where the file system does not tell upper and lower case apart, a tracked name and a new one that differ in nothing
 * else are one file: a rename of case only cannot be held as two paths, and is named as a gap (DESIGN 15).
 */
import { type PathName, pathFromBytes } from "../../model/path-name.ts";
import { isCaseBlind } from "../../platform/file-system.ts";
import { nulFields } from "../../platform/nul-fields.ts";
import type { Repository } from "./repository.ts";
import type { StatusLine } from "./status.ts";

export interface CaseTwin {
  readonly path: PathName;
  readonly tracked: PathName;
}

export const isBlindHere = ({ root }: Pick<Repository, "root">): boolean => isCaseBlind(root, ".git");

/** Of the paths git lists, those that have such a twin among the tracked ones. */
export async function caseTwins(
  repository: Repository,
  lines: readonly StatusLine[],
  timeoutMs: number,
): Promise<CaseTwin[]> {
  const fresh = new Map(
    lines.filter(({ kind }) => kind === "untracked").map(({ path }) => [folded(path), path] as const),
  );
  if (fresh.size === 0) return [];
  const output = await repository.run(["ls-files", "-z"], { timeoutMs });
  const found: CaseTwin[] = [];
  for (const field of nulFields(output)) {
    const tracked = pathFromBytes(field);
    const path = fresh.get(folded(tracked));
    if (path !== undefined && path !== tracked) found.push({ path, tracked });
  }
  return found;
}

const folded = (path: PathName): string => path.normalize("NFC").toLowerCase();
