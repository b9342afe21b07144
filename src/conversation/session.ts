/**
 * A session as its owner holds it (DESIGN 11): inputs, turns, views, decisions, and the clean end. Made by
 * `beginSession`; every write goes out under its attempt and is durable when its promise resolves.
 */
import { giving, RefloatError } from "../model/errors.ts";
import type { Json } from "../model/json.ts";
import type { OwnKind } from "../model/own-kind.ts";
import { type Input, partsOfInput, type QueuedInput, type Receipt, readParts } from "../model/parts.ts";
import type { StoredRecord, SupersedeReason } from "../model/record.ts";
import type { View } from "../model/view.ts";
import { crashPoint } from "../platform/crash-point.ts";
import { randomId } from "../platform/random.ts";
import type { Heartbeat } from "../session/claims.ts";
import { factId, newRecord } from "../session/new-record.ts";
import type { SessionState } from "../session/state.ts";
import type { FollowOptions } from "../store/follow.ts";
import type { Recovered } from "./close-left-open.ts";
import { type ExportFormat, type Exports, exportAs } from "./export/export-as.ts";
import type { ForkOptions } from "./fork.ts";
import type { LivePiece } from "./live-piece.ts";
import { Operation } from "./operation.ts";
import { orderStop } from "./order-stop.ts";
import {
  type OwnRecord,
  type OwnRecordInput,
  type OwnRecordsRange,
  ownRecord,
  ownRecords,
  type RecordOptions,
} from "./own-records.ts";
import type { SessionJournal } from "./session-journal.ts";
import { Turn } from "./turn.ts";
import { type Audience, viewOf } from "./view.ts";

export interface SupersedeOptions {
  /** Last record to hide; left out: everything up to now. */
  readonly toSeq?: number;
  /** What stands in its place (compaction): same record, so never half done. */
  readonly summary?: Input;
  /** Refuse with E_HEAD_MOVED unless the session is still at this sequence number (C5). */
  readonly expectHead?: number;
}

/** What `session.capture` hands back: it is on disk (T1). */
export interface CaptureReceipt {
  readonly id: string;
  readonly seq: number;
  /** Some paths are named but not held. */
  readonly partial: boolean;
}

/** Takes a capture for a session. Given by whoever wires the rooms: this one knows no workspace. */
export type TakeCapture = (session: string, note: string | null) => Promise<CaptureReceipt>;

/** What `begin` found of the session. */
export interface FoundSession {
  /** As it was when it was begun: idle, interrupted, finished, suspended (`lift` ended that); live: it is new. */
  readonly state: SessionState;
  /** How often it ended without saying so since anything got done, the end that was found now included (L2). */
  readonly dirtyEnds: number;
  /** What recovery found and closed when this attempt began; null: the earlier one ended well, or there was none. */
  readonly recovered: Recovered | null;
  /** What was open when its last turn was cut off, whoever closed it, until another turn ends; null: nothing was cut off. */
  readonly wasOpen: Recovered | null;
}

export class Session implements FoundSession {
  readonly id: string;
  readonly attempt: number;
  readonly state: SessionState;
  readonly dirtyEnds: number;
  readonly recovered: Recovered | null;
  readonly wasOpen: Recovered | null;
  readonly #journal: SessionJournal;
  readonly #earlier: number | null;
  readonly #heartbeat: Heartbeat;
  readonly #takeCapture: TakeCapture | null;
  #isEnded = false;
  /** The last thing said about it was that a person stopped it. */
  #isStopped = false;
  #beginning: string | null = null;

  constructor(
    journal: SessionJournal,
    parts: {
      found: FoundSession;
      earlier: number | null;
      heartbeat: Heartbeat;
      takeCapture: TakeCapture | null;
    },
  ) {
    this.#takeCapture = parts.takeCapture;
    this.id = journal.session;
    this.attempt = journal.attempt;
    this.state = parts.found.state;
    this.dirtyEnds = parts.found.dirtyEnds;
    this.recovered = parts.found.recovered;
    this.wasOpen = parts.found.wasOpen;
    this.#journal = journal;
    this.#earlier = parts.earlier;
    this.#heartbeat = parts.heartbeat;
  }

  /** When the last record that this handle has seen was written; null: its window holds none. For people, never an order (D3). */
  get lastWrittenAt(): Date | null {
    const { headAtMs } = this.#journal.fold;
    return headAtMs === null ? null : new Date(headAtMs);
  }

  /** The sequence number of the last record this handle has seen. */
  get head(): number {
    return this.#journal.fold.head;
  }

  /**
   * Puts an input into the durable queue. The receipt is true: it is on disk (C1, T1). Anyone may, so a handle whose
   * session was taken over may too: the new owner answers it. After this handle's own end it is refused.
   */
  async enqueue(input: Input, options: { id?: string; from?: string } = {}): Promise<Receipt> {
    this.#assertNotEnded();
    const id = options.id ?? randomId();
    const record = newRecord(
      this.#journal.clock,
      "input.queued",
      { input: id, parts: partsOfInput(input), from: options.from ?? null },
      factId("input", id),
    );
    const { seqs } = await this.#journal.appendAsAnyone([record]);
    return { id, seq: seqs[0] ?? 0 };
  }

