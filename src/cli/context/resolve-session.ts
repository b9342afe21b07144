/**
 * The session somebody means (DESIGN 10): a full id, a name, or a beginning of the id of at least four characters; left
 * out: the newest unsettled one of this workspace, else the newest. `run --name` makes a session of the same name each
 * time: the name means the newest of them.
 */
import type { RefloatStore } from "../../app/store/open-store.ts";
import { RefloatError } from "../../model/errors.ts";
import type { SessionId } from "../../model/ids.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import { isMeantBy, isWorkflowSession, workflowPrefixOf } from "../../workflow/claim-ids.ts";
import type { Context } from "./context.ts";
import { rowsInScope, scopeOf } from "./repository-scope.ts";

/** A shorter beginning is more likely a mistake than a choice. */
const MIN_PREFIX_CHARS = 4;
/** Matches shown when several fit. */
const MAX_SHOWN = 5;

export interface ResolvedSession {
  readonly store: RefloatStore;
  readonly row: SessionRow;
}

export async function resolveSession(context: Context, typed: string | null): Promise<ResolvedSession> {
  const store = await context.findStore();
  if (!store) throw noSession(typed ?? `of ${context.place()}`);
  if (typed !== null) return { store, row: await namedBy(context, store, typed) };
  const newest = await newestHere(context);
  if (newest) return newest;
  throw noSession(`of ${scopeOf(context.place(), "here").workspace ?? context.place()}`);
}

/** The newest unsettled one of this workspace, else the newest; null: none was ever recorded here. */
export async function newestHere(context: Context): Promise<ResolvedSession | null> {
  const store = await context.findStore();
  if (!store) return null;
  const directory = context.place();
  const scope = scopeOf(directory, "here");
  const rows = await rowsInScope((filter) => store.raw.sessions(filter), scope, directory);
  const newestFirst = await store.describe(rows.filter(({ id }) => !isWorkflowSession(id)));
  const chosen = newestFirst.find(({ unsettled }) => unsettled) ?? newestFirst[0];
  const row = rows.find(({ id }) => id === chosen?.id);
  return row ? { store, row } : null;
}

async function namedBy(context: Context, store: RefloatStore, typed: string): Promise<SessionRow> {
  const exact = await store.raw.session(typed as SessionId);
  if (exact) return exact;
  const named = await store.raw.sessions({ name: typed });
  if (named.length > 0) return theOne(typed, newestOfEach(preferHere(context, named)));
  const prefix = workflowPrefixOf(typed);
  if (prefix !== null) {
    const begun = await store.raw.sessions({ prefix });
    return theOne(
      typed,
      begun.filter(({ id }) => isMeantBy(typed, id)),
    );
  }
  const isLongEnough = [...typed].length >= MIN_PREFIX_CHARS;
  const begun = isLongEnough ? await store.raw.sessions({ prefix: typed, limit: MAX_SHOWN + 1 }) : [];
  return theOne(typed, begun);
}

/** Two workspaces may use one name: the one somebody stands in is meant. */
function preferHere(context: Context, rows: readonly SessionRow[]): readonly SessionRow[] {
  const directory = context.place();
  const places: readonly unknown[] = [...scopeOf(directory, "here").places, directory];
  // A step's row names its state file, which lies in the workspace.
  const isIn = (at: unknown): boolean =>
    typeof at === "string" && places.some((place) => typeof place === "string" && at.startsWith(`${place}/`));
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

const noSession = (what: string): RefloatError => new RefloatError("E_NO_SESSION", { what });
