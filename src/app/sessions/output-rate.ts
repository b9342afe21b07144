/**
 * How much a session said and was told over its life, in equal stretches of time: messages as they grew, results as they came. Of its newest records
 * (T5), by when they were written; a clock that jumps draws a wrong picture and nothing else (D3). Reads only.
 */
import { isJsonObject } from "../../model/json.ts";
import type { StoredRecord } from "../../model/record.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import type { RefloatStore } from "../store/open-store.ts";

export interface OutputRate {
  readonly from: string;
  readonly to: string;
  /** Of each stretch, in characters. */
  readonly chars: readonly number[];
  readonly left_out: boolean;
}

const TOLD_BY = ["message.added", "message.grew", "message.ended", "call.ended"] as const;
const MAX_RECORDS = 5000;
/** As many as a picture has room for. */
const STRETCHES = 200;

/** Null: it said nothing. */
export async function outputRate({ raw }: RefloatStore, row: SessionRow): Promise<OutputRate | null> {
  const query = { session: row.id, kinds: TOLD_BY, order: "backward", limit: MAX_RECORDS } as const;
  return rateOf((await raw.records(query)).reverse(), MAX_RECORDS);
}

/** Pure. */
export function rateOf(records: readonly StoredRecord[], most: number): OutputRate | null {
  const said = records.map((one) => ({ at: one.atMs, chars: charsOf(one) })).filter(({ chars }) => chars > 0);
  if (said.length === 0) return null;
  const times = said.map(({ at }) => at);
  const from = times.reduce((least, at) => Math.min(least, at));
  const to = times.reduce((latest, at) => Math.max(latest, at));
  const width = Math.max(1, (to - from) / STRETCHES);
  const chars = Array.from({ length: to === from ? 1 : STRETCHES }, () => 0);
  for (const { at, chars: more } of said) {
    const bin = Math.min(chars.length - 1, Math.floor((at - from) / width));
    chars[bin] = (chars[bin] ?? 0) + more;
  }
  return {
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    chars,
    left_out: records.length >= most,
  };
}

function charsOf({ body, isDamaged, isForgotten }: StoredRecord): number {
  if (isDamaged || isForgotten) return 0;
  const parts = Array.isArray(body.parts) ? body.parts : Array.isArray(body.output) ? body.output : [];
  const texts = parts.map((part) =>
    isJsonObject(part) && typeof part.text === "string" ? part.text.length : 0,
  );
  return texts.reduce((sum, one) => sum + one, typeof body.output === "string" ? body.output.length : 0);
}
