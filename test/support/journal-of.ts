/** Records as a store would hand them out: numbered from 1, with the ids r1, r2, ... */
import type { RecordId, SessionId } from "../../src/model/ids.ts";
import type { JsonObject } from "../../src/model/json.ts";
import type { StoredRecord } from "../../src/model/record.ts";

export type Told = readonly [kind: string, body: object];

export function journalOf(...told: readonly Told[]): StoredRecord[] {
  return told.map(([kind, body], i) => ({
    session: "s" as SessionId,
    seq: i + 1,
    id: `r${i + 1}` as RecordId,
    kind,
    attempt: 1,
    atMs: 1,
    body: body as JsonObject,
    isForgotten: false,
    isDamaged: false,
  }));
}
