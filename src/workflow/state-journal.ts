/** The versions of a state file as the store holds them: what was written, what was seen, what is not finished. */
import type { RecordId, SessionId } from "../model/ids.ts";
import { bodyAs, type NewRecord } from "../model/record.ts";
import type { Clock } from "../platform/clock.ts";
import { randomId } from "../platform/random.ts";
import { newRecord } from "../session/new-record.ts";
import type { Store } from "../store/store.ts";

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

const settledId = (change: string): RecordId => `settled:${change}` as RecordId;

export type NewVersion = Omit<KeptVersion, "id" | "isSettled" | "isGivenUp">;

export function versionRecord(clock: Clock, version: NewVersion): NewRecord {
  return newRecord(clock, "state.changed", { ...version }, `state:${randomId()}`);
}

export function settledRecord(clock: Clock, change: string, outcome: "written" | "given-up"): NewRecord {
  return newRecord(clock, "state.settled", { change, outcome }, settledId(change));
}
