/**
 * The checksum of a journal row (D5): over every field, so that a row that verifies is a true row wherever it was found. Without what a record
 * means: the store's own thread, which every run starts, loads no kinds.
 */
import { crc32 } from "node:zlib";
import type { RawRecord } from "./driver.ts";

export type ChecksummedRow = Omit<RawRecord, "checksum">;

export function rowChecksum(row: ChecksummedRow): number {
  // JSON of an array is an unambiguous framing: no field can run into the next.
  const header = JSON.stringify([
    row.session,
    row.seq,
    row.id,
    row.kind,
    row.attempt,
    row.atMs,
    row.spilled,
    row.isForgotten ? 1 : 0,
  ]);
  return crc32(row.body, crc32(header));
}
