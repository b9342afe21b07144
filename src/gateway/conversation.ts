/**
 * One conversation while there is something to do in it: claimed, its interrupted turn judged, its inputs
 * answered in order, its answers delivered, released. One turn at a time, by the claim on the durable session
 * (K1), whatever routes lead to it. Nothing of an idle conversation stays in memory.
 */
import { beginSession } from "../conversation/begin.ts";
import type { Session } from "../conversation/session.ts";
import { ensureError, RefloatError } from "../model/errors.ts";
import type { SessionId } from "../model/ids.ts";
import { within } from "../platform/within.ts";
import { Held } from "../session/claims.ts";
import { continuedBy, renewedAs } from "../session/describe.ts";
import { newRecord } from "../session/new-record.ts";
import type { SessionRow } from "../store/contract/driver.ts";
import type { StopOrder } from "./answer.ts";
import { Deliveries } from "./deliveries.ts";
import type { Host } from "./host.ts";
import { readInput } from "./inbox.ts";
import {
  interruptedInput,
  isUnderSuspicion,
  readInterruption,
  type TurnInterruption,
} from "./interruption.ts";
import { judge } from "./judge.ts";
import { isLeftAlready, leaveTurn } from "./leave-turn.ts";
import { moveInputs } from "./move-inputs.ts";
import { type RunningTurn, type RunTurnEnd, runTurn, type TurnStart } from "./run-turn.ts";
import { cutOff } from "./turn-end.ts";

/** A handle keeps its conversation in memory; after so many turns a fresh one with a bounded window goes on. */
const TURNS_PER_CLAIM = 50;
/** Between two tries to take up a conversation that is held elsewhere or whose store failed. */
const RETRY_MS = 1_000;
const MAX_RETRY_MS = 60_000;

export type ServeEnd = "done" | "held" | "failed";

export class Conversation {
  readonly id: SessionId;
  readonly #host: Host;
  readonly #onIdle: () => void;
  #isWanted = false;
  #onPoke: (() => void) | null = null;
  #serving: Promise<void> | null = null;
  #session: Session | null = null;
  #deliveries: Deliveries | null = null;
  #running: RunningTurn | null = null;
  #beginning: Promise<void> | null = null;
  /** Kept: a turn that was being begun when it came must not run on after it. A drain's stands to the end. */
  #order: StopOrder | null = null;
  #turnsOfHandle = 0;
  #isInterrupted = false;
  #isCutOff = false;
  /** A turn of this handle was cut off, and its answer may still be writing: another handle goes on. */
  #isOverdue = false;
  #cuttingOff: Promise<void> | null = null;
  #hasLostTurn = false;
  #retry: { readonly dueMs: number; readonly tries: number } | null = null;

  constructor(host: Host, id: SessionId, onIdle: () => void) {
    this.#host = host;
    this.id = id;
    this.#onIdle = onIdle;
  }

  get running(): RunningTurn | null {
    return this.#running;
  }

  /** A drain ended it: nothing more is begun in it by this instance. */
  get wasInterrupted(): boolean {
    return this.#isInterrupted || this.#isCutOff;
  }

  /** A turn of it was cut off, not only its waiting for one or a delivery. */
  get hasLostTurn(): boolean {
    return this.#hasLostTurn;
  }

  get isServing(): boolean {
    return this.#serving !== null;
  }

