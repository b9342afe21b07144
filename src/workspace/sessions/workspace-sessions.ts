/** The sessions of a workspace, and how far the others' journals are: what tells owners apart without a clock (D3). */
import type { SessionId } from "../../model/ids.ts";
import { isJsonObject } from "../../model/json.ts";
import type { SessionFilter, SessionRow } from "../../store/contract/driver.ts";
import type { Store } from "../../store/store.ts";

/**
 * A finished session is still noted for this long after it ended: it may have ended between two captures. A
 * wall clock only bounds the list here; it orders nothing.
 */
const FINISHED_NOTED_MS = 24 * 60 * 60_000;

/** Those begun at the workspace's top, and those begun where somebody stands in it. */
export async function sessionsOf(
  store: Store,
  places: readonly string[],
  only: Pick<SessionFilter, "without"> = {},
): Promise<SessionRow[]> {
  const rows = new Map<SessionId, SessionRow>();
  const asked = [...new Set(places)].map((workspace) => store.sessions({ workspace, ...only }));
  const found = await Promise.all(asked);
  for (const row of found.flat()) rows.set(row.id, row);
  return [...rows.values()];
}

/** Of those that are over only such as were ever captured or heard of: no other is owed anything, or claims a change (at-rest.ts). */
export const SEEN_ONCE = { without: { rest: "never-seen", endedBeforeMs: Number.MAX_SAFE_INTEGER } } as const;

/** All that a capture of this moment may have to note, and those whose earlier captures it is compared with. */
export const notedAt = (nowMs: number): Pick<SessionFilter, "without"> => ({
  without: { rest: "never-seen", endedBeforeMs: nowMs - FINISHED_NOTED_MS },
});

/**
 * Those that have a say in whose a change is: who may claim one, and who may have had a call open while it came. That one over long
 * before the first look of any of them had none open then is as sure as that a capture need not note it. `asked`: whose part is asked for has its say
 * in any case.
 */
export async function sessionsWithSay(
  store: Store,
  places: readonly string[],
  asked: SessionRow | null = null,
): Promise<SessionRow[]> {
  const seen = await sessionsOf(store, places, SEEN_ONCE);
  const sinceMs = Math.min(...seen.map(firstLookMs));
  // Where nobody looked, nobody claims anything.
  const rows =
    sinceMs === Number.POSITIVE_INFINITY ? seen : await sessionsOf(store, places, notedAt(sinceMs));
  return asked === null || rows.some(({ id }) => id === asked.id) ? rows : [...rows, asked];
}

/** No capture of a session is older than it. What was only heard of may have come at any time before it was. */
function firstLookMs({ facts }: SessionRow): number {
  const { capture, only_heard, heard, started_at_ms } = facts;
  if (only_heard != null || heard != null) return 0;
  if (capture == null) return Number.POSITIVE_INFINITY;
  return typeof started_at_ms === "number" ? started_at_ms : 0;
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
