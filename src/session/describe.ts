/** Sessions as people and JSON see them (DESIGN 10): the store's rows joined with what the kernel says of their owners. */
import type { Liveness, Owner } from "../model/owner.ts";
import { livenessOf } from "../platform/liveness.ts";
import type { SessionFilter, SessionRow } from "../store/driver.ts";
import { livenessOfHolder } from "../store/holder.ts";
import type { Store } from "../store/store.ts";
import { type SessionState, stateOf } from "./state.ts";

export interface SessionSummary {
  readonly id: string;
  readonly name: string | null;
  readonly agent: string | null;
  readonly workspace: string | null;
  readonly state: SessionState;
  /** Work it left that nobody has settled yet. Without captures nothing is known of it: false. */
  readonly unsettled: boolean;
  readonly supervised: boolean;
  readonly cause: string | null;
  readonly attempt: number;
  readonly dirty_ends: number;
  readonly started_at: string | null;
  readonly ended_at: string | null;
}

export async function describeSessions(
  store: Store,
  filter: SessionFilter = {},
  liveness: (owner: Owner) => Liveness = livenessOf,
): Promise<SessionSummary[]> {
  const summaries: SessionSummary[] = [];
  for (const row of await store.sessions(filter)) summaries.push(await describeSession(store, row, liveness));
  return summaries.sort(
    (a, b) => (b.started_at ?? "").localeCompare(a.started_at ?? "") || a.id.localeCompare(b.id),
  );
}

export async function describeSession(
  store: Store,
  row: SessionRow,
  liveness: (owner: Owner) => Liveness = livenessOf,
): Promise<SessionSummary> {
  const { facts } = row;
  const held = livenessOfHolder(row, liveness);
  const open = await store.open(row.id);
  const state = stateOf({ row, open, liveness: held.liveness, nowMs: store.clock.nowMs() });
  return {
    id: row.id,
    name: text(facts.name),
    agent: text(facts.agent),
    workspace: text(facts.workspace),
    state,
    unsettled: false,
    supervised: state === "live" && !held.isAgentAlone,
    cause: text(facts.cause),
    attempt: row.claim.attempt,
    dirty_ends: Number(facts.dirty_ends ?? 0),
    started_at: time(facts.started_at_ms),
    ended_at: time(facts.ended_at_ms),
  };
}

const text = (value: unknown): string | null => (typeof value === "string" ? value : null);
const time = (value: unknown): string | null =>
  typeof value === "number" ? new Date(value).toISOString() : null;
