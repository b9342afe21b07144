/**
 * SQLite's record format, read without SQLite: a header of serial types, then the values one after another.
 * Pure and bounded; garbage gives null, never an exception, because damaged pages are what this is for (D5).
 */
import { isUtf8 } from "node:buffer";

/** SQLite's variable-length integer: seven bits a byte, high bit set on all but the last, at most nine bytes. */
interface Varint {
  readonly value: number;
  /** Where the next thing begins. */
  readonly next: number;
}

/**
 * Null for what a store never writes: a number cut off by the end of the bytes, and one of nine bytes (our
 * row numbers and lengths are far below 2^53, so nine bytes are garbage).
 */
export function readVarint(bytes: Buffer, at: number): Varint | null {
  let value = 0;
  for (let next = at; next < bytes.length && next < at + 8; next++) {
    const byte = bytes[next] ?? 0;
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) return Number.isSafeInteger(value) ? { value, next: next + 1 } : null;
  }
  return null;
}

export type ColumnValue = null | number | string | Buffer;

export interface RecordHeader {
  /** The serial type of each column. */
  readonly types: readonly number[];
  /** Where the first value begins. */
  readonly bodyAt: number;
  /** Header and values together: what the cell must say its payload is. */
  readonly bytes: number;
}

/** Our widest table has 11 columns. A header with more than this is garbage or not ours. */
const MAX_COLUMNS = 32;

/** The bytes of a value of serial types 0 to 9; 10 and 11 are reserved and never written to a file. */
const FIXED_BYTES: readonly (number | null)[] = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0, null, null];

export function parseRecordHeader(payload: Buffer): RecordHeader | null {
  const length = readVarint(payload, 0);
  if (length === null || length.value < length.next || length.value > payload.length) return null;
  const header = payload.subarray(0, length.value);
  const types: number[] = [];
  let bytes = header.length;
  for (let at = length.next; at < header.length; ) {
    const type = readVarint(header, at);
    if (type === null || types.length === MAX_COLUMNS) return null;
    const size = valueBytes(type.value);
    if (size === null) return null;
    types.push(type.value);
    bytes += size;
    at = type.next;
  }
  return { types, bodyAt: header.length, bytes };
}

/** The values of a whole payload, or null when it is too short or a text in it is not UTF-8. */
export function decodeColumns(payload: Buffer, header: RecordHeader): ColumnValue[] | null {
  if (payload.length < header.bytes) return null;
  const values: ColumnValue[] = [];
  let at = header.bodyAt;
  for (const type of header.types) {
    const size = valueBytes(type) ?? 0;
    const value = decodeValue(type, payload.subarray(at, at + size));
    if (value === undefined) return null;
    values.push(value);
    at += size;
  }
  return values;
}

export const isNullType = (type: number | undefined): boolean => type === 0;
export const isIntegerType = (type: number | undefined): boolean =>
  type !== undefined && ((type >= 1 && type <= 6) || type === 8 || type === 9);
export const isBlobType = (type: number | undefined): boolean =>
  type !== undefined && type >= 12 && type % 2 === 0;
export const isTextType = (type: number | undefined): boolean =>
  type !== undefined && type >= 13 && type % 2 === 1;

function valueBytes(type: number): number | null {
  if (type < FIXED_BYTES.length) return FIXED_BYTES[type] ?? null;
  return Math.floor((type - 12) / 2);
}

function decodeValue(type: number, bytes: Buffer): ColumnValue | undefined {
  switch (type) {
    case 0:
      return null;
    case 1:
    case 2:
    case 3:
    case 4:
    case 5:
      return bytes.readIntBE(0, bytes.length);
    case 6:
      return safeInteger(bytes.readBigInt64BE(0));
    case 7:
      return bytes.readDoubleBE(0);
    case 8:
      return 0;
    case 9:
      return 1;
    default:
      if (isBlobType(type)) return bytes;
      // A replacement character would make one text of many damaged ones; so not even one is let in.
      return isUtf8(bytes) ? bytes.toString("utf8") : undefined;
  }
}

function safeInteger(value: bigint): number | undefined {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : undefined;
}
