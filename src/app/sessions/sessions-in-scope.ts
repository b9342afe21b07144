/**
 * Which sessions a list is about (DESIGN 10): the user's own, of the work trees of its scope, each once; and those of the
 * same repository whose own place is no more, a clone that was deleted, a work tree that was removed: their work is held, and belongs
 * in the list of whoever stands in a clone of it (W8).
 */

import { existsSync } from "node:fs";
import { hostOf } from "../../fleet/hosts.ts";
import { WORKER_PREFIX } from "../../model/ids.ts";
import { canBeLifted, type SessionSummary } from "../../session/describe.ts";
import type { SessionFilter, SessionRow } from "../../store/contract/driver.ts";
import { sessionIds } from "../../store/session-ids.ts";
import { isLongEnough } from "../../text/by-beginning.ts";
import { isOwnJournal, usersSessions } from "../../workflow/own-journal.ts";
import { lastCaptureOf } from "../../workspace/sessions/workspace-sessions.ts";
import { openTrustedOrNull } from "../../workspace/trust/open-trusted.ts";
import { hearAgents } from "../agents/hear-agents.ts";
import type { AppPlace } from "../place/app-place.ts";
import { type RepositoryScope, rowsInScope } from "../place/scope.ts";
import { sessionRows } from "../store/kept-rows.ts";
import type { RefloatStore } from "../store/open-store.ts";
import { reasonsWithoutSecrets } from "./suspension-reasons.ts";
import { withAlike } from "./typed-id.ts";

export async function sessionsInScope(
  at: AppPlace,
  store: RefloatStore,
  scope: RepositoryScope,
  only: Pick<SessionFilter, "without"> = {},
): Promise<SessionRow[]> {
  const list = (filter: SessionFilter) => sessionRows(store.raw, { ...filter, ...only });
  const inScope = await rowsInScope(list, scope, at.place());
  const rows = usersSessions([...inScope, ...(await heldRows(at, store, scope))]);
  return [...new Map(rows.map((row) => [row.id, row])).values()];
}

export interface SessionList {
  /** Null: there is none yet, and so no session. */
  readonly store: RefloatStore | null;
  /** Newest first; why one is suspended is told without secrets (T4). */
  readonly sessions: readonly SessionSummary[];
  /** How many finished ones are not among them: they left nothing. */
  readonly atRest: number;
  /** Of those: nobody has gone on with them; a lift would have them go on. */
  readonly cutOff: readonly SessionSummary[];
  readonly liftable: readonly SessionSummary[];
  readonly isAttentionWanted: boolean;
  /** What their ids are told apart from where they are shortened. */
  readonly ids: readonly string[];
  /** These ids are all of the store's. */
  readonly isWhole: boolean;
}

interface ListHow {
  readonly isShortened?: boolean;
  readonly host?: string | null;
  readonly isAwakeOnly?: boolean;
}

/** What is over and left nothing is only counted: of ten thousand such no row is read. */
const AWAKE = { without: { rest: "left-nothing", endedBeforeMs: Number.MAX_SAFE_INTEGER } } as const;

/** `isAwakeOnly`: those at rest are only counted. As they are shown. Reads only; a store is never made. `isShortened`: false where no id is cut for a person to type, so that none has to be told apart from others. */
export async function listSessions(
  at: AppPlace,
  scope: RepositoryScope,
  { isShortened = true, host = null, isAwakeOnly = false }: ListHow = {},
): Promise<SessionList> {
  await hearAgents(at, scope.kind === "here" ? "here" : "repository");
  const store = await at.findStore();
  // Where every session is listed, our own ones included, there is none beside them to be told apart from.
  const every = store && scope.kind === "all" && !isAwakeOnly ? await sessionRows(store.raw) : null;
  // Before the rows: one that begins in between is not taken for one at rest.
  const inAll = store && isAwakeOnly ? await idsInScope(at, store, scope) : [];
  const only = isAwakeOnly ? AWAKE : {};
  const inScope = every ? usersSessions(every) : store ? await sessionsInScope(at, store, scope, only) : [];
  const rows = store && host !== null ? await onHost(store, inScope, host) : inScope;
  const described = store ? await store.describe(rows, at.trees) : [];
  const sessions = await reasonsWithoutSecrets(described);
  const shown = sessions.map(({ id }) => id);
  const listed = new Set([...shown, ...inAll]);
  return {
    ...{ store, sessions, cutOff: sessions.filter(({ state }) => state === "interrupted") },
    liftable: sessions.filter(canBeLifted),
    atRest: listed.size - shown.length,
    isWhole: every !== null,
    ids: every
      ? every.map(({ id }) => id)
      : [...new Set([...(await withAlike(isShortened ? store : null, shown)), ...listed])],
    isAttentionWanted: sessions.some(
      ({ state, unsettled }) => unsettled || state === "interrupted" || state === "suspended",
    ),
  };
}

/** Of those of its work trees. */
async function idsInScope(
  at: AppPlace,
  { raw }: RefloatStore,
  scope: RepositoryScope,
): Promise<readonly string[]> {
  const rows = await rowsInScope(
    async (filter) => (await sessionIds(raw.driver, filter)).map((id) => ({ id })),
    scope,
    at.place(),
  );
  return usersSessions(rows).map(({ id }) => id);
}

/** Of a machine: by its id or the beginning of it, or by what a worker there calls it. */
async function onHost(
  { raw }: RefloatStore,
  rows: readonly SessionRow[],
  typed: string,
): Promise<SessionRow[]> {
  const workers = await raw.sessions({ prefix: WORKER_PREFIX });
  const named = new Set(
    workers
      .filter(({ facts }) => String(facts.name).split(" ")[0] === typed)
      .map(({ claim }) => claim.owner?.host),
  );
  return rows.filter((row) => {
    const host = hostOf(row);
    return host !== null && (named.has(host) || (isLongEnough(typed) && host.startsWith(typed)));
  });
}

/** Only those that left something unsettled. */
async function heldRows(
  { env }: AppPlace,
  store: RefloatStore,
  { kind, workspace: root }: RepositoryScope,
): Promise<readonly SessionRow[]> {
  if (kind !== "repository" || root === null) return [];
  const gone = (await store.raw.workspaces()).filter((place) => place !== "" && !existsSync(place));
  if (gone.length === 0) return [];
  const { isOfSameRepository } = await import("../../workspace/captures/held-work.ts");
  const workspace = openTrustedOrNull(store.raw, root, env);
  if (workspace?.kind !== "git") return [];
  const known = new Map<string | null, boolean>();
  const rows: SessionRow[] = [];
  for (const place of gone)
    for (const row of await store.raw.sessions({ workspace: place })) {
      if (row.facts.capture === undefined || isOwnJournal(row.id)) continue;
      // Asked of git once for each repository, not for each session.
      const first = lastCaptureOf(row)?.rootCommit ?? null;
      if (first === null || !known.has(first)) known.set(first, await isOfSameRepository(row, workspace));
      if (known.get(first)) rows.push(row);
    }
  const summaries = rows.length === 0 ? [] : await store.describe(rows);
  const unsettled = new Set(summaries.filter((one) => one.unsettled).map(({ id }) => id));
  return rows.filter(({ id }) => unsettled.has(id));
}
