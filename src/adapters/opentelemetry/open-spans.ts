/** Spans that wait for their end, by what they are of. */
import { type Attributes, type Span, SpanStatusCode } from "@opentelemetry/api";

/** A turn that is never ended here (its claim was lost) must not be kept for ever: the oldest is ended as it is. */
export const MAX_OPEN = 10_000;

interface OpenSpan {
  readonly span: Span;
  readonly startMs: number;
  readonly attributes: Attributes;
}

interface Outcome {
  readonly outcome: string;
  readonly isGood: boolean;
}

export class OpenSpans {
  hasBegun = false;
  readonly #open = new Map<string, OpenSpan>();
  /** Known before the end itself. */
  readonly #settled = new Map<string, Outcome>();
  readonly #measure: (seconds: number, attributes: Attributes) => void;

  constructor(measure: (seconds: number, attributes: Attributes) => void) {
    this.#measure = measure;
  }

  get(key: string): Span | undefined {
    return this.#open.get(key)?.span;
  }

  add(key: string, open: OpenSpan): void {
    this.hasBegun = true;
    this.#open.get(key)?.span.end();
    const oldest = this.#open.size >= MAX_OPEN ? this.#open.entries().next() : null;
    if (oldest && !oldest.done) {
      const [longSince, { span }] = oldest.value;
      this.#forget(longSince);
      span.end();
    }
    this.#open.set(key, open);
  }

  /** How it will have ended. */
  settle(key: string, outcome: string, isGood: boolean): void {
    if (this.#open.has(key)) this.#settled.set(key, { outcome, isGood });
  }

  end(key: string, atMs: number, ...otherwise: [outcome: string, isGood: boolean]): void {
    const found = this.#open.get(key);
    if (!found) return;
    const [outcome, isGood] = otherwise;
    const how = this.#settled.get(key) ?? { outcome, isGood };
    this.#forget(key);
    const failed: Attributes = how.isGood ? {} : { "error.type": how.outcome };
    found.span.setAttributes({ "refloat.outcome": how.outcome, ...failed });
    if (!how.isGood) found.span.setStatus({ code: SpanStatusCode.ERROR, message: how.outcome });
    found.span.end(atMs);
    const operation = found.attributes["gen_ai.operation.name"];
    // The conventions measure operations; a session is none of them.
    if (operation === undefined) return;
    const seconds = Math.max(0, atMs - found.startMs) / 1000;
    this.#measure(seconds, { "gen_ai.operation.name": operation, ...failed });
  }

  #forget(key: string): void {
    this.#open.delete(key);
    this.#settled.delete(key);
  }

  /** What is open is ended without an outcome: nobody saw one. */
  stop(): void {
    for (const { span } of this.#open.values()) span.end();
    this.#open.clear();
    this.#settled.clear();
  }
}
