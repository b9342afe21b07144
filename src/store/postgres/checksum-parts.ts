/**
 * A row's checksum covers its sequence number (contract/row-checksum.ts), but that number is given by the server, inside
 * the statement that writes the row (driver 3). So the client computes the checksum of everything around the
 * number, and the server puts the number in between. CRC-32 is linear, which makes that exact and cheap:
 *
 *   crc(A ‖ digits ‖ B) = crc(A ‖ digits) · x^(8·|B|)  xor  crc(B)      (polynomials over GF(2), mod P)
 *
 * `before` is crc(A), `shift` is x^(8·|B|) mod P, `rest` is crc(B); the function `row_checksum` in the
 * database does the remaining work, which does not depend on the size of the body. The alternatives were a
 * guess of the next number with a second round trip when it is wrong, which starves a writer on a busy
 * session, or CRC-32 over whole bodies in PL/pgSQL, which is a hundred times slower.
 */
import { crc32 } from "node:zlib";
import type { ChecksummedRow } from "../contract/row-checksum.ts";

export interface ChecksumParts {
  readonly before: number;
  readonly shift: number;
  readonly rest: number;
}

/** The polynomial of CRC-32 with the lowest power in the highest bit, as zlib keeps it. */
const CRC_POLYNOMIAL = 0xedb88320;
/** x^0 in that notation. */
const ONE = 0x80000000;
/** x^8 in that notation: one byte. */
const ONE_BYTE = 0x00800000;

export function checksumParts(row: Omit<ChecksummedRow, "seq">): ChecksumParts {
  const tail = JSON.stringify([
    row.id,
    row.kind,
    row.attempt,
    row.atMs,
    row.spilled,
    row.isForgotten ? 1 : 0,
  ]);
  // The header is ["session",seq,"id",...]: the array of the fields after `seq` without its first bracket.
  const after = `,${tail.slice(1)}`;
  return {
    before: crc32(`[${JSON.stringify(row.session)},`),
    shift: powerOf(Buffer.byteLength(after) + Buffer.byteLength(row.body)),
    rest: crc32(row.body, crc32(after)),
  };
}

/** x^(8·bytes) mod P, by repeated squaring. */
function powerOf(bytes: number): number {
  let power = ONE;
  let square = ONE_BYTE;
  for (let left = bytes; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) power = multiply(power, square);
    square = multiply(square, square);
  }
  return power;
}

function multiply(a: number, b: number): number {
  let product = 0;
  let factor = b;
  for (let bit = 31; bit >= 0; bit--) {
    if ((a >>> bit) & 1) product ^= factor;
    factor = factor & 1 ? (factor >>> 1) ^ CRC_POLYNOMIAL : factor >>> 1;
  }
  return product >>> 0;
}
