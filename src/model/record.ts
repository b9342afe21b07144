/**
 * The kinds of record a journal is made of, each with the schema of its body, who may write it, and what
 * it opens, closes or needs open. That one table is what the store's projections are computed from (D2:
 * the journal is the only truth) and what docs/records.md is generated from.
 *
 * Bodies are loose: unknown fields are kept, unknown kinds are stored and read as they are (D5).
 */
import { z } from "zod";
import { ACT_KINDS, SETTLE_KINDS } from "./act-kinds.ts";
import { AGENT_KINDS, foundFile, HEARD_CALL, wroteFile } from "./agent-kinds.ts";
import { capture } from "./capture.ts";
import { FORK_KINDS } from "./fork-kinds.ts";
import { GATEWAY_KINDS } from "./gateway-kinds.ts";
import type { ContentHash, RecordId, SessionId } from "./ids.ts";
import type { Json, JsonObject } from "./json.ts";
import type { KindSpec, OpenRef, OpenWhat } from "./kind-spec.ts";
import { BUNDLE_KINDS, LOSS_KINDS } from "./loss-kinds.ts";
import { owner } from "./owner.ts";
import { part, role } from "./parts.ts";
import { FROM_QUEUE, QUEUE_KINDS } from "./queue-kinds.ts";
import { AS_IT_GOES_KINDS, CAPTURE_KINDS, RUN_KINDS } from "./run-kinds.ts";
import { NOTICE_KINDS, SUSPENSION_KINDS } from "./suspension-kinds.ts";
import { TRANSFER_KINDS } from "./transfer-kinds.ts";
import { WORD_KINDS } from "./word-kinds.ts";

export type { OpenRef, OpenWhat } from "./kind-spec.ts";

export const turnOutcome = z.enum(["completed", "cancelled", "failed", "interrupted"]);
export type TurnOutcome = z.infer<typeof turnOutcome>;

/**
 * Who says that a turn is over (L7): `agent`, its own end record; `exit`, its process, by ending; `inferred`, nobody: the last that was
 * heard of it reads like an end. Older records do not say: those of a supervisor count as `exit`.
 */
export const turnEndedBy = z.enum(["agent", "exit", "inferred"]);
export type TurnEndedBy = z.infer<typeof turnEndedBy>;

export const effect = z.enum(["none", "idempotent", "unknown"]);
export type Effect = z.infer<typeof effect>;

export const callEndStatus = z.enum(["done", "failed", "cancelled", "interrupted", "unknown-outcome"]);
export type CallEndStatus = z.infer<typeof callEndStatus>;

export const supersedeReason = z.enum(["retry", "rewind", "compaction"]);
export type SupersedeReason = z.infer<typeof supersedeReason>;

const id = z.string();
const parts = z.array(part);
const json = z.unknown();

