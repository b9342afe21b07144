/**
 * The id of the n-th session of a name in a workspace. Two starts that see the same n sessions want the same id, and
 * the store gives it to one of them: that is how `--name` lets one run at a time without a lock of its own.
 */
import { createHash } from "node:crypto";
import type { SessionId } from "../model/ids.ts";
import { randomId } from "../platform/random.ts";

/** The letters of every other id (platform/random.ts), so that these look like those. */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const ID_CHARS = 20;

export const anyRunId = (): SessionId => randomId() as SessionId;

export function namedRunId(workspace: string, name: string, number: number): SessionId {
  const digest = createHash("sha256")
    .update(JSON.stringify(["refloat run", workspace, name, number]))
    .digest();
  const chars = [...digest.subarray(0, ID_CHARS)].map((byte) => ALPHABET.charAt(byte & 31));
  return chars.join("") as SessionId;
}
