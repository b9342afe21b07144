/** Chance, as functions. Ids and tokens come from the kernel's generator, jitter need not. */
import { randomBytes, randomFillSync } from "node:crypto";

/** Digits and lower-case letters without i, l, o and u: nothing to misread or to swear with. 32 of them, so
 * the low five bits of a random byte choose one without bias. */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

/** 16 bytes: cannot be guessed, and a mark of this length is still readable in a process list. */
const TOKEN_BYTES = 16;

/** Bytes fetched from the kernel at once: every record needs an id, and a call for 20 bytes costs as much as one for these. */
const POOL_BYTES = 4096;
const pool = Buffer.alloc(POOL_BYTES);
let unusedFrom = POOL_BYTES;

/** 20 characters hold 100 bits: two never meet in any store. */
export function randomId(chars = 20): string {
  if (unusedFrom + chars > POOL_BYTES) {
    randomFillSync(pool);
    unusedFrom = 0;
  }
  let id = "";
  for (const byte of pool.subarray(unusedFrom, unusedFrom + chars)) id += ALPHABET.charAt(byte & 31);
  unusedFrom += chars;
  return id;
}

/** So many bytes of the kernel's: for what must never be the same twice. */
export const randomBytesOf = (bytes: number): Buffer => randomBytes(bytes);

/** 32 hexadecimal digits. */
export function randomToken(): string {
  return randomBytes(TOKEN_BYTES).toString("hex");
}

/** A whole number of milliseconds from `min` to `max`, both included: spreads retries of many processes. */
export function jitterMs(min: number, max: number): number {
  return min + Math.floor(Math.random() * (max - min + 1));
}
