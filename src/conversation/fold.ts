/**
 * The conversation computed from its records, one record at a time (C5). Pure bookkeeping in memory: the
 * same records give the same fold, whoever reads them and however they are cut into batches.
 *
 * Reading is lenient on purpose: forgotten bodies have only their shape, newer refloats add fields, damaged
 * rows come empty. Whatever does not fit is counted and left out; it never stops the reader (D5).
 */
import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import type { Part } from "../model/parts.ts";
import { appendPart, readParts } from "../model/parts.ts";
import type { CallEndStatus, Effect, StoredRecord, SupersedeReason, TurnOutcome } from "../model/record.ts";

export interface FoldedMessage {
  readonly kind: "message";
  readonly seq: number;
  readonly id: string;
  readonly recordId: string;
  readonly turn: string | null;
  readonly role: "system" | "user" | "assistant";
  parts: Part[];
  state: "final" | "open" | "cut-off";
  cutOffSeq?: number;
  isForgotten: boolean;
}

/** What was heard of a call beside its input. */
export interface HeardOfCall {
  /** What its tool does: `edit`, `execute`, `delegate`...; null: the record is older than that word. */
  readonly does: string | null;
  /** Files it names, as it names them. */
  readonly paths: readonly string[];
  /** Whole files it was to leave behind. */
  readonly wrote: readonly { readonly path: string; readonly hash: string }[];
  /** The subagent that made it; null: the session's own. */
  readonly child: string | null;
}

export interface FoldedCall {
  readonly kind: "call";
  readonly seq: number;
  readonly id: string;
  readonly recordId: string;
  readonly turn: string;
  readonly tool: string;
  readonly input: Json;
  readonly effect: Effect;
  readonly isForgotten: boolean;
  /** Left out: whoever made it recorded it. */
  readonly heard?: HeardOfCall;
  result: {
    readonly seq: number;
    readonly status: CallEndStatus;
    readonly output: Json;
    readonly isSynthetic: boolean;
    readonly isForgotten: boolean;
    /** A person stopped the turn while it ran. */
    readonly isStopped: boolean;
    /** The agent's own records have it; one that is synthetic, too, its program made up. */
    readonly isHeard?: true;
  } | null;
}

export type FoldedItem = FoldedMessage | FoldedCall;

export interface FoldedSupersede {
  readonly seq: number;
  readonly recordId: string;
  readonly fromSeq: number;
  readonly toSeq: number;
  readonly reason: SupersedeReason;
  readonly summary: readonly Part[] | null;
}

export interface FoldedTurn {
  readonly id: string;
  readonly beganSeq: number;
  outcome: TurnOutcome | null;
}

export class Fold {
  readonly items: FoldedItem[] = [];
  readonly supersedes: FoldedSupersede[] = [];
  readonly turns = new Map<string, FoldedTurn>();
  readonly metadata = new Map<string, Record<string, Json>>();
  /** Inputs seen queued, by id: a turn that takes one shows these parts. */
  readonly inputs = new Map<string, { readonly parts: readonly Part[]; readonly isForgotten: boolean }>();
  /** Ended as cancelled, also those that began before the window. */
  readonly stoppedTurns = new Set<string>();
  openTurn: string | null = null;
  head = 0;
  /** The time of the record at `head`; null: it was not read. */
  headAtMs: number | null = null;
  damaged = 0;
  readonly #messages = new Map<string, FoldedMessage>();
  readonly #calls = new Map<string, FoldedCall>();

  add(record: StoredRecord): void {
    if (record.seq >= this.head) this.headAtMs = record.atMs;
    this.head = Math.max(this.head, record.seq);
    if (record.isDamaged) {
      this.damaged++;
      return;
    }
    const body = record.body;
    switch (record.kind) {
      case "input.queued":
        this.inputs.set(text(body.input), { parts: partsOf(body), isForgotten: record.isForgotten });
        return;
      case "turn.began":
        this.#beginTurn(record);
        return;
      case "input.taken":
        this.#takeInput(record, text(body.input), text(body.turn));
        return;
      case "turn.ended":
        this.#endTurn(text(body.turn), body.outcome as TurnOutcome);
        return;
      case "message.added":
      case "message.opened":
        this.#addMessage(record);
        return;
      case "delivery.asked":
        this.#addMessage(record);
        return;
      case "message.grew":
      case "message.ended":
        this.#growMessage(record);
        return;
      case "call.started":
        this.#startCall(record);
        return;
      case "call.ended":
        this.#endCall(record);
        return;
      case "patched":
        this.#patch(text(body.record), body.metadata);
        return;
      case "superseded":
        this.supersedes.push(supersedeOf(record));
        return;
      default:
        return; // other kinds say nothing to the conversation
    }
  }

  callOf(id: string): FoldedCall | null {
    return this.#calls.get(id) ?? null;
  }

