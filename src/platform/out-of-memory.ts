/** How many processes of our control group the kernel has killed for memory so far: its own count, readable by anyone. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

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
