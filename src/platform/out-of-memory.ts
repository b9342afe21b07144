/**
 * Whether the kernel killed for memory: by the count of our control group, which anyone may read, and by its own
 * record of one process.
 */
import { closeSync, constants, openSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";
import { errnoOf } from "./io-error.ts";

/** Null: no control groups of the second version here, or not readable. */
export function outOfMemoryKills(): number | null {
  try {
    const own = /^0::(\/.*)$/m.exec(readFileSync("/proc/self/cgroup", "utf8"))?.[1];
    if (own === undefined) return null;
    return parseKills(readFileSync(join("/sys/fs/cgroup", own, "memory.events"), "utf8"));
  } catch (_unreadable) {
    return null;
  }
}

export function parseKills(events: string): number | null {
  const count = /^oom_kill (\d+)$/m.exec(events)?.[1];
  return count === undefined ? null : Number(count);
}

/**
 * Whether the kernel itself says that it killed a process for want of memory. Only its own record counts: the ring
 * buffer of this boot, where it may be read (root, or `kernel.dmesg_restrict=0`). No record proves nothing.
 */
const KMSG = "/dev/kmsg";
/** One record of the ring buffer is at most this long (CONSOLE_EXT_LOG_MAX in the kernel). */
const RECORD_BYTES = 8192;
/** The default ring buffer holds far fewer; a larger one is read from its oldest so far. */
const MAX_RECORDS = 200_000;
/** Start times of processes are counted in these (USER_HZ, 100 on every Linux there is). */
const TICKS_PER_SECOND = 100;
/** A process's start is rounded to a tick, a record's time to a microsecond, and both clocks may be read apart. */
const ROUNDING_US = 1_000_000;

interface KilledProcess {
  readonly pid: number;
  /** Ticks since boot, as the process table has it. */
  readonly started: number | null;
}

/** The kernel's words; null: it says nothing of it, or may not be asked. */
export function oomRecordOf(
  killed: KilledProcess,
  records: Iterable<string> = kernelRecords(),
): string | null {
  for (const record of records) {
    const said = oomKill(record);
    // A pid is used again within one boot: what was killed before this process began was another.
    if (said?.pid === killed.pid && said.atUs + ROUNDING_US >= startUs(killed)) return said.text;
  }
  return null;
}

const startUs = ({ started }: KilledProcess): number =>
  started === null ? Number.POSITIVE_INFINITY : (started / TICKS_PER_SECOND) * 1_000_000;

/** `6,1234,987654321,-;Out of memory: Killed process 4123 (node) total-vm:...`, or of a memory cgroup. */
export function oomKill(record: string): { pid: number; atUs: number; text: string } | null {
  const [, atUs, text] = /^\d+,\d+,(\d+),[^;]*;(.*)/.exec(record) ?? [];
  const [said, pid] =
    /(?:Out of memory|Memory cgroup out of memory): Killed process (\d+) \(.*?\)/.exec(text ?? "") ?? [];
  return said === undefined ? null : { pid: Number(pid), atUs: Number(atUs), text: said };
}

function* kernelRecords(): Generator<string> {
  const fd = openOrNull();
  if (fd === null) return;
  const bytes = Buffer.alloc(RECORD_BYTES);
  try {
    for (let i = 0; i < MAX_RECORDS; i++) {
      const read = readRecord(fd, bytes);
      if (read === "end") return;
      if (read !== "lost") yield read;
    }
  } finally {
    closeSync(fd);
  }
}

/** Each read gives one record. EPIPE: records were overwritten while it was read; the next read goes on behind them. */
function readRecord(fd: number, into: Buffer): string | "end" | "lost" {
  try {
    const length = readSync(fd, into);
    return length === 0 ? "end" : into.toString("utf8", 0, length);
  } catch (thrown) {
    const code = errnoOf(thrown);
    if (code === "EAGAIN") return "end";
    if (code === "EPIPE" || code === "EINVAL") return "lost";
    return "end"; // cannot be read: then nothing is proved
  }
}

function openOrNull(): number | null {
  try {
    return openSync(KMSG, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (thrown) {
    if (errnoOf(thrown) !== null) return null; // not there, not allowed: an ordinary answer
    throw thrown;
  }
}

// Whether the kernel killed for memory just before the agent died: its own count, looked at again and again.

/** The last few looks: a kill is seen here before its victim's end is heard of, or after; not minutes apart. */
const KEPT_LOOKS = 5;

export class MemoryWatch {
  readonly #count: () => number | null;
  #looks: (number | null)[] = [];

  constructor(count: () => number | null = outOfMemoryKills) {
    this.#count = count;
    this.look();
  }

  look(): void {
    this.#looks = [...this.#looks, this.#count()].slice(-KEPT_LOOKS);
  }

  hasKilledLately(): boolean {
    const [oldest = null] = this.#looks;
    const now = this.#count();
    return oldest !== null && now !== null && now > oldest;
  }
}
