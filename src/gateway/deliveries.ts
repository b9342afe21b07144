/**
 * The deliveries one conversation owes, in order, each at least once. On disk after each step:
 *  1. `delivery.owed`, with the turn's end: an answer nobody has begun to send;
 *  2. `delivery.attempted`, before the send: from here on a crash means "may be a duplicate";
 *  3. `delivery.ended` (delivered) or `delivery.failed` after it.
 * Only the conversation's owner sends (K1): step 2 is refused to everybody else.
 */
import { ensureError, RefloatError } from "../model/errors.ts";
import type { SessionId } from "../model/ids.ts";
import type { Json } from "../model/json.ts";
import { type Part, readParts } from "../model/parts.ts";
import type { BodyOf, NewRecord, StoredRecord } from "../model/record.ts";
import type { Clock } from "../platform/clock.ts";
import { randomId } from "../platform/random.ts";
import { newRecord } from "../session/new-record.ts";
import type { Host } from "./host.ts";
import type { Delivery, TurnInput } from "./options.ts";
import type { GatewayPolicy } from "./policy.ts";

/** Said first in an answer whose earlier send may have arrived. */
const DUPLICATE_LINE = "(This may be a duplicate: the earlier sending was interrupted.)";

const SEND_KINDS = ["delivery.owed", "delivery.asked", "delivery.attempted", "delivery.failed"];

export interface OwedDelivery {
  readonly id: string;
  readonly owedAtMs: number;
  readonly input: string | null;
  readonly route: Json;
  readonly parts: readonly Part[];
  readonly sends: SendEnd[];
}

export class Deliveries {
  readonly #host: Host;
  readonly #session: SessionId;
  readonly #attempt: number;
  readonly #owed: OwedDelivery[] = [];
  /** Everything this handle has taken up, sent or not. */
  readonly #known = new Set<string>();
  #looking: Promise<void> = Promise.resolve();
  #looks = 0;
  #waiting: AbortController | null = null;
  #isDraining = false;
  #isStopped = false;
  #pumping: Promise<void> = Promise.resolve();
  #isPumping = false;
  #failure: { readonly thrown: unknown } | null = null;

  constructor(host: Host, session: SessionId, attempt: number) {
    this.#host = host;
    this.#session = session;
    this.#attempt = attempt;
  }

