/**
 * Many conversations in one process, which may be killed at any instant and started again (DESIGN 9; laws C1, K, L).
 *
 * G1  An input has a receipt only when it is on disk, whatever the gate's state (C1, T1).
 * G2  No turn begins before recovery has judged every conversation, none in a conversation before its claim is
 *     taken and what was left open in it is settled, and none after a drain has begun.
 * G3  A conversation is served by whoever holds its claim; everybody else stores and waits (K1).
 * G4  A drain's marks are durable before anything is hurried, and cleared only when it ended (L3).
 */
import { orderStop } from "../conversation/order-stop.ts";
import { ensureError, RefloatError } from "../model/errors.ts";
import { parseId, type SessionId } from "../model/ids.ts";
import { every } from "../platform/clock.ts";
import { selfOwner } from "../platform/identity.ts";
import { livenessOf } from "../platform/liveness.ts";
import type { Store } from "../store/store.ts";
import { Conversation } from "./conversation.ts";
import { decideLoop, type LoopDecision } from "./decide-loop.ts";
import { type FoundInstance, GatewayJournal } from "./gateway-journal.ts";
import type { Host } from "./host.ts";
import { type Place, storeInput } from "./inbox.ts";
import type { GatewayOptions, GatewayReceipt, Inbound } from "./options.ts";
import { DEFAULT_POLICY, type GatewayPolicy } from "./policy.ts";
import { interruptionsOf, isNeglected, type PlannedConversation, planConversation } from "./recover.ts";
import { Slots } from "./slots.ts";
import { survey } from "./survey.ts";
import { type SweepEnd, Watch } from "./watch.ts";

/** A model's context seldom holds more messages; one page of the journal. */
const DEFAULT_WINDOW = 500;
/** Turns at the same time; each may hold a model's stream and a tool. */
const DEFAULT_CONCURRENCY = 100;

export interface GatewayStart {
  readonly instance: string;
  /** Earlier instances that had not said they ended, with what became of them. */
  readonly instances: readonly FoundInstance[];
  readonly loop: LoopDecision;
  readonly conversations: readonly PlannedConversation[];
}

export interface DrainEnd {
  /** Conversations whose turn was cut off; the next start finds them. */
  readonly interrupted: readonly string[];
}

export interface CloseOptions {
  readonly timeoutMs?: number;
  readonly reason?: string;
  /**
   * A person ended this process on purpose, by Ctrl-C at its terminal: what is cut off goes on at the next start as ever, and
   * is no dirty end (L2). Leave it out where a service manager asks: a turn that has its own process restarted looks like that.
   */
  readonly isAsked?: boolean;
}

type Phase = "starting" | "open" | "draining" | "closed";

export class Gateway {
  /** Resolves when recovery is done and the gate is open; rejects when recovery failed: then it stays closed. */
  readonly opened: Promise<GatewayStart>;
  readonly #store: Store;
  readonly #options: GatewayOptions;
  readonly #policy: GatewayPolicy;
  readonly #journal: GatewayJournal;
  readonly #place: Place;
  readonly #host: Host;
  readonly #conversations = new Map<SessionId, Conversation>();
  readonly #early = new Set<SessionId>();
  readonly #idleAt = new Map<SessionId, number>();
  readonly #resuming = new Set<string>();
  readonly #receiving = new Set<Promise<unknown>>();
  readonly #watch: Watch;
  #phase: Phase = "starting";
  #loop: LoopDecision = { chain: 0, isTripped: false };
  #didAllResumes = true;
  #idleWaiters: (() => void)[] = [];
  #closing: Promise<DrainEnd> | null = null;
  #isEndAsked = false;

