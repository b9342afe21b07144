/** Which sessions a list is about (DESIGN 10): the whole repository; --here: this work tree; --all: everything. */

import { realpathSync } from "node:fs";
import { RefloatError } from "../../model/errors.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import { locateRepository } from "../../workspace/git/locate.ts";
import { worktreeRoots } from "../../workspace/git/worktrees.ts";

export interface RepositoryScope {
  readonly kind: "repository" | "here" | "all";
  /** The workspace somebody stands in; null with --all. */
  readonly workspace: string | null;
  /** Every work tree looked at, this one first; empty with --all. */
  readonly places: readonly string[];
}

export function scopeOf(directory: string, kind: RepositoryScope["kind"]): RepositoryScope {
  if (kind === "all") return { kind, workspace: null, places: [] };
  const location = locationOf(directory);
  const workspace = location?.root ?? realpathSync(directory);
  return { kind, workspace, places: kind === "here" || !location ? [workspace] : worktreeRoots(location) };
}

/** A repository that leads elsewhere is looked at as a folder: a list enters nothing. */
export function locationOf(directory: string): ReturnType<typeof locateRepository> {
  try {
    return locateRepository(directory);
  } catch (thrown) {
    if (thrown instanceof RefloatError) return null;
    throw thrown;
  }
}

/** Where a session may have been begun: at a work tree's top, or where somebody stands in it. */
const placesToAsk = ({ places }: RepositoryScope, directory: string): readonly string[] =>
  places.length === 0 ? [] : [...new Set([...places, directory])];

export type ListSessions<Row extends { readonly id: string } = SessionRow> = (filter: {
  workspace?: string;
}) => Promise<readonly Row[]>;

export async function rowsInScope<Row extends { readonly id: string } = SessionRow>(
  list: ListSessions<Row>,
  scope: RepositoryScope,
  directory: string,
): Promise<Row[]> {
  if (scope.kind === "all") return [...(await list({}))];
  const rows = new Map<string, Row>();
  for (const workspace of placesToAsk(scope, directory))
    for (const row of await list({ workspace })) rows.set(row.id, row);
  return [...rows.values()];
}
