/**
 * The session somebody means (DESIGN 10): a full id, a name, or a beginning of the id of at least four characters; left
 * out: the newest unsettled one of this workspace, else the newest. `run --name` makes a session of the same name each
 * time: the name means the newest of them. Nobody else looks one up.
 */

import { RefloatError } from "../../model/errors.ts";
import { isManualSession, type SessionId } from "../../model/ids.ts";
import { isMeantBy, isWorkflowSession, workflowPrefixOf } from "../../model/workflow-ids.ts";
import type { SessionSummary } from "../../session/describe.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import { isLongEnough } from "../../text/by-beginning.ts";
import { usersSessions } from "../../workflow/own-journal.ts";
import { hearAgents } from "../agents/hear-agents.ts";
import type { AppPlace } from "../place/app-place.ts";
import { rowsInScope, scopeOf } from "../place/scope.ts";
import type { RefloatStore } from "../store/open-store.ts";
import { confinedTo } from "./confined.ts";

/** Looked at of those that begin so, where others than this repository's are among them. */
const MAX_CONFINED = 1000;

/** Matches shown when several fit. */
const MAX_SHOWN = 5;

export interface NamedSession {
  readonly store: RefloatStore;
  readonly row: SessionRow;
}

/** `typed`: null: left out. Throws E_NO_SESSION, and E_AMBIGUOUS where several fit. */
export async function findSession(at: AppPlace, typed: string | null): Promise<NamedSession> {
  if (typed === null) {
    const newest = await newestHere(at);
    if (newest) return newest;
    throw await noSessionHere(at);
  }
  await hearAgents(at);
  const store = await at.findStore();
  if (!store) throw noSession(typed);
  return { store, row: await namedBy(at, store, typed) };
}

/** Null: no session is called so. For who takes what was typed for something else then. */
export async function findSessionOrNull(at: AppPlace, typed: string): Promise<NamedSession | null> {
  try {
    return await findSession(at, typed);
  } catch (thrown) {
    if (thrown instanceof RefloatError && thrown.code === "E_NO_SESSION") return null;
    throw thrown;
  }
}

/**
 * The newest unsettled one of this workspace, else the newest, of agents that nobody supervised, too; null: there was none.
 * `isToGoOn`: before a live one that which was cut off, for whoever asks is often the live one itself.
 */
export async function newestHere(
  at: AppPlace,
  { isToGoOn = false }: { readonly isToGoOn?: boolean } = {},
): Promise<NamedSession | null> {
  await hearAgents(at);
  const store = await at.findStore();
  if (!store) return null;
  const directory = at.place();
  const scope = scopeOf(directory, "here");
  const rows = await rowsInScope((filter) => store.raw.sessions(filter), scope, directory);
  const newest = await newestAmong(store, usersSessions(rows), { isToGoOn, ...at });
  return newest && { store, row: newest.row };
}

export interface DescribedSession {
  readonly row: SessionRow;
  readonly summary: SessionSummary;
}

/**
 * Of the sessions of a workspace the newest unsettled one, else the newest; null: there are none. What the user said himself is no
 * work: its session stands behind every agent's, unless something was begun in it and never ended.
 */
export async function newestAmong(
  store: RefloatStore,
  rows: readonly SessionRow[],
  { isToGoOn = false, trees }: { readonly isToGoOn?: boolean } & Pick<AppPlace, "trees"> = {},
): Promise<DescribedSession | null> {
  const known = rows.length > 0 ? await store.describe(rows, trees) : [];
  const agentsFirst = [...known.filter(isAgents), ...known.filter((one) => !isAgents(one))];
  const cutOff = isToGoOn ? agentsFirst.find(({ state }) => CUT_OFF.has(state)) : undefined;
  const summary =
    agentsFirst.find(({ unsettled }) => unsettled) ??
    cutOff ??
    (await newestAtWork(store, known)) ??
    known[0];
  const row = rows.find(({ id }) => id === summary?.id);
  return row && summary ? { row, summary } : null;
}

/** Not the one that holds what the user said himself. */
export const isAgents = ({ id }: Pick<SessionSummary, "id">): boolean => !isManualSession(id);

