/**
 * Runs an agent under a session of its own, from its start to its end. What is on disk after each step, and what a
 * kill of this process there leaves to the next start:
 *  1. session begun, claimed          nothing ran; the claim of a dead process
 *  2. begin capture                   the same, with the tree as it was
 *  3. mark and turn recorded          an agent may run: it is looked for by its mark (S2)
 *  4. agent started, recorded         an agent that still lives is live, unsupervised; one that died left its turn
 *                                     open, its last output in the run folder
 *  5. drain marked (L3)               the end was on its way, and why
 *  6. exit and last output recorded   how it ended; what it left running is not looked for yet
 *  7. leftovers stopped, end capture  the tree as it was left
 *  8. turn ended, session finished, claim given back: one change
 * From step 4 on, a store that fails does not cost the agent: it goes on, and what could not be recorded is said.
 */

import { ensureError } from "../model/errors.ts";
import type { StoredRecord } from "../model/record.ts";
import { crashPoint } from "../platform/crash-point.ts";
import { bootId, processIdentity, selfPid } from "../platform/identity.ts";
import { MemoryWatch } from "../platform/out-of-memory.ts";
import { signalTo } from "../platform/stop-process.ts";
import { within } from "../platform/within.ts";
import { liveOwners, sharedByCommand } from "../session/process-facts.ts";
import { durationText } from "../text/counting.ts";
import type { ObservedOutput, OutputReader, Rung } from "./agent.ts";
import { decideEnd, isStoppedByPerson, type RunEnd, type StopReason, witnessOf } from "./decide-end.ts";
import type { HeardSignals } from "./hear-stop.ts";
import { hearStop } from "./hear-stop.ts";
import type { HeardEnd } from "./hearing.ts";
import { keepTime, type TimeLimits } from "./keep-time.ts";
import type { FoundLimit, LimitReader } from "./limit-reader.ts";
import type { PreparedRun, RunSetting } from "./prepare-run.ts";
import { OperationsSeen } from "./run-journal.ts";
import type { Exit, NotStarted, OnPiece, RunningAgent } from "./running-agent.ts";
import { StopLadder, signalGroup, signalTree } from "./stop-ladder.ts";
import { TreeWatch } from "./tree-watch.ts";

export interface Limits extends TimeLimits {
  readonly drainMs: number;
  /** What `--warn` tells it by. */
  readonly warnSignal: NodeJS.Signals;
}

/** Whoever does not listen to it never notices it: the kernel throws it away. So it goes to the agent's whole group. */
export const WARN_SIGNAL: NodeJS.Signals = "SIGURG";

/** Starts the agent with the pieces of its output going to `onPiece`, on pipes or on a terminal. */
export type StartAgent = (onPiece: OnPiece) => Promise<RunningAgent | NotStarted> | RunningAgent;

export interface AgentLife {
  readonly exit: Exit;
  /** As it is known by now. */
  readonly end: RunEnd & { readonly isStopped: boolean };
  /** Processes seen to descend from it. */
  readonly seen: TreeWatch["seen"];
  readonly agent: RunningAgent;
  /** A signal to us asked for the end: whoever sent it may not wait long. */
  readonly isSignalled: boolean;
  /** When the usage limit ends that it met; null: it met none, or nobody said when. */
  readonly resetsAtMs: number | null;
}

export async function superviseAgent(
  setting: RunSetting,
  run: PreparedRun,
  start: StartAgent,
  { signals, limits }: { readonly signals: HeardSignals; readonly limits: Limits },
): Promise<AgentLife | NotStarted> {
  const life = new Supervision(setting, run, limits);
  crashPoint("run.before-start");
  const agent = await start((piece, from) => life.onPiece(piece, from));
  if ("kind" in agent) return agent;
  crashPoint("run.after-start");
  return life.watch(agent, signals);
}

class Supervision {
  readonly #setting: RunSetting;
  readonly #run: PreparedRun;
  readonly #limits: Limits;
  readonly #reader: OutputReader;
  readonly #operations: OperationsSeen;
  readonly #ending = new AbortController();
  readonly #memory = new MemoryWatch();
  #agent: RunningAgent | null = null;
  #tree: TreeWatch | null = null;
  #stop: StopReason | null = null;
  #ladder: StopLadder | null = null;
  readonly #limitReaders = new Map<string, LimitReader | null>();
  #limit: FoundLimit | null = null;
  #warned: NodeJS.Signals | null = null;
  #exitedMs: number | null = null;

  constructor(setting: RunSetting, run: PreparedRun, limits: Limits) {
    this.#setting = setting;
    this.#run = run;
    this.#limits = limits;
    this.#reader = setting.agent.reader();
    this.#operations = new OperationsSeen(run.journal);
  }

