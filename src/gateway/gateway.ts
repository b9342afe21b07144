/**
 * Many conversations in one process, which may be killed at any instant and started again (DESIGN 9; laws C1, K, L).
 *
 * G1  An input has a receipt only when it is on disk, whatever the gate's state (C1, T1).
 * G2  No turn begins before recovery has judged every conversation, none in a conversation before its claim is
 *     taken and what was left open in it is closed, and none after a drain has begun.
 * G3  A conversation is served by whoever holds its claim; everybody else stores and waits (K1).
 * G4  A drain's marks are durable before anything is hurried, and cleared only when it ended (L3).
 */
import { orderStop } from "../conversation/order-stop.ts";
import { unlessAborted } from "../model/aborted.ts";
import { ensureError, RefloatError } from "../model/errors.ts";
import { parseId, type SessionId } from "../model/ids.ts";
import { every } from "../platform/clock.ts";
import { leaveExitNote } from "../platform/exit-note.ts";
import { selfOwner } from "../platform/identity.ts";
import { livenessOf } from "../platform/liveness.ts";
import { within } from "../platform/within.ts";
import { newRecord } from "../session/new-record.ts";
import type { Store } from "../store/store.ts";
import { Conversation } from "./conversation.ts";
import type { LoopDecision } from "./decide-loop.ts";
import { type FoundInstance, GatewayJournal } from "./gateway-journal.ts";
import type { Host } from "./host.ts";
import { type InboxPlace, storeOutbound } from "./inbox.ts";
import { interruptedTurn } from "./interruption.ts";
import { drainBeganNotice, drainEndedNotice, foundNotice, openedNotice, withoutNote } from "./notices.ts";
import type { GatewayOptions, GatewayReceipt, Inbound, Outbound, SendReceipt } from "./options.ts";
import { DEFAULT_POLICY, type GatewayPolicy } from "./policy.ts";
import { receiveInput } from "./receive-input.ts";
import {
  findSharedEnds,
  interruptionsOf,
  isNeglected,
  longestLoop,
  type PlannedConversation,
  planConversation,
} from "./recover.ts";
import { currentSession, renew } from "./renewal.ts";
import { AloneSlot, TurnSlots } from "./slots.ts";
import { survey } from "./survey.ts";
import { type Teller, tellerOf } from "./teller.ts";
import { type SweepEnd, Watch } from "./watch.ts";

/** A model's context seldom holds more messages; one page of the journal. */
const DEFAULT_WINDOW = 500;
/** Turns at the same time; each may hold a model's stream and a tool. */
const DEFAULT_CONCURRENCY = 100;

export interface GatewayStart {
  readonly instance: string;
  /** Earlier instances that had not said they ended, with what became of them. */
  readonly instances: readonly FoundInstance[];
  /** The longest chain of resumes that were lost again; tripped: that conversation is held for a while. */
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

type Phase = "starting" | "failed" | "open" | "draining" | "closed";

interface ExitNoteHandle {
  take(): void;
}

interface GatewayParts {
  readonly journal: GatewayJournal;
  readonly place: InboxPlace;
  readonly teller: Teller;
  /** Null: it could not be left. */
  readonly exitNote: ExitNoteHandle | null;
}

export class Gateway {
  /** Resolves when recovery is done and the gate is open; rejects when recovery failed: then it stays closed. */
  readonly opened: Promise<GatewayStart>;
  readonly #store: Store;
  readonly #options: GatewayOptions;
  readonly #policy: GatewayPolicy;
  readonly #journal: GatewayJournal;
  readonly #place: InboxPlace;
  readonly #host: Host;
  readonly #conversations = new Map<SessionId, Conversation>();
  readonly #early = new Set<SessionId>();
  readonly #idleAt = new Map<SessionId, number>();
  readonly #receiving = new Set<Promise<unknown>>();
  readonly #watch: Watch;
  readonly #teller: Teller;
  readonly #exitNote: ExitNoteHandle | null;
  #phase: Phase = "starting";
  #idleWaiters: (() => void)[] = [];
  #closing: Promise<DrainEnd> | null = null;
  #isEndAsked = false;

