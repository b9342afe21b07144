/**
 * What the hooks of one session told, event by event in the order they came, as turns with their calls: pure. The transcript remains the
 * source of the conversation; from here comes what it lacks: the call that was open at a death, a result that was lost with the batch
 * it belonged to, the end record of a turn (L7). A result may come before its call: events are files, written side by side.
 */
import type { Heard, HeardAt, HeardCall, HeardMessage, HeardOutcome, HeardResult } from "../words/heard.ts";
import { isMade } from "../words/made-id.ts";

/** Calls that are kept to be compared with the journal's newest: the last ones of a long session (T5). */
const MAX_CALLS = 400;
/** Turns that are kept: what stands before them was taken in, or is history. */
const MAX_TURNS = 50;

export interface HookedCall {
  readonly call: HeardCall;
  /** How often the same was called before: what an agent gives no id is told apart by that. */
  readonly nth: number;
  result: HeardResult | null;
}

export interface HookedTurn {
  readonly prompt: HeardMessage | null;
  readonly calls: HookedCall[];
  end: { readonly outcome: HeardOutcome; readonly answer: string | null; readonly at: HeardAt } | null;
}

export class HookedWork {
  readonly #turns: HookedTurn[] = [];
  readonly #results = new Map<string, HeardResult>();
  readonly #counts = new Map<string, number>();
  #calls = 0;
  #isCut = false;
  /** Where the session was last given back: what stands before it in the journal is another claim's. */
  readonly since: number;
  /** The program ended and said so, and nothing came after it. */
  hasEnded = false;
  events = 0;
  /** When the first and the last event came, for people; null: none did. */
  firstAtMs: number | null = null;
  lastAtMs: number | null = null;

  constructor(since = 0) {
    this.since = since;
  }

  /** `cameAtMs`: when its event was written, for people: what says no time of its own has that. */
  hear(told: Heard, cameAtMs: number | null = null): void {
    this.events += 1;
    this.firstAtMs ??= cameAtMs;
    this.lastAtMs = cameAtMs ?? this.lastAtMs;
    const heard = this.#ofThisClaim("at" in told && told.at === null ? { ...told, at: cameAtMs } : told);
    if (heard.kind === "message" && heard.from === "person" && heard.child === null) this.#prompt(heard);
    else if (heard.kind === "call") this.#call(heard);
    else if (heard.kind === "result") this.#result(heard);
    else if (heard.kind === "turn-ended") this.#end(heard);
    else if (heard.kind === "ended") this.hasEnded = true;
    else if (heard.kind === "session") this.hasEnded = false;
  }

  /** An id that is made of the words is the same in every claim, and the journal has those of all: this one's are told apart by where it began. */
  #ofThisClaim(heard: Heard): Heard {
    const own = (id: string): string => (this.since > 0 && isMade(id) ? `${id}@${this.since}` : id);
    if (heard.kind === "message" || heard.kind === "call") return { ...heard, id: own(heard.id) };
    return heard.kind === "result" ? { ...heard, call: own(heard.call) } : heard;
  }

  /** Another process goes on: what the one before had begun came to no end that anybody told. */
  cut(): void {
    this.#isCut = true;
  }

  get turns(): readonly HookedTurn[] {
    return this.#turns;
  }

  /** The turn that was on last; null: nothing was asked or done. */
  get last(): HookedTurn | null {
    return this.#turns.at(-1) ?? null;
  }

  /** A call of the last turn began and never ended. */
  get isInCall(): boolean {
    const { last } = this;
    return last !== null && last.end === null && last.calls.some(({ result }) => result === null);
  }

  /** What hooks say of how the last turn stands is more than a transcript's look of it. */
  get tellsEnd(): boolean {
    return this.isInCall || this.last?.end != null;
  }

  #prompt(prompt: HeardMessage): void {
    this.hasEnded = false;
    const { last } = this;
    // Said while a tool runs, it belongs to the turn that is on.
    if (last !== null && last.end === null && this.isInCall && !this.#isCut) return;
    this.#isCut = false;
    this.#turns.push({ prompt: this.#toldApart(prompt), calls: [], end: null });
    if (this.#turns.length > MAX_TURNS) this.#turns.shift();
  }

  /** The same words asked again ("go on") are another turn: the id that is made of them has its number behind it, as a call's has. */
  #toldApart(prompt: HeardMessage): HeardMessage {
    const nth = this.#counts.get(prompt.id) ?? 0;
    this.#counts.set(prompt.id, nth + 1);
    return nth === 0 ? prompt : { ...prompt, id: `${prompt.id}-${nth + 1}` };
  }

  #call(call: HeardCall): void {
    if (call.id === "") return;
    this.hasEnded = false;
    const nth = this.#counts.get(call.id) ?? 0;
    // Only an id that we made ourselves may come again.
    if (nth > 0 && !isMade(call.id)) return;
    this.#counts.set(call.id, nth + 1);
    const early = this.#results.get(call.id) ?? null;
    this.#results.delete(call.id);
    this.#turnOn().calls.push({ call, nth, result: early });
    this.#calls += 1;
    if (this.#calls > MAX_CALLS) this.#forgetOldest();
  }

  #result(result: HeardResult): void {
    const open = this.#turns
      .flatMap(({ calls }) => calls)
      .find((one) => one.call.id === result.call && one.result === null);
    if (open) open.result = result;
    else if (!this.#counts.has(result.call)) this.#results.set(result.call, result);
  }

  /** A turn that is over ends once: what an agent's program says after it was cancelled is no completion. */
  #end({ outcome, answer, at }: Extract<Heard, { kind: "turn-ended" }>): void {
    const { last } = this;
    if (last === null || (last.end !== null && last.end.outcome !== "completed")) return;
    last.end = { outcome, answer: answer ?? null, at };
  }

  /** What is done after a turn's end, without a prompt, is a turn that goes on: an end that was called off is none. */
  #turnOn(): HookedTurn {
    const { last } = this;
    if (last !== null && !this.#isCut) {
      if (last.end?.outcome === "completed") last.end = null;
      if (last.end === null) return last;
    }
    this.#isCut = false;
    const turn: HookedTurn = { prompt: null, calls: [], end: null };
    this.#turns.push(turn);
    return turn;
  }

  #forgetOldest(): void {
    const oldest = this.#turns.find(({ calls }) => calls.length > 0);
    const at = oldest?.calls.findIndex(({ result }) => result !== null) ?? -1;
    oldest?.calls.splice(Math.max(at, 0), 1);
    this.#calls -= 1;
  }
}
