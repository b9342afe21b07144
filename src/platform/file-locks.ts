/** Who holds a lock on a file, as the kernel's own table says: a lock ends with its process, whatever killed it. */
import { readdirSync, readFileSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { errnoOf } from "./io-error.ts";
import { processRow } from "./process-list.ts";

export type LockState =
  | { readonly kind: "held"; readonly pid: number; readonly started: number }
  | { readonly kind: "free" }
  /** This system does not tell. */
  | { readonly kind: "unknown" };

export function lockOn(path: string): LockState {
  const table = orNull(() => readFileSync("/proc/locks", "latin1"));
  const inode = orNull(() => statSync(path).ino);
  const name = orNull(() => realpathSync(path));
  if (table === null || inode === null || name === null) return { kind: "unknown" };
  if (orNull(() => readlinkSync("/proc/self")) !== String(process.pid)) return { kind: "unknown" };
  const holders = pidsLocking(table, inode).flatMap((pid) => {
    const row = processRow(pid);
    return row === null || row.hasExited || !hasOpen(pid, name) ? [] : [row];
  });
  const [holder] = holders;
  return holder === undefined ? { kind: "free" } : { kind: "held", pid: holder.pid, started: holder.started };
}

const LINE = /^\d+: (?:FLOCK|POSIX|OFDLCK)\s+\S+\s+\S+\s+(\d+)\s+[0-9a-f]+:[0-9a-f]+:(\d+)\s/;

/** Waiting ones (`->`) hold nothing. The device is not compared: layered file systems show another one. */
export const pidsLocking = (table: string, inode: number): readonly number[] =>
  table.split("\n").flatMap((line) => {
    const [, pid, locked] = LINE.exec(line) ?? [];
    return pid !== undefined && Number(locked) === inode ? [Number(pid)] : [];
  });

/** A number of another file system's may be the same: the file itself must be open. What cannot be looked into may have it. */
function hasOpen(pid: number, name: string): boolean {
  const open = orNull(() => readdirSync(`/proc/${pid}/fd`));
  return open === null || open.some((fd) => orNull(() => readlinkSync(`/proc/${pid}/fd/${fd}`)) === name);
}

function orNull<T>(ask: () => T): T | null {
  try {
    return ask();
  } catch (thrown) {
    if (errnoOf(thrown) === null) throw thrown;
    return null;
  }
}
