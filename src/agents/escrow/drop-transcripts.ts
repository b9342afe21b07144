/**
 * How long transcripts are kept, and how much of them: what is older goes, then the oldest of what is too much. The record stays with
 * its shape, and another one says that and why (D2); pieces that a younger one names stay. Never of a session that somebody holds.
 */
import type { SessionId } from "../../model/ids.ts";
import { encodeJson } from "../../model/json.ts";
import { shapeOf } from "../../model/record.ts";
import { newRecord } from "../../session/new-record.ts";
import { encodeRecord } from "../../store/contract/encode-record.ts";
import { livenessOfHolder } from "../../store/holder.ts";
import type { Store } from "../../store/store.ts";
import { keptTranscripts } from "./kept-transcripts.ts";

export interface Retention {
  readonly days: number;
  /** As they lie in the store. */
  readonly bytes: number;
}

export interface KeptFacts {
  readonly session: SessionId;
  readonly seq: number;
  readonly atMs: number;
  /** What stays of its body. */
  readonly shape: string;
  readonly pieces: readonly { readonly hash: string; readonly stored: number }[];
}

const DAY_MS = 24 * 60 * 60_000;

/** Pure. A piece that several name is counted once, for the youngest of them. */
export function tooMuch<K extends KeptFacts>(
  all: readonly K[],
  { days, bytes }: Retention,
  nowMs: number,
): readonly K[] {
  const counted = new Set<string>();
  let total = 0;
  let isFull = false;
  return all
    .toSorted((a, b) => b.atMs - a.atMs || b.seq - a.seq)
    .filter(({ atMs, pieces }) => {
      if (nowMs - atMs > days * DAY_MS) return true;
      const fresh = new Map(
        pieces.filter(({ hash }) => !counted.has(hash)).map((one) => [one.hash, one.stored]),
      );
      const more = [...fresh.values()].reduce((sum, one) => sum + one, 0);
      isFull ||= total + more > bytes;
      if (isFull) return true;
      total += more;
      for (const hash of fresh.keys()) counted.add(hash);
      return false;
    });
}

export interface DroppedTranscripts {
  readonly transcripts: number;
  readonly contents: number;
  readonly bytes: number;
}

/** Those whose time is over, or that are too much. */
export const overRetention = async (store: Store, retention: Retention): Promise<readonly KeptFacts[]> =>
  tooMuch(await everyKept(store), retention, store.clock.nowMs());

export async function dropTranscripts(store: Store, retention: Retention): Promise<DroppedTranscripts> {
  const doomed = await overRetention(store, retention);
  const total = { transcripts: 0, contents: 0, bytes: 0 };
  for (const session of new Set(doomed.map((one) => one.session))) {
    const ones = doomed.filter((one) => one.session === session);
    const body = { records: ones.length, days: retention.days, bytes: retention.bytes };
    const note = encodeRecord(newRecord(store.clock, "transcript.dropped", body), "anyone").raw;
    const records = ones.map(({ seq, shape }) => ({ seq, body: shape }));
    const freed = await store.driver.forget({ session, records, note });
    total.transcripts += ones.length;
    total.contents += freed.contents;
    total.bytes += freed.bytes;
  }
  return total;
}

/** Of a session that somebody holds none is looked at: its turn comes when it is over. */
async function everyKept(store: Store): Promise<readonly KeptFacts[]> {
  const found: KeptFacts[] = [];
  for await (const row of store.everySession()) {
    const liveness = livenessOfHolder(row).liveness;
    if (liveness !== null && liveness.kind !== "dead") continue;
    for await (const { record, kept } of keptTranscripts(store, row.id)) {
      const shape = encodeJson(shapeOf(record.kind, record.body));
      found.push({ session: row.id, seq: record.seq, atMs: record.atMs, shape, pieces: kept.chunks });
    }
  }
  return found;
}
