/** Which queue somebody means: a repository is told by the commit it began with, wherever its clone lies (docs/fleet.md). */
import { RefloatError } from "../model/errors.ts";
import { isQueueSession, QUEUE_PREFIX, type SessionId } from "../model/ids.ts";
import type { SessionRow } from "../store/contract/driver.ts";
import type { Store } from "../store/store.ts";
import { rootCommit, type Workspace } from "../workspace/opening/workspace.ts";

/** Enough of a commit's name to tell any two repositories apart. */
const REPOSITORY_CHARS = 24;

export const PRIORITIES = { lowest: 0, usual: 5, highest: 9 } as const;

/** A branded text: what all clones of a repository have in common. */
export type RepositoryId = string & { readonly repository: unique symbol };

/** Throws E_QUEUE_REPOSITORY: a plain folder, a clone without a commit, or one whose beginning is cut off. */
export async function repositoryOf(workspace: Workspace): Promise<RepositoryId> {
  const root = workspace.kind === "git" ? await rootCommit(await workspace.repository()) : null;
  if (root === null) throw new RefloatError("E_QUEUE_REPOSITORY", { path: workspace.root });
  return root.slice(0, REPOSITORY_CHARS) as RepositoryId;
}

export const queueOf = (repository: RepositoryId, priority: number): SessionId =>
  `${QUEUE_PREFIX}${repository}-${priority}` as SessionId;

export const repositoryIn = (queue: string): RepositoryId =>
  queue.slice(QUEUE_PREFIX.length, QUEUE_PREFIX.length + REPOSITORY_CHARS) as RepositoryId;

export const priorityIn = (queue: string): number => Number(queue.at(-1));

/** Those that were ever used, the most urgent first; null: of every repository. */
export async function queuesOf(
  store: Store,
  repositories: readonly RepositoryId[] | null,
): Promise<SessionRow[]> {
  const prefixes = repositories?.map((one) => `${QUEUE_PREFIX}${one}-`) ?? [QUEUE_PREFIX];
  const found = await Promise.all(prefixes.map((prefix) => store.sessions({ prefix })));
  return found
    .flat()
    .filter(({ id }) => isQueueSession(id))
    .toSorted((a, b) => priorityIn(b.id) - priorityIn(a.id));
}