  /** Use `openGateway`: the instance must be on record before anything else happens. */
  constructor(store: Store, options: GatewayOptions, { journal, place, teller, exitNote }: GatewayParts) {
    this.#store = store;
    this.#teller = teller;
    this.#exitNote = exitNote;
    this.#options = options;
    this.#policy = { ...DEFAULT_POLICY, ...options.policy };
    this.#journal = journal;
    this.#place = place;
    this.#host = this.#hostOf();
    this.#watch = new Watch(store, every, {
      conversations: () => this.#conversations.values(),
      sweep: () => this.#sweep(),
      trouble: (error) => this.#teller.trouble(null, error),
    });
    this.opened = this.#start();
    this.opened.catch((thrown: unknown) => {
      if (this.#phase === "starting") this.#phase = "failed"; // receipts say so: the gate stays closed
      this.#teller.trouble(null, ensureError(thrown));
    });
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

  async #receive(inbound: Inbound): Promise<GatewayReceipt> {
    const { stored, wait } = await receiveInput(this.#host, inbound);
    this.#wake(stored.session);
    return { ...stored, ...wait(this.#phase) };
  }

  /**
   * Says something unasked: it is in the conversation, where the model sees it as the assistant's, and is delivered like an answer,
   * at least once and never twice without saying so (T1). Resolves when that is on disk; it waits for no turn.
   */
  async send(outbound: Outbound): Promise<SendReceipt> {
    if (this.#phase === "closed") throw new RefloatError("E_CLOSED", { what: "gateway" });
    const current = await currentSession(this.#store, parseId<SessionId>("session", outbound.session));
    const storing = storeOutbound(this.#store, this.#place, current, outbound);
    this.#receiving.add(storing);
    try {
      const stored = await storing;
      this.#conversations.get(stored.session)?.lookForSends();
      this.#wake(stored.session);
      return stored;
    } finally {
      this.#receiving.delete(storing);
    }
  }

  /** Ends a suspension and voids what was decided about an interrupted turn: it goes on, here or where it is held. */
  async lift(session: string, reason = "by order"): Promise<void> {
    const { id } = await currentSession(this.#store, parseId<SessionId>("session", session));
    await this.#store.append(id, "anyone", [newRecord(this.#store.clock, "session.lifted", { reason })]);
    this.#teller.notice({ kind: "lifted", level: "info", session: id, text: `lifted: ${reason}`, reason });
    this.#wake(id);
  }

  /** A fresh start: what waits and the next input go to a new session, which names this one; a turn that runs is stopped. Where it goes on. */
  async startAnew(session: string, reason = "by order"): Promise<string> {
    const { id } = await currentSession(this.#store, parseId<SessionId>("session", session));
    const to = await renew(this.#store, id, reason);
    if (to === id) return to; // nothing was said in it yet
    this.#conversations.get(id)?.stop({ kind: "stop", reason: `begun anew: ${reason}` });
    this.#teller.notice({
      kind: "renewed",
      level: "info",
      session: id,
      text: `begun anew as ${to}: ${reason}`,
      to,
    });
    this.#wake(id); // what waits in it moves on
    return to;
  }

  /** Ends the running turn as cancelled and drops what waits; the dropped inputs' ids. Never resumed by itself (L4). */
  async stop(session: string, reason = "asked to stop"): Promise<string[]> {
    const { id } = await currentSession(this.#store, parseId<SessionId>("session", session));
    const dropped = await orderStop(this.#store, id, reason);
    this.#conversations.get(id)?.stop({ kind: "stop", reason });
    return dropped;
  }

  /** Resolves when nothing is left to do here: every input answered, every answer delivered or waiting elsewhere. */
  idle({ signal }: { readonly signal?: AbortSignal } = {}): Promise<void> {
    return unlessAborted(this.#idle(), signal, "The wait for the gateway");
  }

  async #idle(): Promise<void> {
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
    findSharedEnds(this.#host, surveyed, interruptions);
    const conversations = await Promise.all(
      surveyed.map((one, i) => planConversation(this.#host, one, interruptions[i] ?? null)),
    );
    const loop = longestLoop(conversations);
    const interrupted = interruptions.filter((one) => one !== null && one.left === null).length;
    await this.#journal.planned({ interrupted, chain: loop.chain, tripped: loop.isTripped });
    this.#servePlanned(conversations);
    this.#open();
    this.#teller.notice(openedNotice(conversations));
    return { instance: this.instance, instances, loop, conversations };
  }

  /** A conversation begins by claiming itself and closing what was left open: no turn in it comes before that (G2, K1). */
  #servePlanned(conversations: readonly PlannedConversation[]): void {
    if (this.#phase !== "starting") return;
    for (const { session, hasWork } of conversations) if (hasWork) this.#conversation(session).poke();
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

  /** Conversations nobody serves: their process died while this one lives. */
  async #sweep(): Promise<SweepEnd> {
    let mustLookAgain = false;
    const found = await survey(this.#store, this.#place, this.#idleAt);
    const open = found.filter(({ row }) => interruptedTurn(row)?.isOpen);
    findSharedEnds(this.#host, open, await interruptionsOf(this.#host, open));
    for (const surveyed of found) {
      const { id, head, claim } = surveyed.row;
      if (this.#conversations.has(id)) continue;
      const isNow = await isNeglected(this.#host, surveyed);
      mustLookAgain ||= surveyed.isHeld || isNow === "later";
      if (isNow === true) this.#wake(id);
      else if (claim.owner === null && isNow === false) this.#idleAt.set(id, head);
    }
    return { mustLookAgain };
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
    this.#teller.notice(drainBeganNotice(turns.length, reason));
    const serving = [...this.#conversations.values()].filter(({ isServing }) => isServing);
    for (const conversation of serving) conversation.drain();
    // A start under way is waited for too: what it closes is this instance's, and belongs before its end.
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
    this.#exitNote?.take(); // its end is on record
    this.#teller.notice(drainEndedNotice(interrupted));
    return { interrupted };
  }

  #hostOf(): Host {
    return {
      store: this.#store,
      options: this.#options,
      policy: this.#policy,
      workspace: this.#place.workspace,
      place: this.#place,
      window: this.#options.window ?? DEFAULT_WINDOW,
      instance: this.instance,
      slots: new TurnSlots(this.#options.concurrency ?? DEFAULT_CONCURRENCY),
      alone: new AloneSlot(this.#store.clock, this.#policy.aloneMs),
      sharedEnds: new Set(),
      opened: () => this.opened,
      mayBeginTurns: () => this.#phase === "open",
      isEndAsked: () => this.#isEndAsked,
      isDraining: () => this.#phase === "draining" || this.#phase === "closed",
      ...this.#teller,
      wake: (session) => this.#wake(session),
      endOf: (owner) => this.#journal.endOf(owner),
    };
  }
}

/** Registers this instance and begins recovery; inputs may be handed in from then on (G1), turns begin when it is done (G2). */
export async function startGateway(
  store: Store,
  options: GatewayOptions,
  home: string | null,
): Promise<Gateway> {
  const { name, agent } = options;
  const workspace = options.workspace ?? `gateway:${name}`;
  const owner = selfOwner(agent);
  const teller = tellerOf(options);
  const onDead = (found: FoundInstance): void => teller.notice(foundNotice(found));
  const journal = new GatewayJournal(store, name, owner, livenessOf, { home, onDead });
  const exitNote = home === null ? null : noteIn(home, owner.instance, teller);
  await journal.start(workspace).catch((thrown: unknown) => {
    exitNote?.take();
    throw thrown;
  });
  return new Gateway(store, options, {
    journal,
    place: { agent, workspace, gateway: name },
    teller,
    exitNote,
  });
}

/** Nothing depends on it but how much is known of this process's end. */
function noteIn(home: string, instance: string, teller: Teller): ExitNoteHandle | null {
  try {
    return leaveExitNote(home, instance);
  } catch (thrown) {
    teller.notice(withoutNote(ensureError(thrown)));
    return null;
  }
}
