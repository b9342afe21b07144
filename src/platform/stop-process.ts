/**
 * Ending a process that is not our child, without ever hitting another: it is held with SIGSTOP, looked at again
 * (the pid may have been given to somebody else since it was found), and only then killed; else it goes on (S2).
 */
import { errnoOf } from "./io-error.ts";
import { processRow } from "./process-list.ts";

/** One process, and never another that got its pid later (K2). */
export interface ProcessName {
  readonly pid: number;
  /** Clock ticks since boot. */
  readonly started: number;
}

export type StopProcessOutcome = "stopped" | "gone" | "not-ours" | "not-allowed";

/** `isOurs` is asked while the process stands still. */
export function stopForGood({ pid, started }: ProcessName, isOurs: () => boolean): StopProcessOutcome {
  // Before the first signal, too: what is provably another process is not even held for a moment.
  if (!isSame(pid, started)) return "gone";
  const held = signalTo(pid, "SIGSTOP");
  if (held !== "sent") return held;
  if (isSame(pid, started) && isOurs()) {
    const killed = signalTo(pid, "SIGKILL");
    return killed === "sent" ? "stopped" : killed;
  }
  signalTo(pid, "SIGCONT");
  return isSame(pid, started) ? "not-ours" : "gone";
}

/** A signal to one process that is proved to be the one meant. */
export function signalProcess(
  { pid, started }: ProcessName,
  signal: NodeJS.Signals,
): StopProcessOutcome | "sent" {
  return isSame(pid, started) ? signalTo(pid, signal) : "gone";
}

/** Whether that very process still runs. */
export function isSame(pid: number, started: number): boolean {
  const row = processRow(pid);
  return row !== null && row.started === started && !row.hasExited;
}

export function signalTo(pid: number, signal: NodeJS.Signals): "sent" | "gone" | "not-allowed" {
  try {
    process.kill(pid, signal);
    return "sent";
  } catch (thrown) {
    if (errnoOf(thrown) === "ESRCH") return "gone";
    if (errnoOf(thrown) === "EPERM") return "not-allowed";
    throw thrown;
  }
}
