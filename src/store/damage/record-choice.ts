/** Which image of a record is given, when several were found (salvage.ts: salvage 2, salvage 4). Each record at most once. */
import { crc32 } from "node:zlib";
import type { SessionId } from "../../model/ids.ts";
import type { RawRecord } from "../contract/driver.ts";
import type { Whence } from "./pages/images.ts";

/**
 * A number of 32 bits for each record that was met, by session and sequence number. A store may hold millions,
 * so a record costs a few bytes here: sequence numbers of a session are gapless (D3), so blocks of them fill.
 */
interface SeenRecords {
  readonly count: number;
  has(session: SessionId, seq: number): boolean;
  valueOf(session: SessionId, seq: number): number | null;
  note(session: SessionId, seq: number, value: number): void;
}

const BLOCK_RECORDS = 64;
const WORD_BITS = 32;
/** Words at the front of a block: a bit per record that was met. */
const BIT_WORDS = BLOCK_RECORDS / WORD_BITS;

function createSeenRecords(): SeenRecords {
  const sessions = new Map<SessionId, Map<number, Uint32Array>>();
  let count = 0;

  function blockOf(session: SessionId, seq: number): Uint32Array | undefined {
    return sessions.get(session)?.get(Math.floor(seq / BLOCK_RECORDS));
  }

  function isSet(block: Uint32Array | undefined, seq: number): boolean {
    const word = block?.[Math.floor((seq % BLOCK_RECORDS) / WORD_BITS)] ?? 0;
    return (word & (1 << (seq % WORD_BITS))) !== 0;
  }

  return {
    get count() {
      return count;
    },
    has: (session, seq) => isSet(blockOf(session, seq), seq),
    valueOf(session, seq) {
      const block = blockOf(session, seq);
      return isSet(block, seq) ? (block?.[BIT_WORDS + (seq % BLOCK_RECORDS)] ?? null) : null;
    },
    note(session, seq, value) {
      const blocks = sessions.get(session) ?? new Map<number, Uint32Array>();
      const number = Math.floor(seq / BLOCK_RECORDS);
      const block = blocks.get(number) ?? new Uint32Array(BIT_WORDS + BLOCK_RECORDS);
      sessions.set(session, blocks.set(number, block));
      if (!isSet(block, seq)) count++;
      const word = Math.floor((seq % BLOCK_RECORDS) / WORD_BITS);
      block[word] = (block[word] ?? 0) | (1 << (seq % WORD_BITS));
      block[BIT_WORDS + (seq % BLOCK_RECORDS)] = value;
    },
  };
}

/** Which records were forgotten, wherever that was found (D2). */
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
