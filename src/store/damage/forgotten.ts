/** Which records were forgotten, wherever that was found (D2). */
import { crc32 } from "node:zlib";
import type { SessionId } from "../../model/ids.ts";
import type { RawRecord } from "../contract/driver.ts";
import { createSeenRecords } from "./seen-records.ts";

export interface ForgottenRecords {
  readonly count: number;
  /** A record of this session and number was. */
  has(session: SessionId, seq: number): boolean;
  /** This very record was: after an accepted loss, another one can have its number. */
  covers(row: RawRecord): boolean;
  note(row: RawRecord): void;
}

export function createForgotten(): ForgottenRecords {
  const seen = createSeenRecords();
  return {
    get count() {
      return seen.count;
    },
    has: seen.has,
    covers: (row) => seen.valueOf(row.session, row.seq) === crc32(row.id),
    note: (row) => seen.note(row.session, row.seq, crc32(row.id)),
  };
}
