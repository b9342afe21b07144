/** SQLite's variable-length integer: seven bits a byte, high bit set on all but the last, at most nine bytes. */

export interface Varint {
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
