/** Signals to the agent: to its group, as a terminal does, or to every process of its attempt that may be stopped (S2). */
import { isListening } from "../platform/listening.ts";
import { signalProcess, signalTo, stopForGood } from "../platform/stop-process.ts";
import { findLeftovers, judgeLeftover, type LeftoverQuery, type VerdictFacts } from "../session/leftovers.ts";
import { gatherProcesses } from "../session/process-facts.ts";

/** It leads its group: it was started with a session of its own. */
export function signalGroup(agent: number, signal: NodeJS.Signals): void {
  signalTo(-agent, signal);
}

export interface TreeSignal {
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
