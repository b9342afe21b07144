/**
 * `attempt_token` of a step's claim: number, owner and chance, in a UUID. The number only grows as long as the file shows
 * the one before, so tokens can be compared; the owner's part and the random one keep two stores that know nothing of
 * each other from giving the same. Pure.
 */
import { createHash } from "node:crypto";

/** Version 8: a UUID whose bits mean what its maker says. */
const OURS = /^([0-9a-f]{8})-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/;
const MAX_NUMBER = 0xffff_ffff;

export interface TokenParts {
  readonly number: number;
  readonly owner: string;
  /** At least 15 hexadecimal digits. */
  readonly random: string;
}

export function tokenFor({ number, owner, random }: TokenParts): string {
  const head = Math.min(number, MAX_NUMBER).toString(16).padStart(8, "0");
  const whose = createHash("sha256").update(owner).digest("hex").slice(0, 7);
  return `${head}-${whose.slice(0, 4)}-8${whose.slice(4)}-8${random.slice(0, 3)}-${random.slice(3, 15)}`;
}

/** Null: no token, or not one of ours. */
export function numberOfToken(token: string | null): number | null {
  const [, number] = token === null ? [] : (OURS.exec(token) ?? []);
  return number === undefined ? null : Number.parseInt(number, 16);
}

/** What an event says of the claim it ended: enough to know it again, and no token that could be used. */
export const claimIdOf = (token: string): string => token.slice(-12);