  /** There may be something to do. */
  poke(): void {
    this.#isWanted = true;
    this.#onPoke?.();
    if (this.#serving || this.#isCutOff) return;
    this.#serving = this.#serve();
  }

  /** Something was asked to be said while this may be serving: it does not wait for the turn to end. */
  lookForSends(): void {
    this.#deliveries?.look();
  }

  /** Tries again what was held elsewhere or failed, when it is due. */
  retryIfDue(nowMs: number): void {
    if (this.#retry && nowMs >= this.#retry.dueMs) this.poke();
  }

  stop(order: StopOrder): void {
    if (order.kind === "drain") this.#deliveries?.stop();
    if (order.kind === "drain" || this.#beginning) this.#order = order;
    this.#running?.abort.abort(order);
  }

  /** A turn that is being begun: on disk perhaps, and not running yet. */
  get beginning(): Promise<void> | null {
    return this.#beginning;
  }

  /** A drain has begun: the running turn may end, the send under way too; no other begins. */
  drain(): void {
    this.#deliveries?.drain();
  }

  /** The drain's time is up and this turn is not over: close it and let go. */
  async cutOff(cause: string): Promise<void> {
    if (this.#session && !this.#isCutOff) this.#cuttingOff = this.#cutOff(this.#session, cause);
    await this.#cuttingOff; // whoever began it: the claim is given back when this resolves
    this.#running?.giveUp();
  }

  async #cutOff(session: Session, cause: string): Promise<void> {
    this.#isCutOff = true;
    this.#hasLostTurn = await cutOff(this.#host.store, session, cause, {
      isAsked: this.#host.isEndAsked(),
    }).catch((thrown: unknown) => {
      if (isGone(thrown)) return false; // it was being given back at that very moment
      throw thrown;
    });
  }

  async settled(): Promise<void> {
    await this.#serving;
  }

  async #serve(): Promise<void> {
    let end: ServeEnd = "done";
    while (this.#isWanted && end === "done" && !this.#isCutOff) {
      this.#isWanted = false;
      end = await this.#serveOnce();
    }
    this.#serving = null;
    if (end === "done") {
      this.#retry = null;
      this.#onIdle();
    } else {
      const tries = (this.#retry?.tries ?? 0) + 1;
      const waitMs = end === "held" ? RETRY_MS : Math.min(RETRY_MS * 2 ** (tries - 1), MAX_RETRY_MS);
      this.#retry = { tries, dueMs: this.#host.store.clock.monotonicMs() + waitMs };
    }
  }

  /** Never rejects: what went wrong is reported, and the conversation is tried again later. */
  async #serveOnce(): Promise<ServeEnd> {
    try {
      await this.#giveBackLost();
      const session = await this.#begin();
      this.#session = session;
      this.#turnsOfHandle = 0;
      this.#isOverdue = false;
      const deliveries = new Deliveries(this.#host, this.id, session.attempt);
      this.#deliveries = deliveries;
      await deliveries.load();
      if (this.#host.isDraining()) deliveries.drain();
      await this.#host.opened();
      await this.#work(session, deliveries);
      if (this.#isInterrupted) await this.cutOff("timeout");
      else if (!this.#isCutOff) await session.release();
      this.#session = null;
      this.#deliveries = null;
      return "done";
    } catch (thrown) {
      if (this.#isCutOff) return "done"; // its late writes were refused, as they should be
      if (thrown instanceof Held) return "held";
      this.#host.trouble(this.id, ensureError(thrown));
      return "failed";
    }
  }

  /** Turns and deliveries until there is neither. An input that comes while a delivery waits is answered meanwhile. */
  async #work(session: Session, deliveries: Deliveries): Promise<void> {
    for (;;) {
      this.#isWanted = false;
      const isSpent = await this.#turns(session, deliveries);
      if (isSpent) {
        this.#isWanted = true; // and a fresh handle goes on
        deliveries.drain();
      }
      if (this.#isOverdue) return this.#lastSends(deliveries);
      const wanted = isSpent ? [] : [this.#nextPoke()];
      await Promise.race([deliveries.done(), ...wanted]);
      // Whoever poked meanwhile may mean what was answered since: this handle looks once more, it is not claimed anew for it.
      const isIdle = deliveries.isDone && !this.#isWanted;
      if (isSpent || isIdle || this.wasInterrupted) return deliveries.done();
    }
  }

  /** A send under way may be seen to end, but the fence does not wait for it long: unseen, it is sent again and says so (T1). */
  async #lastSends(deliveries: Deliveries): Promise<void> {
    const { store, policy } = this.#host;
    await within(store.clock, policy.stopGraceMs, deliveries.done());
    deliveries.stop();
  }

  #nextPoke(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#isWanted) resolve();
      else this.#onPoke = resolve;
    });
  }

  #begin(): Promise<Session> {
    const { store, options, workspace, window } = this.#host;
    const { endOf } = this.#host;
    return beginSession(store, { id: this.id, agent: options.agent, workspace, window, endOf });
  }

  /** A try that failed in the middle still holds the claim in this process's name: give it back as it stands. */
  async #giveBackLost(): Promise<void> {
    const lost = this.#session;
    if (!lost) return;
    try {
      await lost.release();
    } catch (thrown) {
      if (!isGone(thrown)) throw thrown;
    }
    this.#session = null;
  }

