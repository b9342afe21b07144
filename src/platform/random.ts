/** Chance, as functions. Ids and tokens come from the kernel's generator, jitter need not. */
import { randomBytes } from "node:crypto";

/** Digits and lower-case letters without i, l, o and u: nothing to misread or to swear with. 32 of them, so
 * the low five bits of a random byte choose one without bias. */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

/** 16 bytes: cannot be guessed, and a mark of this length is still readable in a process list. */
const TOKEN_BYTES = 16;

/** 20 characters hold 100 bits: two never meet in any store. */
export function randomId(chars = 20): string {
  let id = "";
  for (const byte of randomBytes(chars)) id += ALPHABET.charAt(byte & 31);
  return id;
}

/** 32 hexadecimal digits. */
export function randomToken(): string {
  return randomBytes(TOKEN_BYTES).toString("hex");
}

/** A whole number of milliseconds from `min` to `max`, both included: spreads retries of many processes. */
export function jitterMs(min: number, max: number): number {
  return min + Math.floor(Math.random() * (max - min + 1));
}
