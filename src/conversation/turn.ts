/** A turn: from an input until the agent has answered, with an outcome (C8). Everything in it needs it open. */
import type { Json } from "../model/json.ts";
import { type Input, partsOfInput, type Role } from "../model/parts.ts";
import type { Effect, NewRecord, TurnOutcome } from "../model/record.ts";
import { crashPoint } from "../platform/crash-point.ts";
import { randomId } from "../platform/random.ts";
import { factId, newRecord } from "../session/new-record.ts";
import { Call } from "./call.ts";
import { unknownOutcome } from "./close-left-open.ts";
import { effectOfTool } from "./effects.ts";
import { MessageStream } from "./message-stream.ts";
import type { OpenStream, SessionJournal } from "./session-journal.ts";

export interface CallOptions {
  /** The provider's id of the call, if it has one; it must be unique in the session. */
  readonly id?: string;
  readonly tool: string;
  readonly input: unknown;
  /** What it may do to the world; left out: by a table of known read-only tools, else unknown. */
  readonly effect?: Effect;
}

export interface MessageOptions {
  readonly id?: string;
  readonly role: Role;
  readonly parts: Input;
}

export class Turn {
  readonly id: string;
  readonly #journal: SessionJournal;

  constructor(journal: SessionJournal, id: string) {
    this.#journal = journal;
    this.id = id;
  }

  /** A message written while it is made. */
  message(role: Role, options: { id?: string } = {}): MessageStream {
    return new MessageStream(this.#journal, this.id, role, options.id);
  }

  /** A whole message; durable when it resolves. */
  async append(message: MessageOptions): Promise<{ id: string; seq: number }> {
    const record = newRecord(
      this.#journal.clock,
      "message.added",
      { turn: this.id, role: message.role, parts: partsOfInput(message.parts) },
      message.id,
    );
    const { seqs } = await this.#journal.append([record]);
    return { id: record.id, seq: seqs[0] ?? 0 };
  }

  /** Durable before you run the tool (C2). */
  async call(options: CallOptions): Promise<Call> {
    const id = options.id ?? randomId();
    const effect = options.effect ?? effectOfTool(options.tool);
    const input = options.input as Json;
    const body = { call: id, turn: this.id, tool: options.tool, input, effect };
    await this.#journal.captures.callStarts(effect);
    crashPoint("call.before-started");
    await this.#journal.append([newRecord(this.#journal.clock, "call.started", body, factId("call", id))]);
    crashPoint("call.after-started");
    return new Call(this.#journal, { id, tool: options.tool, effect, input });
  }

  /** Takes a queued input into this turn while it runs: out of the queue and into the conversation in one step (C1). */
  async take(input: { readonly id: string }): Promise<void> {
    crashPoint("queue.before-take");
    await this.#journal.append([
      newRecord(
        this.#journal.clock,
        "input.taken",
        { input: input.id, turn: this.id },
        factId("taken", input.id),
      ),
    ]);
    crashPoint("queue.after-take");
  }

  /** `also`: records that belong to the end, such as the answer and who is owed it; all are there, or none. */
  async end(
    outcome: TurnOutcome,
    reason: string | null = null,
    also: readonly NewRecord[] = [],
  ): Promise<void> {
    const closing = await closeTurn(this.#journal, this.id, outcome);
    const body = { turn: this.id, outcome, reason, by: "agent" } as const;
    const ended = newRecord(this.#journal.clock, "turn.ended", body, `turn-end:${this.id}`);
    await this.#appendEnd([...closing.records, ...also, ended], ended);
    closing.done();
    this.#journal.captures.turnEnded();
  }

  /** Cancels this turn and answers a queued input instead, in one step: the text is never in neither place nor in both. */
  async cancelFor(input: { readonly id: string }, reason = "replaced by a newer input"): Promise<Turn> {
    const next = randomId();
    const closing = await closeTurn(this.#journal, this.id, "cancelled");
    crashPoint("queue.before-take");
    const { clock } = this.#journal;
    const body = { turn: this.id, outcome: "cancelled", reason } as const;
    const ended = newRecord(clock, "turn.ended", body, `turn-end:${this.id}`);
    const began = { turn: next, parts: null, input: input.id };
    await this.#appendEnd(
      [...closing.records, ended, newRecord(clock, "turn.began", began, `turn:${next}`)],
      ended,
    );
    closing.done();
    crashPoint("queue.after-take");
    this.#journal.captures.turnBegan();
    return new Turn(this.#journal, next);
  }

  async #appendEnd(records: readonly NewRecord[], ended: NewRecord): Promise<void> {
    await this.#journal.appendEnd(records, { record: ended.id, what: "turn", id: this.id });
  }
}

/**
 * What a turn's end takes along, in the same change: a turn that is over has no message that grows (C3), and one that was
 * stopped no call that nobody will hear of (C4). A late result of such a call is kept beside it (call.ts).
 */
interface TurnClosing {
  readonly records: readonly NewRecord[];
  /** To be called when they are on disk. */
  done(): void;
}

async function closeTurn(journal: SessionJournal, turn: string, outcome: TurnOutcome): Promise<TurnClosing> {
  const streams: OpenStream[] = [...journal.streams].filter((stream) => stream.turn === turn);
  const messages = await Promise.all(streams.map((stream) => stream.handOver()));
  // A call whose start is under way is begun by then, or refused.
  if (outcome === "cancelled") await journal.settled();
  return {
    records: [...(outcome === "cancelled" ? stoppedCalls(journal, turn) : []), ...messages.flat()],
    done: () => {
      for (const stream of streams) stream.ended();
    },
  };
}

/** Ids made from the turn's and the call's: an end whose answer got lost is sent again as the same records (D4). */
function stoppedCalls({ clock, fold }: SessionJournal, turn: string): NewRecord[] {
  return fold.openCalls(turn).map(({ id, effect }) =>
    newRecord(
      clock,
      "call.ended",
      {
        call: id,
        status: "unknown-outcome",
        output: unknownOutcome(effect, "stopped"),
        synthetic: true,
        stopped: true,
      },
      factId("stopped", `${turn} ${id}`),
    ),
  );
}
