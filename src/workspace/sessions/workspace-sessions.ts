/** The sessions of a workspace, and how far the others' journals are: what tells owners apart without a clock (D3). */
import type { SessionId } from "../../model/ids.ts";
import { isJsonObject } from "../../model/json.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import type { Store } from "../../store/store.ts";

/**
 * A finished session is still noted for this long after it ended: it may have ended between two captures. A
 * wall clock only bounds the list here; it orders nothing.
 */
const FINISHED_NOTED_MS = 24 * 60 * 60_000;

/** Those begun at the workspace's top, and those begun where somebody stands in it. */
export async function sessionsOf(store: Store, places: readonly string[]): Promise<SessionRow[]> {
  const rows = new Map<SessionId, SessionRow>();
  const found = await Promise.all([...new Set(places)].map((workspace) => store.sessions({ workspace })));
  for (const row of found.flat()) rows.set(row.id, row);
  return [...rows.values()];
}

export type Heads = ReadonlyMap<string, number>;

/** How far the journals of the other sessions are. */
export function headsOf(rows: readonly SessionRow[], self: SessionId, nowMs: number): Heads {
  const noted = rows.filter(({ id, facts }) => {
    if (id === self) return false;
    const endedMs = facts.ended_at_ms;
    return typeof endedMs !== "number" || nowMs - endedMs < FINISHED_NOTED_MS;
  });
  return new Map(noted.map(({ id, head }) => [id, head]));
}

export function othersJson(
  before: Heads,
  after: Heads,
): { session: string; before: number; after: number }[] {
  return [...after].map(([session, head]) => ({ session, before: before.get(session) ?? 0, after: head }));
}

export interface LastCapture {
  readonly id: string | null;
  readonly clone: string | null;
  readonly rootCommit: string | null;
  /** Which tree it was taken in; null: an older refloat did not note it. */
  readonly tree: string | null;
  /** The machine it was taken on; null: the same. */
  readonly host: string | null;
  readonly atMs: number;
}

/** The newest capture's brief in a session's facts (store/contract/session-facts.ts). */
export function lastCaptureOf({ facts }: SessionRow): LastCapture | null {
  const brief = facts.capture;
  if (!isJsonObject(brief)) return null;
  const text = (value: unknown): string | null => (typeof value === "string" ? value : null);
  return {
    id: text(brief.id),
    clone: text(brief.clone),
    rootCommit: text(brief.root_commit),
    tree: text(brief.tree),
    host: text(brief.host),
    atMs: typeof brief.at_ms === "number" ? brief.at_ms : 0,
  };
}

export interface LastLeft {
  readonly attempt: number | null;
  readonly capture: string | null;
  /** How many changes it left. */
  readonly changes: number;
}

/** What the session's last known end left (store/contract/session-facts.ts). Null: no end of it was captured. */
export function lastLeftOf({ facts }: SessionRow): LastLeft | null {
  const { left } = facts;
  if (!isJsonObject(left)) return null;
  return {
    attempt: typeof left.attempt === "number" ? left.attempt : null,
    capture: typeof left.capture === "string" ? left.capture : null,
    changes: typeof left.changes === "number" ? left.changes : 0,
  };
}

/** HEAD as the last capture that looked everywhere saw it: this session's, else the newest of the workspace. */
export function lastHeadOf(rows: readonly SessionRow[], self: SessionId): string | null {
  const own = rows.find(({ id }) => id === self)?.facts.captured_head;
  if (typeof own === "string") return own;
  const newest = rows
    .filter(({ facts }) => typeof facts.captured_head === "string")
    .toSorted((a, b) => (lastCaptureOf(b)?.atMs ?? 0) - (lastCaptureOf(a)?.atMs ?? 0))[0];
  const head = newest?.facts.captured_head;
  return typeof head === "string" ? head : null;
}