export const RECORD_KINDS = {
  "session.began": {
    by: "owner",
    body: z.looseObject({
      agent: z.string(),
      workspace: z.string(),
      goal: z.string().nullable(),
      name: z.string().nullable(),
      /** The gateway whose conversation it is: there one message is one claim, and no try of anything. */
      gateway: z.string().optional(),
      /** The session whose work it takes up, and the dirty ends that go over with it (L2). */
      continues: z.string().optional(),
      dirty_ends: z.number().int().optional(),
      dirty_call: z.string().nullable().optional(),
      /** Nobody supervised it: it was read afterwards from the agent's own transcript, of this id. */
      heard: z.string().optional(),
      /** Where its workspace was when it worked there; left out: where it is. */
      moved_from: z.string().optional(),
      ...FROM_QUEUE,
    }),
    shape: ["agent", "workspace", "name", "continues", "dirty_ends", "queue", "item_seq"],
  },
  "session.finished": { by: "owner", body: z.looseObject({ cause: z.string() }), shape: ["cause"] },
  ...SUSPENSION_KINDS,
  "claim.taken": {
    by: "owner",
    body: z.looseObject({
      attempt: z.number().int(),
      owner,
      /** How the claim was free: never held, released, its owner dead, presumed lost, or broken by order. */
      why: z.enum(["new", "released", "dead", "lost", "broken"]),
      from: owner.nullable(),
      reason: z.string().nullable(),
      /** Of a step's claim: what the state file shows of it. Whoever shows another one does not have this claim. */
      token: z.string().optional(),
    }),
    shape: ["attempt", "owner", "why", "from", "reason", "token"],
  },
  "claim.released": {
    by: "owner",
    body: z.looseObject({ attempt: z.number().int() }),
    shape: ["attempt"],
  },
  recovered: {
    by: "owner",
    body: z.looseObject({
      cause: z.string(),
      turns: z.array(id),
      calls: z.array(id),
      messages: z.array(id),
      dirty_ends: z.number().int(),
      /** The open call the count belongs to, by tool and a hash of its input (L2). */
      call: z.string().nullable().optional(),
      /** What got done since the dirty end before: turn, call, commit, capture. */
      progress: z.string().nullable().optional(),
      /** What the cause rests on, in words. */
      evidence: z.array(z.string()).optional(),
      /** `owed`: the workspace is yet to be captured as the session left it. */
      end_capture: z.enum(["owed", "none"]).optional(),
      /** It was told to end, and that was no crash (L2). */
      asked: z.boolean().optional(),
    }),
    shape: ["cause", "turns", "calls", "messages", "dirty_ends", "end_capture", "asked"],
  },
  /** The end capture showed that the attempt got something done: the count begins anew (L2). */
  "progress.found": {
    by: "owner",
    body: z.looseObject({ by: z.string(), capture: id, dirty_ends: z.number().int() }),
    shape: ["by", "capture", "dirty_ends"],
  },
  "input.queued": {
    by: "anyone",
    body: z.looseObject({ input: id, parts, from: z.string().nullable() }),
    opens: ["input", "input"],
    shape: ["input"],
  },
  "input.taken": {
    by: "owner",
    body: z.looseObject({ input: id, turn: id }),
    closes: ["input", "input"],
    needs: ["turn", "turn"],
    shape: ["input", "turn"],
  },
  "input.dropped": {
    by: "anyone",
    body: z.looseObject({ input: id, reason: z.string() }),
    closes: ["input", "input"],
    shape: ["input", "reason"],
  },
  "turn.began": {
    by: "owner",
    body: z.looseObject({
      turn: id,
      /** The input it answers, given directly ... */
      parts: parts.nullable(),
      /** ... or taken from the queue by this very record (C1); null for both: the turn goes on (C7). */
      input: id.nullable(),
      /** No turn that anybody saw, but the attempt of a program that has the terminal (L7): screens and the judge pass it over. */
      interactive: z.boolean().optional(),
    }),
    opens: ["turn", "turn"],
    closes: ["input", "input"],
    shape: ["turn", "input"],
  },
  "turn.ended": {
    by: "owner",
    body: z.looseObject({
      turn: id,
      outcome: turnOutcome,
      reason: z.string().nullable(),
      by: turnEndedBy.optional(),
    }),
    closes: ["turn", "turn"],
    shape: ["turn", "outcome", "by"],
  },
  "message.added": {
    by: "owner",
    body: z.looseObject({ turn: id.nullable(), role, parts }),
    needs: ["turn", "turn"],
    shape: ["turn", "role"],
  },
  "message.opened": {
    by: "owner",
    body: z.looseObject({ message: id, turn: id, role }),
    opens: ["message", "message"],
    needs: ["turn", "turn"],
    shape: ["message", "turn", "role"],
  },
  /** One bounded flush: what was added since the last one (never the whole message again). */
  "message.grew": {
    by: "owner",
    body: z.looseObject({ message: id, turn: id.optional(), parts }),
    needs: ["message", "message"],
    within: ["turn", "turn"],
    shape: ["message", "turn"],
  },
  "message.ended": {
    by: "owner",
    body: z.looseObject({
      message: id,
      /** Left out by whoever ends it for a writer that is gone. */
      turn: id.optional(),
      state: z.enum(["final", "cut-off"]),
      parts,
    }),
    closes: ["message", "message"],
    within: ["turn", "turn"],
    shape: ["message", "turn", "state"],
  },
  "call.started": {
    by: "owner",
    body: z.looseObject({
      call: id,
      turn: id,
      tool: z.string(),
      input: json,
      effect,
      ...HEARD_CALL,
    }),
    opens: ["call", "call"],
    needs: ["turn", "turn"],
    shape: ["call", "turn", "tool", "effect"],
  },
  "call.ended": {
    by: "owner",
    body: z.looseObject({
      call: id,
      status: callEndStatus,
      output: json,
      /** True when nobody saw the tool end: written by recovery, or with the turn's end, never by the tool (C4). */
      synthetic: z.boolean(),
      /** A person stopped the turn while it ran. `heard`: the agent's own; with `synthetic` its program made it up. */
      ...{ stopped: z.boolean().optional(), heard: z.boolean().optional() },
      /** Whole files it left behind, by the SHA-256 of their bytes, as far as what was heard tells every byte. */
      wrote: z.array(wroteFile).optional(),
      /** How it found the files it changed; null: there was none. `ends_lost`: hashed with LF for every line's end. */
      found: z.array(foundFile).optional(),
    }),
    closes: ["call", "call"],
    shape: ["call", "status", "synthetic", "stopped"],
  },
  patched: {
    by: "owner",
    body: z.looseObject({ record: id, metadata: z.looseObject({}) }),
    shape: ["record"],
  },
  superseded: {
    by: "owner",
    body: z.looseObject({
      from_seq: z.number().int(),
      /** Last record it hides; everything up to this record itself when null. */
      to_seq: z.number().int().nullable(),
      reason: supersedeReason,
      /** What stands in place of the hidden part (compaction); same record, so never half done. */
      summary: parts.nullable(),
    }),
    shape: ["from_seq", "to_seq", "reason"],
  },
  "operation.began": {
    by: "owner",
    body: z.looseObject({ operation: id, label: z.string(), paths: z.array(z.string()).nullable() }),
    opens: ["operation", "operation"],
    shape: ["operation", "label"],
  },
  "operation.ended": {
    by: "owner",
    body: z.looseObject({
      operation: id,
      aborted: z.boolean(),
      /**
       * Who said so: `mark`, `outside`, `manual`: the command `op end`, which captures before it returns. `stdout`: a line the
       * agent printed, read while it went on. `hook`: the command in a sandbox, by what it printed. Left out: the library.
       */
      from: z.string().optional(),
    }),
    closes: ["operation", "operation"],
    shape: ["operation", "aborted"],
  },
  decided: {
    by: "owner",
    body: z.looseObject({
      key: z.string(),
      value: json,
      reason: z.string().nullable(),
      step: z.string().nullable(),
    }),
    shape: ["key", "step"],
  },
  "capture.taken": {
    by: "anyone",
    body: capture,
    shape: ["capture", "reason", "how", "partial"],
  },
  ...CAPTURE_KINDS,
  ...WORD_KINDS,
  ...LOSS_KINDS,
  ...FORK_KINDS,
  ...BUNDLE_KINDS,
  ...TRANSFER_KINDS,
  ...GATEWAY_KINDS,
  ...AS_IT_GOES_KINDS,
  ...SETTLE_KINDS,
  ...NOTICE_KINDS,
  ...AGENT_KINDS,
  ...RUN_KINDS,
  ...ACT_KINDS,
  ...QUEUE_KINDS,
} as const satisfies Record<string, KindSpec>;

