/** Which other processes have a file open, as far as the kernel lets us see. Null: this system does not tell. */
import { readdirSync, readlinkSync, statSync } from "node:fs";
import { errnoOf } from "./io-error.ts";

export function pidsWithOpen(path: string): number[] | null {
  const target = statSync(path, { throwIfNoEntry: false });
  if (!target) return [];
  const processes = listNumbers("/proc");
  if (processes === null) return null;
  return processes.filter((pid) => pid !== process.pid && hasOpen(pid, path));
}

function hasOpen(pid: number, path: string): boolean {
  const descriptors = listNumbers(`/proc/${pid}/fd`) ?? [];
  return descriptors.some((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`) === path;
    } catch (thrown) {
      // Closed, or the process ended, since we listed it.
      if (errnoOf(thrown) === "ENOENT" || errnoOf(thrown) === "EACCES") return false;
      throw thrown;
    }
  });
}

function listNumbers(folder: string): number[] | null {
  try {
    return readdirSync(folder)
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch (thrown) {
    const code = errnoOf(thrown);
    if (code === "ENOENT" || code === "EACCES" || code === "EPERM") return null;
    throw thrown;
  }
}