async function newestAtWork(
  { raw }: RefloatStore,
  newestFirst: readonly SessionSummary[],
): Promise<SessionSummary | null> {
  for (const one of newestFirst)
    if (isAgents(one) || (await raw.open(one.id as SessionId)).length > 0) return one;
  return null;
}

const CUT_OFF: ReadonlySet<string> = new Set(["interrupted", "suspended"]);

/** What is known of one session. Throws E_NO_SESSION where it is none any more. */
export async function summaryOf(
  store: RefloatStore,
  row: SessionRow,
  trees?: AppPlace["trees"],
): Promise<SessionSummary> {
  const [summary] = await store.describe([row], trees);
  if (!summary) throw noSession(row.id);
  return summary;
}

/** Its row as it is by now. */
export async function rowNow({ raw }: RefloatStore, id: SessionId): Promise<SessionRow> {
  const row = await raw.session(id);
  if (!row) throw noSession(id);
  return row;
}

async function namedBy(at: AppPlace, store: RefloatStore, typed: string): Promise<SessionRow> {
  const found = at.isConfined ? confinedTo(at, store) : (rows: readonly SessionRow[]) => rows;
  const [exact] = await found([await store.raw.session(typed as SessionId)].flatMap((row) => row ?? []));
  if (exact) return exact;
  const named = await found(await store.raw.sessions({ name: typed }));
  if (named.length > 0) return theOne(typed, newestOfEach(preferHere(at, named)));
  const prefix = workflowPrefixOf(typed);
  if (prefix !== null) {
    const begun = await found(await store.raw.sessions({ prefix }));
    return theOne(
      typed,
      begun.filter(({ id }) => isMeantBy(typed, id)),
    );
  }
  const limit = at.isConfined ? MAX_CONFINED : MAX_SHOWN + 1;
  const begun = isLongEnough(typed) ? await store.raw.sessions({ prefix: typed, limit }) : [];
  return theOne(at.isConfined ? `${typed} of this repository` : typed, await found(begun));
}

/** Two workspaces may use one name: the one somebody stands in is meant. */
function preferHere(at: AppPlace, rows: readonly SessionRow[]): readonly SessionRow[] {
  const directory = at.place();
  const places: readonly unknown[] = [...scopeOf(directory, "here").places, directory];
  // A step's row names its state file, which lies in the workspace.
  const isIn = (file: unknown): boolean =>
    typeof file === "string" &&
    places.some((place) => typeof place === "string" && file.startsWith(`${place}/`));
  const here = rows.filter(
    ({ id, facts }) => places.includes(facts.workspace) || (isWorkflowSession(id) && isIn(facts.workspace)),
  );
  return here.length > 0 ? here : rows;
}

/** Of sessions that had one name in one workspace one after the other, as lists show them: the newest first. */
function newestOfEach(rows: readonly SessionRow[]): readonly SessionRow[] {
  const newest = new Map<unknown, SessionRow>();
  for (const row of rows) {
    const other = newest.get(row.facts.workspace);
    if (!other || startedAt(other) < startedAt(row)) newest.set(row.facts.workspace, row);
  }
  return [...newest.values()];
}

const startedAt = ({ facts }: SessionRow): number => Number(facts.started_at_ms ?? 0);

function theOne(typed: string, rows: readonly SessionRow[]): SessionRow {
  const [row, ...others] = rows;
  if (!row) throw noSession(typed);
  if (others.length === 0) return row;
  const shown = rows.slice(0, MAX_SHOWN).map(({ id }) => id);
  const matches = shown.join(", ") + (rows.length > MAX_SHOWN ? ", ..." : "");
  throw new RefloatError("E_AMBIGUOUS", { what: typed, matches });
}

/** For who was named none and found none. */
export async function noSessionHere(at: AppPlace): Promise<RefloatError> {
  const scoped = (await at.findStore()) ? scopeOf(at.place(), "here").workspace : null;
  return noSession(`of ${scoped ?? at.place()}`);
}

const noSession = (what: string): RefloatError => new RefloatError("E_NO_SESSION", { what });