  /** What an earlier attempt left owed, with every send of it: a day of refusals is more than a page. */
  async load(): Promise<void> {
    const { store } = this.#host;
    const all = await store.open(this.#session, { what: ["delivery"] });
    const open = all.filter(({ id }) => !this.#known.has(id));
    const records = new Map(open.map(({ id }) => [id, [] as StoredRecord[]]));
    if (open.length > 0) {
      const fromSeq = Math.min(...open.map(({ seq }) => seq));
      for await (const record of store.journal(this.#session, { fromSeq, kinds: SEND_KINDS }))
        records.get(String(record.body.delivery))?.push(record);
    }
    for (const { id } of open.toSorted((a, b) => a.seq - b.seq)) {
      const owed = owedOf(records.get(id) ?? []);
      if (owed && !this.#known.has(id)) this.#push(owed);
    }
    this.#pump();
  }

  /** Somebody asked for something to be said since: it is taken up, once. */
  look(): void {
    this.#looks++;
    this.#looking = this.load().then(
      () => {
        this.#looks--;
      },
      (thrown: unknown) => {
        this.#looks--;
        this.#failure ??= { thrown };
      },
    );
  }

  #push(owed: OwedDelivery): void {
    this.#known.add(owed.id);
    this.#owed.push(owed);
  }

  /** What is owed and on disk is sent. */
  add(owed: OwedDelivery): void {
    if (!this.#known.has(owed.id)) this.#push(owed); // a look may have found it first
    this.#pump();
  }

  /** Nothing is being sent and nothing waits to be sent again. */
  get isDone(): boolean {
    return !this.#isPumping && this.#looks === 0;
  }

  /** Waits until nothing is owed any more; in a drain until there is nothing to send but by waiting. */
  async done(): Promise<void> {
    while (this.#looks > 0) await this.#looking;
    await this.#pumping;
    if (this.#failure) throw this.#failure.thrown;
  }

  /** A drain, or another handle is to go on: what can be sent now is sent; what would have to wait stays owed. */
  drain(): void {
    this.#isDraining = true;
    this.#waiting?.abort();
  }

  /** The drain's time is up: no other send begins. */
  stop(): void {
    this.#isStopped = true;
    this.drain();
  }

  #pump(): void {
    if (this.#isPumping || this.#owed.length === 0 || this.#failure) return;
    this.#isPumping = true;
    this.#pumping = this.#sendAll().then(
      () => {
        this.#isPumping = false;
      },
      (thrown: unknown) => {
        this.#isPumping = false;
        this.#failure = { thrown }; // `done` hands it on: the conversation fails as a whole and is taken up again
      },
    );
  }

  async #sendAll(): Promise<void> {
    for (let next = this.#owed[0]; next && !this.#isStopped; next = this.#owed[0]) {
      const step = await this.#step(next);
      if (step === "waits") return;
      if (step === "settled") this.#owed.shift();
    }
  }

  async #step(owed: OwedDelivery): Promise<"settled" | "again" | "waits"> {
    const { store, policy } = this.#host;
    const decision = decideDelivery(owed, store.clock.nowMs(), policy);
    switch (decision.kind) {
      case "abandon":
        await this.#append("delivery.ended", {
          delivery: owed.id,
          outcome: "abandoned",
          reason: decision.why,
        });
        this.#host.trouble(
          this.#session,
          new RefloatError("E_DELIVERY_GIVEN_UP", {
            id: owed.id,
            session: this.#session,
            why: decision.why,
          }),
        );
        return "settled";
      case "send":
        if (!(await this.#wait(decision.afterMs))) return "waits";
        return (await this.#send(owed, { mayBeDuplicate: decision.mayBeDuplicate })) ? "settled" : "again";
      default:
        return decision satisfies never;
    }
  }

  /** False: a drain does not wait. */
  async #wait(ms: number): Promise<boolean> {
    if (ms <= 0) return true;
    if (this.#isDraining) return false;
    const waiting = new AbortController();
    this.#waiting = waiting;
    await this.#host.store.clock.sleep(ms, waiting.signal).catch((thrown: unknown) => {
      if (!waiting.signal.aborted) throw thrown;
    });
    this.#waiting = null;
    return !this.#isDraining;
  }

  async #send(
    owed: OwedDelivery,
    { mayBeDuplicate }: { readonly mayBeDuplicate: boolean },
  ): Promise<boolean> {
    const number = owed.sends.length + 1;
    await this.#append("delivery.attempted", { delivery: owed.id, number, may_be_duplicate: mayBeDuplicate });
    owed.sends.push("begun");
    const failed = await this.#deliver({
      id: owed.id,
      session: this.#session,
      route: owed.route,
      input: owed.input,
      parts: mayBeDuplicate ? [{ type: "text", text: DUPLICATE_LINE }, ...owed.parts] : owed.parts,
      mayBeDuplicate,
      number,
    });
    if (failed === null) {
      await this.#append("delivery.ended", { delivery: owed.id, outcome: "delivered", reason: null });
      return true;
    }
    await this.#append("delivery.failed", { delivery: owed.id, number, ...failed });
    owed.sends[number - 1] = failed.arrived === "no" ? "did-not-arrive" : "may-have-arrived";
    return false;
  }

  async #deliver(delivery: Delivery): Promise<{ arrived: "no" | "unknown"; error: string } | null> {
    try {
      const end = await this.#host.options.deliver(delivery);
      switch (end.kind) {
        case "delivered":
          return null;
        case "not-sent":
          return { arrived: "no", error: end.why };
        default:
          return end satisfies never;
      }
    } catch (thrown) {
      return { arrived: "unknown", error: ensureError(thrown).message };
    }
  }

  async #append<K extends "delivery.attempted" | "delivery.failed" | "delivery.ended">(
    kind: K,
    body: BodyOf<K>,
  ): Promise<void> {
    const record = newRecord(this.#host.store.clock, kind, body);
    await this.#host.store.append(this.#session, { attempt: this.#attempt }, [record]);
  }
}