  /** The inputs waiting, oldest first, whoever queued them. */
  async queue({ limit }: { readonly limit?: number } = {}): Promise<QueuedInput[]> {
    const { store, session } = this.#journal;
    const queued: QueuedInput[] = [];
    const filter = { what: ["input"] as const, ...(limit === undefined ? {} : { limit }) };
    for (const row of await store.open(session, filter)) {
      const [record] = await store.records({ session, fromSeq: row.seq, toSeq: row.seq });
      const parts = record?.body.parts;
      const from = record?.body.from;
      queued.push({
        id: row.id,
        seq: row.seq,
        parts: readParts(parts),
        from: typeof from === "string" ? from : null,
      });
    }
    return queued;
  }

  /** Begins a turn on an input given here, or on a queued one (then it leaves the queue in the same step, C1). */
  async turn(input: Input | Receipt): Promise<Turn> {
    return isReceipt(input) ? this.#begin(null, input.id) : this.#begin(partsOfInput(input), null);
  }

  /** Goes on without a new input: after a result, or where a turn was interrupted (C7). */
  continueTurn(): Promise<Turn> {
    return this.#begin(null, null);
  }

  /** The turn that is open now, if this handle began one. */
  get openTurn(): Turn | null {
    const id = this.#journal.fold.openTurn;
    return id === null ? null : new Turn(this.#journal, id);
  }

  /**
   * A person stops it: what waits in the queue is dropped, the open turn ends as cancelled, its calls and messages with it, and
   * the model is told so (L4). Killed in the middle, the next owner does the rest. Returns the inputs that were dropped.
   */
  async stop(reason = "asked to stop"): Promise<string[]> {
    this.#assertNotEnded();
    const { store, session } = this.#journal;
    const dropped = await orderStop(store, session, reason);
    this.#isStopped = true;
    await this.#journal.settled();
    await this.#journal.catchUp();
    // It may end by itself in that very moment: then nothing is left to stop.
    await this.openTurn?.end("cancelled", reason).catch(giving(undefined, "E_NOT_OPEN"));
    return dropped;
  }

  view(audience: Audience): View {
    return viewOf(this.#journal.fold, audience, this.#earlier);
  }

  /** The model's view in a provider's format, valid for it whatever the journal holds (C6). */
  export<F extends ExportFormat>(format: F): Exports[F] {
    return exportAs(format, this.view("model"));
  }

  /** This session's records from one on, then what comes, as `store.follow`. */
  follow(fromSeq = 1, how: AbortSignal | FollowOptions = {}): AsyncGenerator<StoredRecord> {
    return this.#journal.store.follow(this.#journal.session, fromSeq, how);
  }

  /** Hears what messages of this handle get while they are written, before it is on disk; first what is not there yet. Call it to hear no more. */
  watchLive(listener: (piece: LivePiece) => void): () => void {
    this.#journal.hearLive.add(listener);
    for (const stream of this.#journal.streams) for (const piece of stream.tail()) listener(piece);
    return () => this.#journal.hearLive.delete(listener);
  }

  /** Takes in what other processes wrote to this session (inputs, orders). */
  refresh(): Promise<void> {
    return this.#journal.catchUp();
  }

  async patch(recordId: string, metadata: Record<string, Json>): Promise<void> {
    await this.#journal.append([newRecord(this.#journal.clock, "patched", { record: recordId, metadata })]);
  }

  /** Hides a stretch of the conversation from the model; nothing is erased (D2). Returns the record's sequence number. */
  async supersede(fromSeq: number, reason: SupersedeReason, options: SupersedeOptions = {}): Promise<number> {
    const body = {
      from_seq: fromSeq,
      to_seq: options.toSeq ?? null,
      reason,
      summary: options.summary === undefined ? null : partsOfInput(options.summary),
    };
    const guard = options.expectHead === undefined ? {} : { expectHead: options.expectHead };
    const { seqs } = await this.#journal.append([newRecord(this.#journal.clock, "superseded", body)], guard);
    return seqs[0] ?? 0;
  }

  /**
   * A record of a kind of your own, `yours:what`: durable when it resolves. Of a kind made by `ownKind` the body is checked first.
   */
  record(kind: string, body: object, options?: RecordOptions): Promise<Receipt>;
  record<In>(kind: OwnKind<In, unknown>, body: In, options?: RecordOptions): Promise<Receipt>;
  async record(kind: string | OwnKind, body: unknown, options: RecordOptions = {}): Promise<Receipt> {
    const [receipt] = await this.recordAll([{ ...options, kind, body }]);
    return receipt as Receipt;
  }

  /** Several, all or none: one change of the journal. */
  async recordAll(records: readonly OwnRecordInput[]): Promise<Receipt[]> {
    const made = await Promise.all(records.map((one) => ownRecord(this.#journal.clock, one)));
    const { seqs } = made.length === 0 ? { seqs: [] } : await this.#journal.append(made);
    return made.map(({ id }, at) => ({ id, seq: seqs[at] ?? 0 }));
  }

  /** What was recorded of one kind, read from the journal; of a kind made by `ownKind` with its types. */
  records(kind: string, range?: OwnRecordsRange): AsyncGenerator<OwnRecord>;
  records<Out>(kind: OwnKind<unknown, Out>, range?: OwnRecordsRange): AsyncGenerator<OwnRecord<Out>>;
  records(kind: string | OwnKind, range?: OwnRecordsRange): AsyncGenerator<OwnRecord<unknown>> {
    return ownRecords(this.#journal.store, this.#journal.session, kind, range);
  }

  /**
   * A new session whose journal begins as this one's did, up to this record (left out: all of it): its id, for `begin`. What waits in
   * the queue, captures and operations stay here; a turn that is open is interrupted in the fork.
   */
  async fork(atSeq = this.head, options: ForkOptions = {}): Promise<Receipt> {
    const { forkSession } = await import("./fork.ts");
    return forkSession(this.#journal.store, this.#journal.session, atSeq, options);
  }

  async operation(label: string, options: { paths?: readonly string[] } = {}): Promise<Operation> {
    const id = randomId();
    const body = { operation: id, label, paths: options.paths ? [...options.paths] : null };
    await this.#journal.append([newRecord(this.#journal.clock, "operation.began", body, `operation:${id}`)]);
    if (body.paths === null) await this.#journal.captures.operationBegan();
    return new Operation(this.#journal, id, label);
  }

  async decide(
    key: string,
    value: unknown,
    options: { reason?: string; step?: string | number } = {},
  ): Promise<void> {
    const step = options.step === undefined ? null : String(options.step);
    const body = { key, value: value as Json, reason: options.reason ?? null, step };
    await this.#journal.append([newRecord(this.#journal.clock, "decided", body)]);
  }

  /** Holds the exact state of the workspace as it is now. Throws, and there is no capture, when that cannot be done (W4). */
  async capture(note?: string): Promise<CaptureReceipt> {
    if (!this.#takeCapture)
      throw new RefloatError("E_UNSUPPORTED", {
        what: "A capture",
        why: "this session was begun without a workspace's door",
        instead: "Begin it through `openStore`.",
      });
    this.#assertNotEnded();
    return this.#takeCapture(this.id, note ?? null);
  }

  /** The clean end. Refused while a turn is open: end it first, with its outcome. */
  async finish(): Promise<void> {
    const open = this.#journal.fold.openTurn;
    if (open !== null) throw new RefloatError("E_TURN_OPEN", { id: open });
    const { clock } = this.#journal;
    if (!this.#isEnded) await this.#journal.captures.ending();
    await this.#leave([
      newRecord(clock, "session.finished", { cause: this.#isStopped ? "signal" : "clean" }),
      newRecord(clock, "claim.released", { attempt: this.attempt }),
    ]);
  }

  /** Gives the claim back without ending the session: the next one may go on at once. */
  async release(): Promise<void> {
    if (!this.#isEnded) await this.#journal.captures.ending();
    await this.#leave([newRecord(this.#journal.clock, "claim.released", { attempt: this.attempt })]);
  }

  async #leave(records: Parameters<SessionJournal["release"]>[0]): Promise<void> {
    this.#assertNotEnded();
    await this.#journal.release(records);
    this.#isEnded = true;
    this.#heartbeat.stop();
  }

  #assertNotEnded(): void {
    if (this.#isEnded) throw new RefloatError("E_CLOSED", { what: "session" });
  }

  async #begin(parts: ReturnType<typeof partsOfInput> | null, input: string | null): Promise<Turn> {
    const open = this.#journal.fold.openTurn ?? this.#beginning;
    if (open !== null) throw new RefloatError("E_TURN_OPEN", { id: open });
    const id = randomId();
    this.#beginning = id; // a second call before this one is on disk must not open a second turn
    try {
      crashPoint("queue.before-take");
      await this.#journal.append([
        newRecord(this.#journal.clock, "turn.began", { turn: id, parts, input }, `turn:${id}`),
      ]);
      crashPoint("queue.after-take");
      this.#isStopped = false;
    } finally {
      this.#beginning = null;
    }
    this.#journal.captures.turnBegan();
    return new Turn(this.#journal, id);
  }
}

function isReceipt(input: Input | Receipt): input is Receipt {
  return (
    typeof input === "object" &&
    !Array.isArray(input) &&
    "id" in input &&
    "seq" in input &&
    !("type" in input)
  );
}