  /** True: this handle must not go on (its share of turns, a turn that was cut off) and there may be more to do. */
  async #turns(session: Session, deliveries: Deliveries): Promise<boolean> {
    let left = await this.#takeUp(session, deliveries);
    if (this.#isOverdue) return true;
    while (!this.wasInterrupted) {
      // Looked at before each: suspended or begun anew while a turn ran, what waits behind it is not begun here (L4).
      const row = await this.#host.store.session(this.id);
      if ((await this.#hasMovedOn(row)) || (await this.#staysSuspended(row))) return false;
      if (!this.#host.mayBeginTurns()) return false;
      const [next] = await session.queue({ limit: 1 });
      if (!next) return false;
      if (this.#turnsOfHandle >= TURNS_PER_CLAIM) return true;
      this.#turnsOfHandle++;
      const input = await readInput(this.#host.store, this.id, next.id);
      if (!input) throw new RefloatError("E_INTERNAL", { why: `a queued input has no record: ${next.id}` });
      const continues = row && (await this.#firstAfter(row));
      const isAlone = left !== null && isUnderSuspicion(left, this.#host.policy);
      const start: TurnStart = { kind: "input", input, seq: next.seq, left, continues, isAlone };
      await this.#run(session, deliveries, start);
      if (this.#isOverdue) return true;
      left = null;
    }
    return false;
  }

  /** It was begun anew: what waits here is answered there. */
  async #hasMovedOn(row: SessionRow | null): Promise<boolean> {
    const to = renewedAs(row);
    if (to === null) return false;
    await moveInputs(this.#host, this.id, to);
    return true;
  }

  /** In the first turn after a fresh start: where the conversation was before. */
  async #firstAfter(row: SessionRow): Promise<string | null> {
    const { store } = this.#host;
    const before = continuedBy(row);
    if (!before) return null;
    const began = await store.records({ session: this.id, kinds: ["turn.began"], limit: 1 });
    return began.length === 0 ? before : null;
  }

  /** An interrupted turn is gone on with, or left: then the next turn is told of it. */
  async #takeUp(session: Session, deliveries: Deliveries): Promise<TurnInterruption | null> {
    const { store } = this.#host;
    const row = await store.session(this.id);
    const interruption = row && (await readInterruption(store, row));
    if (!row || !interruption) return null;
    const { decision } = await judge(this.#host, row, interruption);
    if (decision.kind === "resume" && this.#host.mayBeginTurns()) {
      const input = await interruptedInput(store, this.id, interruption);
      const { isAlone } = decision;
      const judgedAt = row.head;
      await this.#run(session, deliveries, { kind: "resume", interruption, input, judgedAt, isAlone });
      return null;
    }
    if (decision.kind === "leave" && !isLeftAlready(interruption, decision)) {
      const left = await leaveTurn(this.#host, row, interruption, decision);
      await store.append(this.id, { attempt: session.attempt }, left.records);
      left.said();
      if (left.owed) deliveries.add(left.owed);
    }
    return interruption;
  }

  /** Suspended means: nothing by itself. A person's new input ends it; what waited before it is answered first. */
  async #staysSuspended(row: SessionRow | null): Promise<boolean> {
    const { store, options } = this.#host;
    if (typeof row?.facts.suspended !== "string") return false;
    const [suspended] = await store.records({
      session: this.id,
      kinds: ["session.suspended"],
      order: "backward",
      limit: 1,
    });
    for (const { id, seq } of await store.open(this.id, { what: ["input"] })) {
      if (seq < (suspended?.seq ?? 0)) continue;
      const input = await readInput(store, this.id, id);
      const isAttended = options.isAttended?.({ session: this.id, route: input?.route ?? null }) ?? true;
      if (!isAttended) continue;
      const reason = `a new input: ${id}`;
      await store.append(this.id, "anyone", [
        newRecord(store.clock, "session.lifted", { reason, input: id }),
      ]);
      this.#host.notice({
        kind: "lifted",
        level: "info",
        session: this.id,
        text: `lifted by ${reason}`,
        reason,
      });
      return false;
    }
    return true;
  }

  async #run(session: Session, deliveries: Deliveries, start: TurnStart): Promise<void> {
    const { slots, alone } = this.#host;
    const run = (): Promise<void> =>
      slots.take(async () => {
        if (!this.#host.mayBeginTurns() || this.wasInterrupted) return;
        if (start.kind === "resume" && !(await this.#isStillInterrupted())) return;
        const end = await this.#runTurn(session, deliveries, start);
        if (end === "interrupted") this.#isInterrupted = true;
        if (end === "overdue") this.#isOverdue = true;
      });
    await (start.isAlone ? alone.take(run) : run());
  }

  /** It may have waited for its turn: asked to stop, suspended or begun anew meanwhile, it is not resumed, but judged anew (L4). */
  async #isStillInterrupted(): Promise<boolean> {
    const { store } = this.#host;
    const row = await store.session(this.id);
    const interruption = row && (await readInterruption(store, row));
    if (!interruption || interruption.isAskedToStop) return false;
    return typeof row?.facts.suspended !== "string" && renewedAs(row) === null;
  }

  async #runTurn(session: Session, deliveries: Deliveries, start: TurnStart): Promise<RunTurnEnd> {
    let begun = (): void => undefined;
    this.#beginning = new Promise<void>((resolve) => {
      begun = resolve;
    });
    try {
      return await runTurn(this.#host, session, deliveries, start, (running) => {
        this.#running = running;
        begun();
        if (this.#order) running.abort.abort(this.#order);
      });
    } finally {
      this.#running = null;
      if (this.#order?.kind === "stop") this.#order = null;
      begun();
      this.#beginning = null;
    }
  }
}

/** The handle is not ours any more, or not any more at all. */
const isGone = (thrown: unknown): boolean =>
  thrown instanceof RefloatError && (thrown.code === "E_FENCED" || thrown.code === "E_CLOSED");