/** A new debt: the record that says so, and what to send once it is on disk. */
export function owe(
  clock: Clock,
  { turn, input, parts }: { turn: string; input: TurnInput | null; parts: readonly Part[] },
): { readonly record: NewRecord; readonly owed: OwedDelivery } {
  const id = randomId();
  const route = input?.route ?? null;
  const inputId = input?.id ?? null;
  const body = { delivery: id, turn, input: inputId, route, parts: [...parts] };
  return {
    record: newRecord(clock, "delivery.owed", body, `delivery:${id}`),
    owed: { id, owedAtMs: clock.nowMs(), input: inputId, route, parts, sends: [] },
  };
}

function owedOf(records: readonly StoredRecord[]): OwedDelivery | null {
  const owed = records.find(({ kind }) => kind === "delivery.owed" || kind === "delivery.asked");
  if (!owed) return null;
  const sends: SendEnd[] = [];
  for (const { kind, body } of records) {
    if (kind === "delivery.attempted") sends.push("begun");
    if (kind === "delivery.failed")
      sends[sends.length - 1] = body.arrived === "no" ? "did-not-arrive" : "may-have-arrived";
  }
  const { body } = owed;
  return {
    id: String(body.delivery),
    owedAtMs: owed.atMs,
    input: typeof body.input === "string" ? body.input : null,
    route: (body.route ?? null) as Json,
    parts: readParts(body.parts),
    sends,
  };
}

// What to do with an answer that is owed: at least once, and never twice without saying so (T1). Pure.
//
// | what is known of earlier sends            | now                                      |
// |-------------------------------------------|------------------------------------------|
// | none                                      | send                                     |
// | begun, nobody saw its end (a crash)       | send, saying it may be a duplicate       |
// | failed, and it certainly did not arrive   | send again later, plainly                |
// | failed, and it may have arrived           | send again later, saying so              |
// | too many that may have arrived, or too old| give up; the answer stays in the journal |

/** How an earlier send ended: `begun` is one whose end was not recorded. */
export type SendEnd = "begun" | "did-not-arrive" | "may-have-arrived";

interface OwedFacts {
  readonly owedAtMs: number;
  readonly sends: readonly SendEnd[];
}

type DeliveryDecision =
  | { readonly kind: "send"; readonly mayBeDuplicate: boolean; readonly afterMs: number }
  | { readonly kind: "abandon"; readonly why: string };

export function decideDelivery(
  facts: OwedFacts,
  nowMs: number,
  policy: Pick<
    GatewayPolicy,
    "deliveryAttempts" | "deliveryMaxAgeMs" | "deliveryBackoffMs" | "deliveryMaxBackoffMs"
  >,
): DeliveryDecision {
  const uncertain = facts.sends.filter((end) => end !== "did-not-arrive").length;
  if (uncertain >= policy.deliveryAttempts) {
    return { kind: "abandon", why: `${uncertain} sends may have arrived and none was confirmed` };
  }
  if (nowMs - facts.owedAtMs > policy.deliveryMaxAgeMs) {
    return { kind: "abandon", why: "it is owed for too long" };
  }
  return { kind: "send", mayBeDuplicate: uncertain > 0, afterMs: backoffMs(facts.sends, policy) };
}

/** After a crash at once: the start itself was the pause. After a failure longer each time. */
function backoffMs(
  sends: readonly SendEnd[],
  policy: Pick<GatewayPolicy, "deliveryBackoffMs" | "deliveryMaxBackoffMs">,
): number {
  const last = sends.at(-1);
  if (last === undefined || last === "begun") return 0;
  return Math.min(policy.deliveryBackoffMs * 2 ** (sends.length - 1), policy.deliveryMaxBackoffMs);
}
