/**
 * A tool call (C2): its start was durable before this object existed; its result is durable before anyone sees it. When the
 * person stopped its turn it has a result already, which the model may have read (C5): what the tool then says of itself is
 * kept beside it, as metadata, and changes nothing a model sees.
 */
import { RefloatError } from "../model/errors.ts";
import type { Json } from "../model/json.ts";
import type { CallEndStatus, Effect, NewRecord } from "../model/record.ts";
import { crashPoint } from "../platform/crash-point.ts";
import { factId, newRecord } from "../session/new-record.ts";
import type { SessionJournal } from "./session-journal.ts";

export class Call {
  readonly id: string;
  readonly tool: string;
  readonly effect: Effect;
  readonly #journal: SessionJournal;
  readonly #input: Json;

  constructor(
    journal: SessionJournal,
    call: { readonly id: string; readonly tool: string; readonly effect: Effect; readonly input: Json },
  ) {
    this.#journal = journal;
    this.id = call.id;
    this.tool = call.tool;
    this.effect = call.effect;
    this.#input = call.input;
  }

  result(output: unknown): Promise<void> {
    return this.#end("done", output as Json);
  }

  failed(error: unknown): Promise<void> {
    return this.#end("failed", error instanceof Error ? error.message : (error as Json));
  }

  cancelled(reason = "cancelled"): Promise<void> {
    return this.#end("cancelled", reason);
  }

  async #end(status: CallEndStatus, output: Json): Promise<void> {
    crashPoint("call.before-ended");
    const { clock } = this.#journal;
    const said = { status, output: output ?? null };
    const body = { call: this.id, ...said, synthetic: false };
    try {
      await this.#append(newRecord(clock, "call.ended", body, factId("result", this.id)));
    } catch (thrown) {
      if (!this.#isStopped(thrown)) throw thrown;
      const late = { record: this.id, metadata: { late: said } };
      await this.#append(newRecord(clock, "patched", late, factId("late", this.id)));
    }
    this.#journal.captures.callEnded({ input: this.#input, effect: this.effect });
  }

  async #append(end: NewRecord): Promise<void> {
    await this.#journal.appendEnd([end], { record: end.id, what: "call", id: this.id });
  }

  #isStopped(thrown: unknown): boolean {
    const isOver = thrown instanceof RefloatError && thrown.code === "E_NOT_OPEN";
    return isOver && this.#journal.fold.callOf(this.id)?.result?.isStopped === true;
  }
}