export type RecordKind = keyof typeof RECORD_KINDS;
export type BodyOf<K extends RecordKind> = z.infer<(typeof RECORD_KINDS)[K]["body"]>;

/** A record as it is handed to the store. The store gives the sequence number. */
export interface NewRecord {
  readonly id: RecordId;
  readonly kind: string;
  /** Milliseconds since 1970: information for people, never an order (D3). */
  readonly atMs: number;
  readonly body: JsonObject;
  /** Contents this record names; each must be in the store when the record commits. */
  readonly contents?: readonly { readonly hash: ContentHash; readonly path?: string }[];
}

/** A record as it is read back. */
export interface StoredRecord {
  readonly session: SessionId;
  readonly seq: number;
  readonly id: RecordId;
  readonly kind: string;
  /** Null: written by somebody without the claim (an input, an observation, an order). */
  readonly attempt: number | null;
  readonly atMs: number;
  readonly body: JsonObject;
  /** The body was erased by `forget`; only its shape is left. */
  readonly isForgotten: boolean;
  /** The row does not verify (D5): its body cannot be trusted and is handed out empty. */
  readonly isDamaged: boolean;
}

export function isRecordKind(kind: string): kind is RecordKind {
  return Object.hasOwn(RECORD_KINDS, kind);
}

/** Reads a body as its kind says, or null when it is of another kind or does not fit. */
export function bodyAs<K extends RecordKind>(record: StoredRecord, kind: K): BodyOf<K> | null {
  if (record.kind !== kind) return null;
  const parsed = RECORD_KINDS[kind].body.safeParse(record.body);
  return parsed.success ? (parsed.data as BodyOf<K>) : null;
}

export interface Openings {
  readonly opens: OpenRef | null;
  readonly closes: OpenRef | null;
  readonly needs: OpenRef | null;
  readonly within: OpenRef | null;
}

/** What a record opens, closes and needs open. Unknown kinds touch nothing. */
export function openingsOf(kind: string, body: JsonObject): Openings {
  const found: KindSpec | null = isRecordKind(kind) ? RECORD_KINDS[kind] : null;
  return {
    opens: refOf(found?.opens, body),
    closes: refOf(found?.closes, body),
    needs: refOf(found?.needs, body),
    within: refOf(found?.within, body),
  };
}

/** What `forget` leaves of a body: the fields that keep turns, calls and messages in shape. */
export function shapeOf(kind: string, body: JsonObject): JsonObject {
  const kept: Record<string, Json> = { forgotten: true };
  const fields = isRecordKind(kind) ? RECORD_KINDS[kind].shape : [];
  for (const field of fields) {
    const value = body[field];
    if (value !== undefined) kept[field] = value;
  }
  return kept;
}

function refOf(field: readonly [OpenWhat, string] | undefined, body: JsonObject): OpenRef | null {
  if (!field) return null;
  const value = body[field[1]];
  return typeof value === "string" ? { what: field[0], id: value } : null;
}
