/**
 * `stop`, after the order is given (order-stop.ts): ends the session where there is no owner to ask. A supervisor follows its
 * session's journal and hears `stop.asked`. An agent whose supervisor is dead hears nobody: it is signalled itself, by its proved
 * identity, gently first. What it started is left alone here: `stop` is not among the commands that stop leftovers (S2).
 */

import { closeLeftOpen } from "../conversation/close-left-open.ts";
import { openThings } from "../conversation/open-things.ts";
import type { SessionId } from "../model/ids.ts";
import { RECOVERY_LABEL } from "../model/recovery-label.ts";
import type { Clock } from "../platform/clock.ts";
import { selfOwner } from "../platform/identity.ts";
import { isSame, type ProcessName, signalProcess } from "../platform/stop-process.ts";
import { takeClaim } from "../session/claims.ts";
import { NO_DIRTY_ENDS } from "../session/escalation.ts";
import { newRecord } from "../session/new-record.ts";
import type { SessionRow } from "../store/contract/driver.ts";
import { agentOf, livenessOfHolder } from "../store/holder.ts";
import type { Store } from "../store/store.ts";

/** What an agent gets to end by itself at each step, before the next and harder one. */
const LADDER = [
  ["SIGINT", 10_000],
  ["SIGTERM", 5_000],
  ["SIGKILL", 5_000],
] as const satisfies readonly (readonly [NodeJS.Signals, number])[];
const LOOK_AGAIN_MS = 50;

/** The agent that outlived its supervisor; null: somebody watches over it, or it is not on this machine. */
export function loneAgent(row: SessionRow): ProcessName | null {
  const { liveness, isAgentAlone } = livenessOfHolder(row);
  const agent = isAgentAlone && liveness?.kind === "alive" ? agentOf(row.facts, row.claim.attempt) : null;
  return agent && agent.started !== null ? { pid: agent.pid, started: agent.started } : null;
}

/** True: it is gone. */
export async function endAgent(
  agent: ProcessName,
  clock: Clock,
  onSignal: (signal: NodeJS.Signals) => void,
): Promise<boolean> {
  for (const [signal, waitMs] of LADDER) {
    onSignal(signal);
    signalProcess(agent, signal);
    const untilMs = clock.monotonicMs() + waitMs;
    while (clock.monotonicMs() < untilMs) {
      if (!isSame(agent.pid, agent.started)) return true;
      await clock.sleep(LOOK_AGAIN_MS);
    }
  }
  return !isSame(agent.pid, agent.started);
}

/** A session nobody holds is finished, cause `signal`; only `resume` by its name goes on (L4). Throws Held. */
export async function finishStopped(store: Store, session: SessionId): Promise<void> {
  const { attempt } = await takeClaim(store, {
    session,
    owner: selfOwner(RECOVERY_LABEL),
    records: async (seen) => {
      const things = await openThings(store, session, seen);
      const stopped = { ...NO_DIRTY_ENDS, cause: "signal", outcome: "cancelled", isStopped: true } as const;
      const { records } = closeLeftOpen(store.clock, things, stopped);
      return [...records, newRecord(store.clock, "session.finished", { cause: "signal" })];
    },
  });
  await store.release(session, attempt, [newRecord(store.clock, "claim.released", { attempt })]);
}
