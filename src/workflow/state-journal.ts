/** The versions of a state file as the store holds them: what was written, what was seen, what is not finished. */
import type { RecordId, SessionId } from "../model/ids.ts";
import type { Json } from "../model/json.ts";
import { bodyAs, type NewRecord } from "../model/record.ts";
import type { Clock } from "../platform/clock.ts";
import { randomId } from "../platform/random.ts";
import { newRecord } from "../session/new-record.ts";
import type { Store } from "../store/store.ts";
import type { KnownLog } from "./kept-log.ts";
import { isEqual } from "./rewrite-json.ts";
import { listOf, own } from "./state-doc.ts";
import { parseState } from "./validate.ts";

/** Versions a repair looks back at. */
const MAX_VERSIONS = 50;

export interface KeptVersion {
  readonly id: string;
  readonly what: string;
  readonly step: string | null;
  readonly before: string | null;
  readonly file: string;
  readonly handoff: string;
  readonly release: number | null;
  /** Its files are on disk, or it was given up. */
  readonly isSettled: boolean;
  readonly isGivenUp: boolean;
}

/** Newest first. Damaged and forgotten ones have no text and are left out. */
export async function keptVersions(
  store: Store,
  session: SessionId,
  limit = MAX_VERSIONS,
): Promise<readonly KeptVersion[]> {
  const records = await store.records({ session, kinds: ["state.changed"], order: "backward", limit });
  const versions: KeptVersion[] = [];
  for (const record of records) {
    const body = record.isDamaged || record.isForgotten ? null : bodyAs(record, "state.changed");
    if (!body) continue;
    const settled = await store.recordById(session, settledId(record.id));
    const isGivenUp = settled?.body.outcome === "given-up";
    versions.push({ ...body, id: record.id, isSettled: settled !== null, isGivenUp });
  }
  return versions;
}

/** Versions whose command tells nobody about the log: what somebody else put into it is still to be said. */
const SAYS_NOTHING: ReadonlySet<string> = new Set([
  "taken in",
  "edited elsewhere",
  "heartbeat",
  "claim break",
]);

/** Whether it is on disk by a command that said what it found in the log. */
export const hasSpoken = ({ what, isSettled, isGivenUp }: KeptVersion): boolean =>
  isSettled && !isGivenUp && !SAYS_NOTHING.has(what);

/** `versions`: newest first. Null: the store has no version of the file. */
export function knownLog(versions: readonly KeptVersion[]): KnownLog | null {
  const alive = versions.filter(({ isGivenUp }) => !isGivenUp);
  if (alive.length === 0) return null;
  const at = alive.findIndex(hasSpoken);
  const since = alive.slice(0, at === -1 ? undefined : at + 1).toReversed();
  const [oldest, ...newer] = since;
  const first = logIn(oldest);
  // What is not on disk for certain is not missing there, and not strange either.
  const unsettled = newer.filter(({ isSettled }) => !isSettled);
  return {
    seen: newer.filter(({ isSettled }) => isSettled).reduce(withNewOf, oldest?.isSettled ? first : []),
    written: unsettled.reduce(withNewOf, first),
  };
}

const logIn = (version: KeptVersion | undefined): readonly Json[] => {
  const parsed = parseState(version?.file ?? "{}");
  return parsed.kind === "parsed" ? listOf(own(parsed.value, "decision_log")) : [];
};

const withNewOf = (log: readonly Json[], version: KeptVersion): readonly Json[] => [
  ...log,
  ...logIn(version).filter((entry) => !log.some((known) => isEqual(known, entry))),
];

/** For those who only look: reads no further back than it must. */
export async function readKnownLog(store: Store, session: SessionId): Promise<KnownLog | null> {
  const [last] = await keptVersions(store, session, 1);
  if (!last) return null;
  return knownLog(hasSpoken(last) ? [last] : await keptVersions(store, session));
}

const settledId = (change: string): RecordId => `settled:${change}` as RecordId;

export type NewVersion = Omit<KeptVersion, "id" | "isSettled" | "isGivenUp">;

export function versionRecord(clock: Clock, version: NewVersion): NewRecord {
  return newRecord(clock, "state.changed", { ...version }, `state:${randomId()}`);
}

export function settledRecord(clock: Clock, change: string, outcome: "written" | "given-up"): NewRecord {
  return newRecord(clock, "state.settled", { change, outcome }, settledId(change));
}
