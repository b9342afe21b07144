/** A record on its way in: checked against its kind, turned into text exactly, and measured. */
import { RefloatError } from "../../model/errors.ts";
import { parseId, type RecordId } from "../../model/ids.ts";
import { encodeJson, isJsonObject, type JsonObject, parsedOrNull } from "../../model/json.ts";
import { INLINE_BODY_BYTES, MAX_BODY_BYTES, MAX_TIME_MS } from "../../model/limits.ts";
import { isRecordKind, type NewRecord, type OpenRef, openingsOf, RECORD_KINDS } from "../../model/record.ts";
import { SENT_AWAY } from "../../model/transfer-kinds.ts";
import type { Authority, RawNewRecord } from "./driver.ts";
import { factsOf } from "./session-facts.ts";

export interface EncodedRecord {
  readonly raw: RawNewRecord;
  /** The body when it is too large to sit in the row: goes to the contents first. */
  readonly spill: Buffer | null;
}

export function encodeRecord(record: NewRecord, by: Authority): EncodedRecord {
  checkAuthority(record.kind, by);
  checkBody(record);
  const encoded = encodeUnchecked(record);
  return isWrittenHereOnly(encoded.raw, by)
    ? { ...encoded, raw: { ...encoded.raw, unlessOpen: SENT_AWAY } }
    : encoded;
}

/**
 * K1: to a session that was sent away nobody writes, and nobody takes its claim: its journal here is the beginning of the one it goes on
 * with there. Whoever had the claim before is fenced off by his attempt.
 */
const isWrittenHereOnly = ({ kind, closes }: RawNewRecord, by: Authority): boolean =>
  (by === "anyone" || kind === "claim.taken") && closes?.what !== SENT_AWAY.what;

/** For records that were accepted once already (import): only exactness and size are checked again. */
export function encodeUnchecked(record: NewRecord): EncodedRecord {
  const body = encodeJson(record.body);
  const bytes = Buffer.byteLength(body);
  if (bytes > MAX_BODY_BYTES) {
    const what = `The body of a ${record.kind} record`;
    throw new RefloatError("E_TOO_LARGE", { what, bytes, limit: MAX_BODY_BYTES });
  }
  const atMs = timeOf(record);
  const openings = openingsOf(record.kind, record.body);
  for (const ref of Object.values(openings) as (OpenRef | null)[]) if (ref) parseId(ref.what, ref.id);
  const raw: RawNewRecord = {
    id: parseId<RecordId>("record", record.id),
    kind: parseId("kind", record.kind),
    atMs,
    body,
    spilled: null,
    ...openings,
    contents: (record.contents ?? []).map(({ hash, path }) => ({ hash, path: pathOf(record.kind, path) })),
    facts: factsOf(record.kind, record.body, atMs),
  };
  return { raw, spill: bytes > INLINE_BODY_BYTES ? Buffer.from(body) : null };
}

/** An engine that finds a bad value itself refuses the whole group, not only this record (driver 2). */
function timeOf({ kind, atMs }: NewRecord): number {
  const whole = Math.trunc(atMs);
  if (!(Math.abs(whole) <= MAX_TIME_MS))
    throw new RefloatError("E_BAD_RECORD", { kind, why: `its time is ${atMs}` });
  return whole;
}

function pathOf(kind: string, path: string | undefined): string | null {
  if (path === undefined) return null;
  if (path !== path.toWellFormed() || path.includes("\0"))
    throw new RefloatError("E_BAD_RECORD", { kind, why: "it names a path that no file can have" });
  return path;
}

function checkAuthority(kind: string, by: Authority): void {
  if (by !== "anyone") return;
  // Kinds of a newer refloat pass through (D5), but only under a claim: we cannot know who may write them.
  const isAllowed = isRecordKind(kind) && RECORD_KINDS[kind].by === "anyone";
  if (!isAllowed)
    throw new RefloatError("E_BAD_RECORD", { kind, why: "only the session's owner may write it (K1)" });
}

export function checkBody({ kind, body }: NewRecord): void {
  if (!isRecordKind(kind)) return;
  const parsed = RECORD_KINDS[kind].body.safeParse(body);
  if (!parsed.success) {
    throw new RefloatError("E_BAD_RECORD", { kind, why: firstIssue(parsed.error.issues) }, parsed.error);
  }
}

function firstIssue(
  issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[],
): string {
  const issue = issues[0];
  return issue ? `${issue.path.map(String).join(".") || "body"}: ${issue.message}` : "it does not fit";
}

/** Reads a body back. Only objects were ever written; anything else is damage. */
export function decodeBody(text: string): JsonObject | null {
  const value = parsedOrNull(text);
  return isJsonObject(value) ? value : null;
}
