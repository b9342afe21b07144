/** The bookkeeping behind a timeline, one record at a time. Lenient like every reader: what does not fit is left out (D5). */

import { saysFailed } from "../../model/call-output.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { agentReadUnder } from "../../model/owner.ts";
import type { StoredRecord } from "../../model/record.ts";
import type { HeldBefore } from "../../text/before-words.ts";
import { durationText } from "../../text/counting.ts";

export interface TimelineAttempt {
  readonly attempt: number;
  readonly label: string | null;
  readonly pid: number | null;
  readonly host: string | null;
  /** How the claim was free: new, released, dead, lost, broken. */
  readonly why: string;
  readonly reason: string | null;
  at: string;
  /** Null: it has not said that it ended. */
  ended_at: string | null;
  /** Nobody worked under it: what its agent wrote was read, and these are its agent's times where it says any. */
  readonly read_afterwards?: true;
}

export interface TimelineTurn {
  readonly id: string;
  readonly seq: number;
  readonly attempt: number | null;
  readonly started_at: string;
  ended_at: string | null;
  outcome: string | null;
  reason: string | null;
  /** What it answers, as text; null: it went on, or the text was forgotten. */
  input: string | null;
  /** What was last said in it; null: nothing yet. */
  said: string | null;
}

export interface TimelineCall {
  readonly id: string;
  readonly seq: number;
  readonly turn: string | null;
  readonly tool: string;
  readonly input: Json;
  /** The input is only the beginning of its text. */
  readonly input_cut?: true;
  readonly effect: string;
  /** What is held of the tree as it was before it, or that nothing is; left out: no hook said. */
  readonly before?: HeldBefore;
  readonly started_at: string;
  ended_at: string | null;
  status: string;
  /** True: nobody saw it end; recovery wrote its result (C4). */
  synthetic: boolean;
  /** Its output says that what it ran failed, whatever its status says; left out: it does not. */
  failed?: true;
}

export interface TimelineInput {
  readonly id: string;
  readonly seq: number;
  readonly at: string;
  readonly from: string | null;
  readonly text: string | null;
}

export interface TimelineOperation {
  readonly id: string;
  readonly label: string;
  readonly paths: readonly string[] | null;
  /** Of the record that began it. */
  readonly seq: number;
  readonly at: string;
  ended_at: string | null;
  state: "open" | "ended" | "aborted";
}

export interface TimelineDecision {
  readonly key: string;
  readonly value: Json;
  readonly reason: string | null;
  readonly step: string | null;
  readonly at: string;
}

/** What happened to the session as a whole. */
export interface TimelineNote {
  readonly seq: number;
  readonly at: string;
  readonly kind: string;
  readonly text: string;
}

export class TimelineFold {
  readonly attempts = new Map<number, TimelineAttempt>();
  readonly turns = new Map<string, TimelineTurn>();
  readonly calls = new Map<string, TimelineCall>();
  readonly operations: TimelineOperation[] = [];
  readonly decisions: TimelineDecision[] = [];
  readonly notes: TimelineNote[] = [];
  readonly #inputs = new Map<string, TimelineInput>();
  /** When whoever reads for the agent took the claim, by attempt. */
  readonly #readAt = new Map<number, string>();
  readonly #texts = new Map<string, string | null>();

  /** Inputs still waiting, oldest first. */
  get queue(): readonly TimelineInput[] {
    return [...this.#inputs.values()];
  }

  add(record: StoredRecord): void {
    if (record.isDamaged) return;
    const { body, kind } = record;
    const at = new Date(record.atMs).toISOString();
    switch (kind) {
      case "claim.taken":
        this.#begin(body, at);
        return;
      case "claim.released":
        this.#endAttempt(Number(body.attempt), at);
        return;
      case "input.queued":
        this.#queue(record, at);
        return;
      case "input.taken":
      case "input.dropped":
        this.#inputs.delete(text(body.input) ?? "");
        return;
      case "turn.began":
        this.#beginTurn(record, at);
        return;
      case "turn.ended":
        this.#endTurn(body, at);
        return;
      case "message.added":
      case "message.ended":
        this.#say(record, at);
        return;
      case "call.started":
        this.#startCall(record, at);
        return;
      case "call.ended":
        this.#endCall(record, at);
        return;
      case "operation.began":
        this.operations.push({
          id: text(body.operation) ?? "",
          label: text(body.label) ?? "",
          paths: Array.isArray(body.paths) ? body.paths.map(String) : null,
          ...{ seq: record.seq, at, ended_at: null },
          state: "open",
        });
        return;
      case "operation.ended": {
        const open = this.operations.find(({ id }) => id === body.operation);
        if (!open) return;
        open.state = body.aborted === true ? "aborted" : "ended";
        open.ended_at = at;
        return;
      }
      case "decided":
        this.decisions.push({
          key: text(body.key) ?? "",
          value: body.value ?? null,
          reason: text(body.reason),
          step: text(body.step),
          at,
        });
        return;
      default:
        this.#note(record, at);
    }
  }

  #begin(body: JsonObject, at: string): void {
    const owner = isJsonObject(body.owner) ? body.owner : {};
    const attempt = Number(body.attempt);
    const readOf = agentReadUnder(text(owner.label));
    if (readOf !== null) this.#readAt.set(attempt, at);
    this.attempts.set(attempt, {
      attempt,
      label: readOf ?? text(owner.label),
      pid: readOf === null && typeof owner.pid === "number" ? owner.pid : null,
      host: text(owner.host),
      why: text(body.why) ?? "new",
      reason: text(body.reason),
      at,
      ended_at: null,
      ...(readOf === null ? {} : { read_afterwards: true as const }),
    });
  }