  /** Calls of a turn that have no result. */
  openCalls(turn: string): FoldedCall[] {
    return [...this.#calls.values()].filter((call) => call.turn === turn && call.result === null);
  }

  #beginTurn(record: StoredRecord): void {
    const turn = text(record.body.turn);
    this.turns.set(turn, { id: turn, beganSeq: record.seq, outcome: null });
    this.openTurn = turn;
    const input = record.body.input;
    if (typeof input === "string") this.#takeInput(record, input, turn);
    else if (Array.isArray(record.body.parts) || record.isForgotten) {
      this.#push({
        kind: "message",
        seq: record.seq,
        id: record.id,
        recordId: record.id,
        turn,
        role: "user",
        parts: partsOf(record.body),
        state: "final",
        isForgotten: record.isForgotten,
      });
    }
  }

  #takeInput(record: StoredRecord, input: string, turn: string): void {
    const queued = this.inputs.get(input);
    this.#push({
      kind: "message",
      seq: record.seq,
      id: `input:${input}`,
      recordId: record.id,
      turn,
      role: "user",
      parts: [...(queued?.parts ?? [])],
      state: "final",
      isForgotten: queued?.isForgotten ?? true,
    });
  }

  #endTurn(turn: string, outcome: TurnOutcome): void {
    const known = this.turns.get(turn);
    if (known) known.outcome = outcome;
    if (outcome === "cancelled") this.stoppedTurns.add(turn);
    if (this.openTurn === turn) this.openTurn = null;
  }

  #addMessage(record: StoredRecord): void {
    const isStreamed = record.kind === "message.opened";
    const { body } = record;
    this.#push({
      kind: "message",
      seq: record.seq,
      id: isStreamed ? text(body.message) : record.id,
      recordId: record.id,
      turn: typeof body.turn === "string" ? body.turn : null,
      role: roleOf(body.role),
      parts: isStreamed ? [] : partsOf(body),
      state: isStreamed ? "open" : "final",
      isForgotten: record.isForgotten && !isStreamed,
    });
  }

  #growMessage(record: StoredRecord): void {
    const message = this.#messages.get(text(record.body.message));
    if (!message) return;
    for (const part of partsOf(record.body)) appendPart(message.parts, part);
    // An ending carries text only when some was waiting; one without any is not forgotten text.
    if (record.isForgotten && record.kind === "message.grew") message.isForgotten = true;
    if (record.kind !== "message.ended") return;
    message.state = record.body.state === "cut-off" ? "cut-off" : "final";
    if (message.state === "cut-off") message.cutOffSeq = record.seq;
  }

  #startCall(record: StoredRecord): void {
    const { body } = record;
    const effect = body.effect;
    const call: FoldedCall = {
      kind: "call",
      seq: record.seq,
      id: text(body.call),
      recordId: record.id,
      turn: text(body.turn),
      tool: text(body.tool),
      input: body.input ?? null,
      effect: effect === "none" || effect === "idempotent" ? effect : "unknown",
      isForgotten: record.isForgotten,
      ...(body.heard === true ? { heard: heardOf(body) } : {}),
      result: null,
    };
    this.#calls.set(call.id, call);
    this.items.push(call);
  }

  #endCall(record: StoredRecord): void {
    const call = this.#calls.get(text(record.body.call));
    if (!call) return;
    call.result = {
      seq: record.seq,
      status: record.body.status as CallEndStatus,
      output: record.body.output ?? null,
      isSynthetic: record.body.synthetic === true,
      isStopped: record.body.stopped === true,
      isForgotten: record.isForgotten,
      ...(record.body.heard === true ? { isHeard: true as const } : {}),
    };
  }

  #patch(target: string, metadata: Json | undefined): void {
    if (typeof metadata !== "object" || metadata === null || Array.isArray(metadata)) return;
    this.metadata.set(target, { ...this.metadata.get(target), ...(metadata as Record<string, Json>) });
  }

  #push(message: FoldedMessage): void {
    this.#messages.set(message.id, message);
    this.items.push(message);
  }
}

function supersedeOf(record: StoredRecord): FoldedSupersede {
  const { body } = record;
  const toSeq = typeof body.to_seq === "number" ? body.to_seq : record.seq - 1;
  const reason = body.reason;
  return {
    seq: record.seq,
    recordId: record.id,
    fromSeq: typeof body.from_seq === "number" ? body.from_seq : record.seq,
    toSeq: Math.min(toSeq, record.seq - 1),
    reason: reason === "retry" || reason === "rewind" ? reason : "compaction",
    summary: Array.isArray(body.summary) ? readParts(body.summary) : null,
  };
}

function heardOf({ does, paths, wrote, child }: JsonObject): HeardOfCall {
  const written = Array.isArray(wrote) ? wrote.filter(isJsonObject) : [];
  return {
    does: typeof does === "string" ? does : null,
    paths: Array.isArray(paths) ? paths.filter((path) => typeof path === "string") : [],
    wrote: written.map(({ path, hash }) => ({ path: text(path), hash: text(hash) })),
    child: typeof child === "string" ? child : null,
  };
}

const text = (value: Json | undefined): string => (typeof value === "string" ? value : "");

const roleOf = (value: Json | undefined): "system" | "user" | "assistant" =>
  value === "system" || value === "user" ? value : "assistant";

const partsOf = (body: JsonObject): Part[] => readParts(body.parts);
