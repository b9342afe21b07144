/**
 * What this machine tells about a process. Everything here answers "not known" (null) rather than guess:
 * a wrong "dead" takes a claim from a living writer (K2).
 */
import { readFileSync, readlinkSync } from "node:fs";
import { readOrNull } from "./io-error.ts";

export interface ProcessStatus {
  /** Clock ticks between the machine's start and the process's. */
  readonly started: number;
  /** Over, but not yet collected by its parent: it will never run again. */
  readonly hasExited: boolean;
}

export interface ProcessTable {
  /** Null when it cannot be read, whether or not there is such a process. */
  statusOf(pid: number): ProcessStatus | null;
  /** Null when the number cannot be a process's. */
  exists(pid: number): boolean | null;
}

/** What a pid fits into; above it `kill` would be asked about another number, at 0 and below about groups. */
const LARGEST_PID = 2 ** 31 - 1;

export const systemProcesses: ProcessTable = {
  statusOf: (pid) => (isPid(pid) && isProcOfThisNamespace() ? readStatus(`/proc/${pid}/stat`) : null),
  exists: (pid) => {
    if (!isPid(pid)) return null;
    try {
      process.kill(pid, 0);
      return true;
    } catch (thrown) {
      // EPERM: it is there, but somebody else's.
      return !(thrown instanceof Error && "code" in thrown && thrown.code === "ESRCH");
    }
  },
};

/** `/proc/self` means this process even where /proc shows another pid namespace. */
export function statusOfSelf(): ProcessStatus | null {
  return readStatus("/proc/self/stat");
}

/**
 * The line of /proc/PID/stat. The name in parentheses is the process's own choice and may hold spaces,
 * parentheses and newlines, so fields are counted after the last one. Of a process whose first thread has
 * ended while others still run the state says Z as well: it has not exited before its last thread has.
 */
export function parseStatus(line: string): ProcessStatus | null {
  const afterName = line.lastIndexOf(")");
  if (afterName < 0) return null;
  const fields = line.slice(afterName + 2).split(" ");
  const state = fields[0];
  const threads = Number(fields[17]);
  const started = Number(fields[19]);
  if (state === undefined || !Number.isInteger(threads) || !Number.isInteger(started)) return null;
  return { started, hasExited: /^[ZXx]$/.test(state) && threads <= 1 };
}

function isPid(pid: number): boolean {
  return Number.isInteger(pid) && pid > 0 && pid <= LARGEST_PID;
}

/**
 * A process can live in a new pid namespace and still see the /proc of the old one; then /proc/PID is about
 * a stranger, and its start time would "prove" that the pid was reused.
 */
function isProcOfThisNamespace(): boolean {
  return readOrNull(() => readlinkSync("/proc/self")) === String(process.pid);
}

function readStatus(path: string): ProcessStatus | null {
  const line = readOrNull(() => readFileSync(path, "latin1"));
  return line === null ? null : parseStatus(line);
}

// When a process began, by this machine's clock: for people, never to compare processes by (that is its tick, K2).

/** USER_HZ: 100 on every Linux there is. */
const TICKS_PER_SECOND = 100;

/** Null: the kernel does not tell when it was started. */
export function startedAtMs(ticks: number): number | null {
  const bootSeconds = Number(/^btime (\d+)$/m.exec(statText())?.[1] ?? Number.NaN);
  return Number.isFinite(bootSeconds) ? Math.round((bootSeconds + ticks / TICKS_PER_SECOND) * 1000) : null;
}

const statText = (): string => readOrNull(() => readFileSync("/proc/stat", "latin1")) ?? "";
