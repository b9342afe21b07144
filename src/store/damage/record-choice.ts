/** Which image of a record is given, when several were found (salvage.ts: V-2, V-4). Each record at most once. */
import { crc32 } from "node:zlib";
import type { SessionId } from "../../model/ids.ts";
import type { RawRecord } from "../contract/driver.ts";
import type { ForgottenRecords } from "./forgotten.ts";
import type { Whence } from "./pages/images.ts";
import { createSeenRecords } from "./seen-records.ts";

export interface RecordChoice {
  readonly count: number;
  hasGiven(session: SessionId, seq: number): boolean;
  /** True: give it now, and never again. All current images come before the first `compare`. */
  choose(row: RawRecord, whence: Whence): boolean;
  /** Looks at a record SQLite would not show, before any of those is chosen. */
  compare(row: RawRecord): void;
  /** Sessions whose journal went on differently in images SQLite does not show. */
  readonly contradicted: ReadonlySet<SessionId>;
}

export function createRecordChoice(forgotten: ForgottenRecords): RecordChoice {
  const given = createSeenRecords();
  /** Current records that were held back because they were forgotten elsewhere. */
  const withheld = createSeenRecords();
  const contradicted = new Set<SessionId>();

  /** What two images of one record have in common: all of it, or only its id once it was forgotten. */
  function fingerprint(row: RawRecord): number {
    return forgotten.has(row.session, row.seq) ? crc32(row.id) : row.checksum;
  }

  function isWanted(row: RawRecord, whence: Whence): boolean {
    if (given.has(row.session, row.seq)) return false;
    if (!row.isForgotten && forgotten.covers(row)) {
      if (whence === "current") withheld.note(row.session, row.seq, row.checksum);
      return false;
    }
    if (whence === "current" || !contradicted.has(row.session)) return true;
    // Of another story only this is taken: what is left of a record of this one that was forgotten.
    return row.isForgotten && withheld.has(row.session, row.seq);
  }

  return {
    get count() {
      return given.count;
    },
    hasGiven: given.has,
    choose(row, whence) {
      const isChosen = isWanted(row, whence);
      if (isChosen) given.note(row.session, row.seq, fingerprint(row));
      return isChosen;
    },
    compare(row) {
      const other = given.valueOf(row.session, row.seq);
      if (other !== null && other !== fingerprint(row)) contradicted.add(row.session);
    },
    contradicted,
  };
}