  /** Use `openGateway`: the instance must be on record before anything else happens. */
  constructor(store: Store, options: GatewayOptions, journal: GatewayJournal, place: Place) {
    this.#store = store;
    this.#options = options;
    this.#policy = { ...DEFAULT_POLICY, ...options.policy };
    this.#journal = journal;
    this.#place = place;
    this.#host = this.#hostOf();
    this.#watch = new Watch(store, every, {
      conversations: () => this.#conversations.values(),
      sweep: () => this.#sweep(),
      trouble: (error) => this.#trouble(null, error),
    });
    this.opened = this.#start();
    this.opened.catch((thrown: unknown) => this.#trouble(null, ensureError(thrown)));
  }

  get instance(): string {
    return this.#journal.instance;
  }

  /** Stores the input and gives its receipt; throws, and has stored nothing it knows of, when that fails (G1). */
  async receive(inbound: Inbound): Promise<GatewayReceipt> {
    if (this.#phase === "closed") throw new RefloatError("E_CLOSED", { what: "gateway" });
    const storing = this.#receive(inbound);
    this.#receiving.add(storing);
    try {
      return await storing;
    } finally {
      this.#receiving.delete(storing);
    }
  }

  /** All that can fail comes before the storing: after it there is a receipt, and nothing else (T1). */
  async #receive(inbound: Inbound): Promise<GatewayReceipt> {
    const needsLift = await this.#needsLift(inbound);
    const { id, session, seq, isRepeat } = await storeInput(this.#store, this.#place, inbound);
    this.#wake(session);
    return { id, session, seq, isRepeat, waitsFor: this.#waitsFor(needsLift) };
  }

  /** Ends the running turn as cancelled and drops what waits; the dropped inputs' ids. Never resumed by itself (L4). */
  async stop(session: string, reason = "asked to stop"): Promise<string[]> {
    const id = parseId<SessionId>("session", session);
    const dropped = await orderStop(this.#store, id, reason);
    this.#conversations.get(id)?.stop({ kind: "stop", reason });
    return dropped;
  }

  /** Resolves when nothing is left to do here: every input answered, every answer delivered or waiting elsewhere. */
  async idle(): Promise<void> {
    await this.opened;
    if (this.#conversations.size > 0) await new Promise<void>((resolve) => this.#idleWaiters.push(resolve));
  }

  /** The drain: inputs are still stored, running turns may end until the time is up, the rest is interrupted. */
  close(options: CloseOptions = {}): Promise<DrainEnd> {
    this.#isEndAsked ||= options.isAsked === true;
    this.#closing ??= this.#drain(
      options.timeoutMs ?? this.#policy.drainTimeoutMs,
      options.reason ?? "close",
    );
    return this.#closing;
  }

  async #start(): Promise<GatewayStart> {
    const instances = await this.#journal.findOthers();
    const surveyed = await survey(this.#store, this.#place, this.#idleAt);
    const interruptions = await interruptionsOf(this.#host, surveyed);
    const count = interruptions.filter((one) => one !== null).length;
    const earlier = await this.#journal.earlierStarts();
    this.#loop = decideLoop(earlier, count, this.#store.clock.nowMs(), this.#policy);
    const [conversations] = await Promise.all([
      Promise.all(surveyed.map((one, i) => planConversation(this.#host, one, interruptions[i] ?? null))),
      this.#journal.planned({ interrupted: count, chain: this.#loop.chain, tripped: this.#loop.isTripped }),
    ]);
    this.#servePlanned(conversations);
    this.#open();
    return { instance: this.instance, instances, loop: this.#loop, conversations };
  }

  /** A conversation begins by claiming and settling itself: no turn in it comes before that (G2, K1). */
  #servePlanned(conversations: readonly PlannedConversation[]): void {
    if (this.#phase !== "starting") return;
    for (const { session, planned, hasWork } of conversations) {
      if (planned.kind === "resume") this.#resuming.add(session);
      if (hasWork) this.#conversation(session).poke();
    }
  }

  #open(): void {
    if (this.#phase !== "starting") return;
    this.#phase = "open";
    this.#watch.start();
    for (const session of this.#early) this.#wake(session);
    this.#early.clear();
  }

  #wake(session: SessionId): void {
    if (this.#phase === "starting") this.#early.add(session);
    else if (this.#phase === "open") this.#conversation(session).poke();
  }

  #conversation(session: SessionId): Conversation {
    const known = this.#conversations.get(session);
    if (known) return known;
    const made = new Conversation(this.#host, session, () => this.#forget(session));
    this.#conversations.set(session, made);
    return made;
  }

  #forget(session: SessionId): void {
    this.#conversations.delete(session);
    if (this.#conversations.size > 0) return;
    for (const resolve of this.#idleWaiters.splice(0)) resolve();
  }

  async #needsLift({ session, route }: Inbound): Promise<boolean> {
    const row = await this.#store.session(parseId<SessionId>("session", session));
    if (typeof row?.facts.suspended !== "string") return false;
    return !(this.#options.isAttended?.({ session, route: route ?? null }) ?? true);
  }

  #waitsFor(needsLift: boolean): GatewayReceipt["waitsFor"] {
    if (this.#phase === "draining" || this.#phase === "closed") return "restart";
    if (needsLift) return "lift";
    return this.#phase === "starting" ? "start" : "nothing";
  }

  /** Conversations nobody serves: their process died while this one lives. */
  async #sweep(): Promise<SweepEnd> {
    let isHeldElsewhere = false;
    for (const surveyed of await survey(this.#store, this.#place, this.#idleAt)) {
      const { id, head, claim } = surveyed.row;
      if (this.#conversations.has(id)) continue;
      isHeldElsewhere ||= surveyed.isHeld;
      if (await isNeglected(this.#host, surveyed)) this.#wake(id);
      else if (claim.owner === null) this.#idleAt.set(id, head);
    }
    return { isHeldElsewhere };
  }

  async #drain(timeoutMs: number, reason: string): Promise<DrainEnd> {
    const { clock } = this.#store;
    this.#phase = "draining";
    this.#watch.stop();
    // A turn that is on disk already belongs to the marks, though it has not come to run yet.
    await within(
      clock,
      timeoutMs,
      Promise.all([...this.#conversations.values()].map((one) => one.beginning)),
    );
    const turns = [...this.#conversations.values()].flatMap(({ id, running }) =>
      running ? [{ session: id, turn: running.turn }] : [],
    );
    await this.#journal.drainBegan(turns, timeoutMs, reason); // G4
    const serving = [...this.#conversations.values()].filter(({ isServing }) => isServing);
    for (const conversation of serving) conversation.drain();
    // A start under way is waited for too: what it settles is this instance's, and belongs before its end.
    const started = this.opened.catch(() => undefined);
    const allSettled = Promise.all([started, ...serving.map((conversation) => conversation.settled())]);
    await within(clock, timeoutMs, allSettled);
    for (const conversation of serving) conversation.stop({ kind: "drain", reason });
    await within(clock, this.#policy.drainGraceMs, allSettled);
    await Promise.all(serving.filter(({ isServing }) => isServing).map((one) => one.cutOff("timeout")));
    const interrupted = serving.filter(({ hasLostTurn }) => hasLostTurn).map(({ id }) => id);
    this.#phase = "closed";
    await Promise.allSettled(this.#receiving);
    await this.#journal.ended(interrupted);
    return { interrupted };
  }

  #resumeEnded(session: string, isCompleted: boolean): void {
    if (!this.#resuming.delete(session)) return;
    this.#didAllResumes &&= isCompleted;
    if (this.#resuming.size > 0 || !this.#didAllResumes) return;
    this.#journal.settled().catch((thrown: unknown) => this.#trouble(null, ensureError(thrown)));
  }

  #trouble(session: string | null, error: Error): void {
    if (this.#options.onTrouble) this.#options.onTrouble({ session, error });
    else process.emitWarning(error);
  }

  #hostOf(): Host {
    return {
      store: this.#store,
      options: this.#options,
      policy: this.#policy,
      workspace: this.#place.workspace,
      window: this.#options.window ?? DEFAULT_WINDOW,
      instance: this.instance,
      slots: new Slots(this.#options.concurrency ?? DEFAULT_CONCURRENCY),
      isLoop: () => this.#loop.isTripped,
      opened: () => this.opened,
      mayBeginTurns: () => this.#phase === "open",
      isEndAsked: () => this.#isEndAsked,
      isDraining: () => this.#phase === "draining" || this.#phase === "closed",
      trouble: (session, error) => this.#trouble(session, error),
      resumeEnded: (session, isCompleted) => this.#resumeEnded(session, isCompleted),
    };
  }
}

/** Waits for the work, but not longer; the timer does not outlive the waiting. */
async function within(clock: Store["clock"], ms: number, work: Promise<unknown>): Promise<void> {
  const waiting = new AbortController();
  const timeUp = clock.sleep(ms, waiting.signal).catch((thrown: unknown) => {
    if (!waiting.signal.aborted) throw thrown;
  });
  await Promise.race([work, timeUp]);
  waiting.abort();
}

/** Registers this instance and begins recovery; inputs may be handed in from then on (G1), turns begin when it is done (G2). */
export async function startGateway(store: Store, options: GatewayOptions): Promise<Gateway> {
  const workspace = options.workspace ?? `gateway:${options.name}`;
  const owner = selfOwner(options.agent);
  const journal = new GatewayJournal(store, options.name, owner, livenessOf);
  await journal.start(workspace);
  return new Gateway(store, options, journal, { agent: options.agent, workspace });
}