  onPiece(piece: Buffer, from: "stdout" | "stderr" | "terminal"): void {
    this.#run.keeper.take(piece, from);
    this.#lookForLimit(piece, from);
    if (from === "stderr") return;
    for (const observed of this.#run.hearing?.take(piece) ?? []) this.#take(observed);
    for (const observed of this.#reader.read(piece)) this.#take(observed);
  }

  async watch(agent: RunningAgent, signals: HeardSignals): Promise<AgentLife> {
    const { journal, captures, attempt, mark, shownCommand } = this.#run;
    this.#agent = agent;
    const identity = processIdentity(agent.pid);
    const tree = this.#watchTree({ pid: agent.pid, started: identity.started ?? 0 });
    const started = {
      attempt,
      ...identity,
      command: [...shownCommand],
      mark,
      supervised: true,
      pty: agent.terminal !== null,
      ...agent.terminal?.size(),
    };
    void journal.write(journal.record("agent.started", started)).then(() => crashPoint("run.after-started"));
    agent.terminal?.onResize((size) => this.#run.keeper.resized(size));
    signals.listen((signal) => this.#askToStop({ why: "signal", signal }));
    if (signals.early !== null) this.#askToStop({ why: "signal", signal: signals.early });
    void captures.start();
    this.#run.hearing?.start();
    void this.#hearOrders();
    void keepTime(this.#limits, {
      clock: this.#setting.store.clock,
      ending: this.#ending.signal,
      tell: (leftMs) => this.#tellTime(agent, leftMs),
      end: () => this.#askToStop({ why: "timeout", signal: null }),
    });
    const exit = await agent.exited;
    this.#exitedMs = this.#setting.store.clock.monotonicMs();
    crashPoint("run.after-exit");
    await this.#hearLastWords(agent);
    const heard = (await this.#run.hearing?.end()) ?? null;
    this.#ending.abort();
    captures.stop();
    tree.lookNow();
    tree.stop();
    const resetsAtMs = this.#limit?.resetsAtMs ?? null;
    const decide = this.#decider(exit, agent, heard);
    const isSignalled = (): boolean => this.#stop?.why === "signal";
    return {
      exit,
      seen: tree.seen,
      agent,
      resetsAtMs,
      get end() {
        return decide();
      },
      get isSignalled() {
        return isSignalled();
      },
    };
  }

  /** Asked again whenever it is needed: a signal of the same moment may still be on its way to us. */
  #decider({ code, signal }: Exit, agent: RunningAgent, heard: HeardEnd | null): () => AgentLife["end"] {
    const { agent: kind, hasTerminal } = this.#setting;
    const isOutOfMemory = this.#memory.hasKilledLately();
    const isLimit = this.#limit !== null || (code !== null && code === kind.limit.code);
    const witness = witnessOf({ reportsTurns: kind.reportsTurns, hasTerminal, heard });
    const isHeard = this.#run.hearing !== null && this.#setting.isResumed === true;
    // An agent that failed before it said anything did nothing, too.
    const isSilent = isHeard && (heard === null ? code !== 0 : heard.isSilent);
    const { typed } = agent;
    const lastTyped = agent.lastTyped();
    const warned = this.#warned;
    const seen = { code, signal, typed, lastTyped, witness, warned, isOutOfMemory, isLimit, isSilent };
    return () => {
      const facts = { ...seen, stop: this.#stop };
      return { ...decideEnd(facts), isStopped: isStoppedByPerson(facts) };
    };
  }

  #lookForLimit(piece: Buffer, from: string): void {
    if (!this.#limitReaders.has(from)) this.#limitReaders.set(from, this.#setting.agent.limit.reader());
    for (const found of this.#limitReaders.get(from)?.read(piece) ?? []) this.#take(found);
  }

  /** What it printed right before its end may still be in the pipe: a limit said there must not be missed. */
  async #hearLastWords(agent: RunningAgent): Promise<void> {
    const readers = [...this.#limitReaders.values()].filter((reader) => reader !== null);
    if (this.#setting.agent.limit.reader() === null && this.#run.hearing === null) return;
    await within(this.#setting.store.clock, LAST_WORDS_MS, agent.drained);
    for (const reader of readers) for (const found of reader.end()) this.#take(found);
  }

  #watchTree(agent: { readonly pid: number; readonly started: number }): TreeWatch {
    const { mark, folder, troubles } = this.#run;
    const tree = new TreeWatch({
      agent,
      mark,
      folder,
      boot: bootId(),
      clock: this.#setting.store.clock,
      onLook: () => this.#memory.look(),
      onFailure: (error) => troubles.add("descendants are not noted", error),
    });
    this.#tree = tree;
    void tree.start();
    return tree;
  }

  #take(observed: ObservedOutput): void {
    switch (observed.kind) {
      case "operation-began":
        this.#operations.begin(observed.label);
        return;
      case "operation-ended":
        void this.#operations
          .end(observed.label)
          ?.then(() => this.#run.captures.takeUnlessWaiting("operation-end"));
        return;
      case "limit":
        this.#limit ??= observed;
        if (this.#exitedMs === null) this.#askToStop({ why: "limit", signal: null });
        return;
      default:
        observed satisfies never;
    }
  }

  /** The first reason stands; being asked again is impatience. */
  #askToStop(reason: StopReason): void {
    if (this.#ladder) {
      this.#ladder.hurry();
      return;
    }
    if (this.#exitedMs !== null) {
      // Whoever tells every process of a service to end tells the agent first, or us: one order, two deaths (L7).
      const sinceMs = this.#setting.store.clock.monotonicMs() - this.#exitedMs;
      if (reason.why === "stopped" || sinceMs <= SAME_ORDER_MS) this.#stop ??= reason;
      return;
    }
    const agent = this.#agent;
    if (!agent) return;
    this.#stop = reason;
    this.#ladder = new StopLadder(this.#setting.agent.stopLadder(this.#limits.drainMs), {
      clock: this.#setting.store.clock,
      exited: agent.exited,
      send: (rung) => this.#send(agent, rung),
      capture: () => this.#run.captures.take("timer"),
    });
    void this.#climb(this.#ladder, reason);
  }

  async #climb(ladder: StopLadder, { why, signal }: StopReason): Promise<void> {
    const { journal, attempt, troubles } = this.#run;
    const marked = journal.write(
      journal.record("drain.marked", { attempt, why, signal, drain_ms: this.#limits.drainMs }),
    );
    // L3: marked before the drain begins; a store that hangs does not keep the agent from hearing it.
    await within(this.#setting.store.clock, MARK_WAIT_MS, marked);
    crashPoint("run.after-drain-mark");
    if (!(await ladder.climb())) troubles.add("the agent", new Error("it did not end even by SIGKILL"));
  }

  async #send(agent: RunningAgent, { signal, to }: Rung): Promise<void> {
    if (to === "group") return signalGroup(agent.pid, signal);
    this.#tree?.lookNow();
    const { mark } = this.#run;
    const isShared = sharedByCommand(this.#setting.isSharedServer);
    const query = { mark, seen: this.#tree?.seen ?? [], self: selfPid(), isShared };
    signalTree({ agent: agent.pid, signal, query, liveOwners: await this.#liveOwners() });
  }

  async #liveOwners(): Promise<Awaited<ReturnType<typeof liveOwners>> | null> {
    try {
      return await liveOwners(this.#setting.store);
    } catch (thrown) {
      this.#run.troubles.add("only the agent's own group was signalled", ensureError(thrown));
      return null;
    }
  }

  async #hearOrders(): Promise<void> {
    const { session, troubles } = this.#run;
    const { signal } = this.#ending;
    const onStop = (): void => this.#askToStop({ why: "stopped", signal: null });
    const onFailure = (error: Error): void => troubles.add("orders to stop are not heard", error);
    const onRecord = (record: StoredRecord): void => this.#run.asItGoes?.hear(record);
    await hearStop(this.#setting.store, { session, fromSeq: 1, signal, onStop, onRecord, onFailure });
  }

  /** By what it hears, and where `--warn` asked for it by a signal; only a `--warn-signal` can end an agent that does not listen. */
  #tellTime(agent: RunningAgent, leftMs: number): void {
    const { attempt, journal } = this.#run;
    const seconds = Math.round(leftMs / 1000);
    const notice = this.#setting.agent.notice(`This session ends in ${seconds} s: save your work.`);
    const isHeard = notice !== null && agent.say(notice);
    const { warnMs, warnSignal } = this.#limits;
    if (warnMs !== null) {
      this.#warned = warnSignal;
      if (warnSignal === WARN_SIGNAL) signalGroup(agent.pid, warnSignal);
      else signalTo(agent.pid, warnSignal);
      this.#setting.tell(`its time is up in ${durationText(leftMs)}: the agent was told by ${warnSignal}`);
    }
    if (!isHeard && warnMs === null) return;
    const signal = warnMs === null ? null : warnSignal;
    void journal.write(journal.record("agent.warned", { attempt, left_ms: Math.round(leftMs), signal }));
  }
}

/** What is in a pipe is read in far less. */
const LAST_WORDS_MS = 500;
/** A signal that comes this soon after the agent's exit was sent to both: a loop over some hundred processes. */
const SAME_ORDER_MS = 250;
/** How long a drain waits for its mark to be on disk. */
const MARK_WAIT_MS = 1000;
