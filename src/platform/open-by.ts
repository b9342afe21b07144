/** Who has a file open, as far as the kernel lets us see. */
import { fstatSync, readdirSync, type Stats, statSync } from "node:fs";
import { errnoOf } from "./io-error.ts";

/** Whether this process has the file open, on whatever thread and under whatever name. */
export function isOpenHere(file: Pick<Stats, "dev" | "ino">): boolean {
  return (listNumbers("/dev/fd") ?? []).some((fd) => {
    try {
      const { dev, ino } = fstatSync(fd);
      return dev === file.dev && ino === file.ino;
    } catch (thrown) {
      // The descriptor of the listing itself, or one closed by another thread since.
      if (errnoOf(thrown) === "EBADF") return false;
      throw thrown;
    }
  });
}

/** Other processes. Null: this system does not tell. */
export function pidsWithOpen(path: string): number[] | null {
  const target = statSync(path, { throwIfNoEntry: false });
  if (!target) return [];
  const processes = listNumbers("/proc");
  if (processes === null) return null;
  return processes.filter((pid) => pid !== process.pid && hasOpen(pid, target));
}

/** By the file, not by its name: it may have been opened through a link, or in another mount namespace. */
function hasOpen(pid: number, target: Pick<Stats, "dev" | "ino">): boolean {
  const descriptors = listNumbers(`/proc/${pid}/fd`) ?? [];
  return descriptors.some((fd) => {
    try {
      const { dev, ino } = statSync(`/proc/${pid}/fd/${fd}`);
      return dev === target.dev && ino === target.ino;
    } catch (thrown) {
      // Closed since we listed it, another user's, or on a file system that is gone: not a store that can be open.
      if (errnoOf(thrown) !== null) return false;
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
