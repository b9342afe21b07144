/** A commit group on its way to `append_2`, and the server's answer on its way back. */

import { z } from "zod";
import type { ContentHash, SessionId } from "../../model/ids.ts";
import type { JsonObject } from "../../model/json.ts";
import { OPEN_WHATS, type OpenWhat } from "../../model/kind-spec.ts";
import { textOrder } from "../../text/text-order.ts";
import type {
  ChangeOutcome,
  RawNewRecord,
  Refusal,
  SessionChange,
  StampedRecord,
} from "../contract/driver.ts";
import { checksumParts } from "./checksum-parts.ts";
import { planOpen } from "./open-plan.ts";
import { toFactsColumn, toOwner } from "./rows.ts";

export interface EncodedGroup {
  readonly text: string;
  /** For each change sent, its place in the caller's group. */
  readonly places: readonly number[];
}

export function encodeGroup(group: readonly SessionChange[]): EncodedGroup {
  const sent = group.map((change, place) => ({ change, place }));
  // Everybody locks sessions in this order, so no two groups wait for each other in a ring. The order of
  // the changes of one session stays the caller's: sorting is stable.
  sent.sort((a, b) => textOrder(a.change.session, b.change.session));
  return {
    text: JSON.stringify(sent.map(({ change }) => encodeChange(change))),
    places: sent.map(({ place }) => place),
  };
}

export function encodeChange(change: SessionChange): object {
  const stamped = stamp(change);
  const records = stamped.map(({ record }) => record);
  return {
    kind: change.kind,
    session: change.session,
    attempt: attemptOf(change),
    mayCreate: (change.kind === "take" && change.seen === null) || change.kind === "import",
    expectHead: headOf(change),
    twice: idGivenTwice(records),
    ...claimFields(change),
    records: stamped.map((one) => encodeRecord(change.session, one)),
    ...encodeNeeds(records),
    // Of each by itself, where some may turn out to be repeats.
    ...(records.length > 1 ? { each: records.map((record) => encodeNeeds([record])) } : {}),
  };
}

/** What records ask of the state before them, and the difference they make beside their rows. */
function encodeNeeds(records: readonly RawNewRecord[]): object {
  const { checks, closes, opens } = planOpen(records);
  return {
    facts: factsOf(records),
    checks: checks.map(({ ref, must, otherwise }) => ({ ...encodeRef(ref), must, otherwise })),
    closes: closes.map(encodeRef),
    opens: opens.map(({ ref, position }) => ({ ...encodeRef(ref), position })),
    refs: records.flatMap((record, i) => encodeRefs(record, i + 1)),
  };
}

/** Null: written by somebody without the claim. */
function attemptOf(change: SessionChange): number | null {
  switch (change.kind) {
    case "append":
      return change.by === "anyone" ? null : change.by.attempt;
    case "take":
      return (change.seen?.attempt ?? 0) + 1;
    default:
      return change.attempt;
  }
}

function headOf(change: SessionChange): number | null {
  if (change.kind === "import") return change.afterSeq;
  return change.kind === "append" || change.kind === "take" ? (change.expectHead ?? null) : null;
}

function claimFields(change: SessionChange): object {
  if (change.kind === "renew") return { nowMs: change.nowMs };
  if (change.kind !== "take") return {};
  const { seen, owner, nowMs, thresholdMs } = change;
  return {
    seen: seen && {
      attempt: seen.attempt,
      holder: seen.holder === null ? null : JSON.stringify(seen.holder),
    },
    owner: JSON.stringify(owner),
    holder: JSON.stringify(owner.instance),
    nowMs,
    thresholdMs,
  };
}

function stamp(change: SessionChange): StampedRecord[] {
  if (change.kind === "renew") return [];
  if (change.kind === "import") {
    return change.records.map((record) => ({
      record,
      attempt: record.attempt,
      isForgotten: record.isForgotten,
    }));
  }
  const attempt = attemptOf(change);
  return change.records.map((record) => ({ record, attempt, isForgotten: false }));
}

function encodeRecord(session: SessionId, { record, attempt, isForgotten }: StampedRecord): object {
  const { id, kind, atMs, body, spilled } = record;
  const parts = checksumParts({ session, id, kind, attempt, atMs, body, spilled, isForgotten });
  return { id, kind, attempt, at_ms: atMs, body, spilled, forgotten: isForgotten, ...parts };
}

function factsOf(records: readonly RawNewRecord[]): Record<string, string> | null {
  const patches = records.flatMap((record) => (record.facts ? [record.facts] : []));
  return patches.length === 0 ? null : toFactsColumn(Object.assign({}, ...patches) as JsonObject);
}

/** Ids of open things come out of bodies: JSON text takes every one of them. */
function encodeRef(ref: { readonly what: OpenWhat; readonly id: string }): { what: OpenWhat; id: string } {
  return { what: ref.what, id: JSON.stringify(ref.id) };
}

/** A spilled body is a content the record needs, whether it is also listed or not. */
function encodeRefs(record: RawNewRecord, position: number): object[] {
  const listed = record.contents.map(({ hash, path }) => ({
    hash,
    path: path === null ? null : JSON.stringify(path),
    position,
  }));
  if (record.spilled === null || record.contents.some(({ hash }) => hash === record.spilled)) return listed;
  return [...listed, { hash: record.spilled, path: null, position }];
}

function idGivenTwice(records: readonly RawNewRecord[]): string | null {
  const seen = new Set<string>();
  for (const { id } of records) {
    if (seen.has(id)) return id;
    seen.add(id);
  }
  return null;
}

const openWhat = z.enum(OPEN_WHATS);
const ownerText = z.string().nullable().transform(toOwner);
const openId = z.string().transform((text) => JSON.parse(text) as string);
const contentHash = z.string().transform((hash) => hash as ContentHash);
const claim = z.object({
  attempt: z.number(),
  owner: ownerText,
  acquiredAtMs: z.number().nullable(),
  heartbeatAtMs: z.number().nullable(),
  thresholdMs: z.number(),
});

const refusal = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("fenced"), current: z.number(), holder: ownerText }),
  z.object({ kind: z.literal("no-session") }),
  z.object({ kind: z.literal("session-exists") }),
  z.object({ kind: z.literal("claim-moved"), claim }),
  z.object({ kind: z.literal("head-moved"), head: z.number() }),
  z.object({ kind: z.literal("id-reused"), id: z.string() }),
  z.object({ kind: z.literal("not-open"), what: openWhat, id: openId }),
  z.object({ kind: z.literal("already-open"), what: openWhat, id: openId }),
  z.object({ kind: z.literal("content-missing"), hash: contentHash }),
  z.object({ kind: z.literal("sent") }),
]) satisfies z.ZodType<Refusal>;

export const outcome = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("done"),
    seqs: z.array(z.number()),
    head: z.number(),
    attempt: z.number(),
    isRepeat: z.boolean(),
  }),
  z.object({ kind: z.literal("refused"), refusal }),
]) satisfies z.ZodType<ChangeOutcome>;

export const groupAnswer = z.object({ outcomes: z.array(outcome), fsync: z.string() });

/** `place`: of the candidate that was made; null: none could be. */
export const firstAnswer = z.object({
  place: z.number().nullable(),
  outcomes: z.array(outcome),
  busy: z.boolean(),
  fsync: z.string(),
});

/** Back into the caller's order. */
export function placeOutcomes(group: EncodedGroup, outcomes: readonly ChangeOutcome[]): ChangeOutcome[] {
  const placed: ChangeOutcome[] = [];
  for (const [i, place] of group.places.entries()) placed[place] = outcomes[i] as ChangeOutcome;
  return placed;
}
