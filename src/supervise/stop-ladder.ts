/**
 * Ends an agent, rung by rung, until it is over (DESIGN 4): a signal, time to save its work, the next signal.
 * Being told again (a second Ctrl-C, a service manager that loses patience) goes to the next rung at once.
 */
import type { Clock } from "../platform/clock.ts";
import { isListening } from "../platform/listening.ts";
import { signalProcess, signalTo, stopForGood } from "../platform/stop-process.ts";
import { findLeftovers, judgeLeftover, type LeftoverQuery, type VerdictFacts } from "../session/leftovers.ts";
import { gatherProcesses } from "../session/process-facts.ts";
import type { Rung } from "./agent.ts";

export interface LadderHands {
  readonly clock: Clock;
  /** Resolves when the agent's process is over. */
  readonly exited: Promise<unknown>;
  send(rung: Rung): void | Promise<void>;
  capture(): Promise<unknown>;
}

export class StopLadder {
  readonly #rungs: readonly Rung[];
  readonly #hands: LadderHands;
  #hurry: AbortController = new AbortController();
  #isOver = false;

  constructor(rungs: readonly Rung[], hands: LadderHands) {
    this.#rungs = rungs;
    this.#hands = hands;
    void hands.exited.then(() => {
      this.#isOver = true;
    });
  }

  /** Waits no longer on the rung it stands on. */
  hurry(): void {
    this.#hurry.abort();
  }

  /** True: the agent is over. False: not even the last signal ended it. */
  async climb(): Promise<boolean> {
    for (const rung of this.#rungs) {
      if (this.#isOver) return true;
      // No longer than the rung itself may take: a capture that is not done by then goes on behind the signal.
      if (rung.isCapturedBefore) await this.#wait(rung.waitMs, this.#hands.capture());
      if (this.#isOver) return true;
      await this.#hands.send(rung);
      await this.#wait(rung.waitMs, null);
      this.#hurry = new AbortController();
    }
    return this.#isOver;
  }

  async #wait(ms: number, until: Promise<unknown> | null): Promise<void> {
    const ending = new AbortController();
    const { signal } = this.#hurry;
    const sleep = this.#hands.clock
      .sleep(ms, AbortSignal.any([signal, ending.signal]))
      .catch(() => undefined);
    await Promise.race([sleep, this.#hands.exited, ...(until ? [until] : [])]);
    ending.abort();
  }
}

// Signals to the agent: to its group, as a terminal does, or to every process of its attempt that may be stopped (S2).

/** It leads its group: it was started with a session of its own. */
export function signalGroup(agent: number, signal: NodeJS.Signals): void {
  signalTo(-agent, signal);
}

interface TreeSignal {
  readonly agent: number;
  readonly signal: NodeJS.Signals;
  readonly query: LeftoverQuery;
  /** Null: it could not be asked who holds another live session. */
  readonly liveOwners: VerdictFacts["liveOwners"] | null;
}

export function signalTree({ agent, signal, query, liveOwners }: TreeSignal): void {
  const processes = gatherProcesses();
  if (processes === null || liveOwners === null) {
    // Without a list of processes, or of those that must be left alone (S2), its own group is what is surely ours.
    signalTo(-agent, signal);
    return;
  }
  const leftovers = findLeftovers(processes, query);
  const facts = { mark: query.mark, agent, leftovers, isListening, liveOwners };
  const others = leftovers.filter(({ row }) => row.pid !== agent);
  const doomed = others.filter((one) => judgeLeftover(one, facts).kind === "stop");
  // Our own child, not collected yet: its pid is nobody else's.
  signalTo(agent, signal);
  for (const { row } of doomed) {
    if (signal === "SIGKILL") stopForGood(row, () => true);
    else signalProcess(row, signal);
  }
}
