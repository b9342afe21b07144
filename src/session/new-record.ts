/** A record with its kind's body checked by the compiler, an id and the time. */
import { createHash } from "node:crypto";
import type { RecordId } from "../model/ids.ts";
import type { JsonObject } from "../model/json.ts";
import { MAX_ID_BYTES } from "../model/limits.ts";
import type { BodyOf, NewRecord, RecordKind } from "../model/record.ts";
import type { Clock } from "../platform/clock.ts";
import { randomId } from "../platform/random.ts";

/** Ids made from what a record is about make a second write of the same fact a no-op (D4); others are random. */
export function newRecord<K extends RecordKind>(
  clock: Clock,
  kind: K,
  body: BodyOf<K>,
  id: string = randomId(),
): NewRecord {
  return { id: id as RecordId, kind, atMs: clock.nowMs(), body: body as unknown as JsonObject };
}

/** The id of a record about a thing, made from the thing's own id; one that would be too long from its hash. */
export function factId(prefix: string, id: string): string {
  const whole = `${prefix}:${id}`;
  if (Buffer.byteLength(whole) <= MAX_ID_BYTES) return whole;
  return `${prefix}:sha256:${createHash("sha256").update(id).digest("hex")}`;
}