  #endAttempt(attempt: number, at: string): void {
    const known = this.attempts.get(attempt);
    if (known) known.ended_at ??= at;
  }

  /** Under a reader's claim the times are the agent's: what has none of its own has the reading's, and says nothing. */
  #hear({ attempt, body }: StoredRecord, at: string): void {
    const readAt = body.heard === true ? this.#readAt.get(attempt ?? 0) : undefined;
    const known = readAt === undefined ? undefined : this.attempts.get(attempt ?? 0);
    if (!known || readAt === undefined || at >= readAt) return;
    if (known.ended_at === null || known.at > at) known.at = at;
    if (known.ended_at === null || known.ended_at < at) known.ended_at = at;
  }

  /** Of a turn that was read the prompt is a message, and everybody's last words are. */
  #say(record: StoredRecord, at: string): void {
    this.#hear(record, at);
    const { body } = record;
    const turn = this.turns.get(text(body.turn) ?? "");
    const said = textOfParts(body.parts);
    if (!turn || said === null || said.trim() === "") return;
    if (body.role === "user") turn.input ??= said;
    else if (body.role === "assistant" || record.kind === "message.ended") turn.said = said;
  }

  #queue({ seq, body }: StoredRecord, at: string): void {
    const id = text(body.input) ?? "";
    const said = textOfParts(body.parts);
    this.#texts.set(id, said);
    this.#inputs.set(id, { id, seq, at, from: text(body.from), text: said });
  }

  #beginTurn({ seq, body, attempt }: StoredRecord, at: string): void {
    if (body.interactive === true) return;
    const id = text(body.turn) ?? "";
    const taken = text(body.input);
    if (taken !== null) this.#inputs.delete(taken);
    const input = taken === null ? textOfParts(body.parts) : (this.#texts.get(taken) ?? null);
    this.turns.set(id, {
      id,
      seq,
      attempt,
      started_at: at,
      ended_at: null,
      outcome: null,
      reason: null,
      input,
      said: null,
    });
  }

  #endTurn(body: JsonObject, at: string): void {
    const turn = this.turns.get(text(body.turn) ?? "");
    if (!turn) return;
    turn.ended_at = at;
    turn.outcome = text(body.outcome);
    turn.reason = text(body.reason);
  }

  #startCall(record: StoredRecord, at: string): void {
    this.#hear(record, at);
    const { seq, body } = record;
    const id = text(body.call) ?? "";
    this.calls.set(id, {
      id,
      seq,
      turn: text(body.turn),
      tool: text(body.tool) ?? "",
      input: body.input ?? null,
      effect: text(body.effect) ?? "unknown",
      started_at: at,
      ended_at: null,
      status: "running",
      synthetic: false,
    });
  }

  #endCall(record: StoredRecord, at: string): void {
    this.#hear(record, at);
    const { body } = record;
    const call = this.calls.get(text(body.call) ?? "");
    if (!call) return;
    call.ended_at = at;
    call.status = text(body.status) ?? "done";
    call.synthetic = body.synthetic === true;
    if (saysFailed(body.output)) call.failed = true;
  }

  #note({ seq, kind, body }: StoredRecord, at: string): void {
    const said = noteText(kind, body);
    if (said !== null) this.notes.push({ seq, at, kind, text: said });
  }
}

function noteText(kind: string, body: JsonObject): string | null {
  switch (kind) {
    case "session.finished":
      return `finished: ${text(body.cause) ?? "clean"}`;
    case "operations.committed":
      return `committed as it went: ${text(body.commit)?.slice(0, 12) ?? ""}${labelsOf(body.operations)}`;
    case "operations.not-committed":
      return `not committed as it went: ${text(body.message) ?? ""}`;
    case "session.suspended":
      return `suspended: ${text(body.reason) ?? ""}`;
    case "session.lifted":
      return `lifted: ${text(body.reason) ?? ""}`;
    case "recovered":
      // Whoever was told to end and did has that for a cause; another one was there before the order.
      if (body.cause === "clean") return "cut off: the try before gave it back with its turn open";
      return body.asked === true && body.cause === "signal"
        ? "cut off: it was told to end, and did (cause signal)"
        : `recovered: the try before ended without saying so (cause ${text(body.cause) ?? "unknown"})`;
    case "agent.warned":
      return `told ${durationText(Number(body.left_ms))} before its time was up`;
    case "agent.disconnected":
      return "its agent's connection to refloat was closed";
    case "forgotten":
      return `${Number(body.records)} records erased${body.under_way === true ? " as a part of more" : ""}: ${text(body.selector) ?? ""} (${text(body.reason) ?? ""})`;
    case "rows.lost":
      return "some records were damaged and are lost";
    default:
      return null;
  }
}

const labelsOf = (labels: Json | undefined): string =>
  Array.isArray(labels) && labels.length > 0 ? ` (${labels.map(String).join(", ")})` : "";

const text = (value: Json | undefined): string | null => (typeof value === "string" ? value : null);

/** The text among the parts of an input; null when there is none. */
function textOfParts(parts: Json | undefined): string | null {
  if (!Array.isArray(parts)) return null;
  const texts = (parts as readonly Json[]).flatMap((part) =>
    isJsonObject(part) && typeof part.text === "string" ? [part.text] : [],
  );
  return texts.length > 0 ? texts.join("\n") : null;
}
