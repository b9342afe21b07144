/** Which processes work in a folder, as far as the kernel lets us see: by their working directory and open files. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { sep } from "node:path";
import { listProcesses, type ProcessRow } from "./process-list.ts";

/**
 * Processes whose environment tells nothing (not readable, or emptied) and that have something below the folder open:
 * nobody can say whose they are. Kernel threads have neither. Null: this system does not tell.
 */
export function unreadableBelow(root: string): ProcessRow[] | null {
  const processes = listProcesses();
  if (processes === null) return null;
  return processes.filter(
    (row) => !row.hasExited && row.pid !== process.pid && isUntold(row.pid) && hasOpenBelow(row.pid, root),
  );
}

/** Nobody owns a process with no memory of its own: the kernel's threads. */
function isUntold(pid: number): boolean {
  const environment = readOrNull(() => readFileSync(`/proc/${pid}/environ`));
  if (environment === null) return true;
  return (
    environment.length === 0 && (readOrNull(() => readFileSync(`/proc/${pid}/cmdline`))?.length ?? 0) > 0
  );
}

function hasOpenBelow(pid: number, root: string): boolean {
  const isBelow = (path: string | null): boolean =>
    path !== null && (path === root || path.startsWith(`${root}${sep}`));
  if (isBelow(readOrNull(() => readlinkSync(`/proc/${pid}/cwd`)))) return true;
  const descriptors = readOrNull(() => readdirSync(`/proc/${pid}/fd`)) ?? [];
  return descriptors.some((fd) => isBelow(readOrNull(() => readlinkSync(`/proc/${pid}/fd/${fd}`))));
}

/** Any failure means that it cannot be read: gone meanwhile, or another user's. */
function readOrNull<Result>(read: () => Result): Result | null {
  try {
    return read();
  } catch (_unreadable) {
    return null;
  }
}
