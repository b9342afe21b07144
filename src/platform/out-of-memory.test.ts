import { describe, expect, it, test } from "vitest";
import { MemoryWatch, oomKill, oomRecordOf } from "./out-of-memory.ts";

const KILLED = "3,1021,5000000000,-;Out of memory: Killed process 4123 (node) total-vm:9kB, anon-rss:1kB";
const IN_CGROUP =
  "3,1022,6000000000,-;Memory cgroup out of memory: Killed process 77 (my (odd) name) total-vm:9kB";

test("a record of the kernel says whom it killed for memory and when, also within a memory cgroup", () => {
  expect(oomKill(KILLED)).toMatchObject({ pid: 4123, atUs: 5_000_000_000 });
  expect(oomKill(IN_CGROUP)).toMatchObject({ pid: 77 });
});

test.each([
  ["another message", "6,1,5,-;usb 1-1: new device"],
  ["one that only quotes the words", "6,1,5,-;audit: comm=Killed process 4123 (node)"],
  ["a record without its head", "Out of memory: Killed process 4123 (node)"],
  ["the line that announces the search", "3,1,5,-;node invoked oom-killer: gfp_mask=0x0, order=0"],
])("%s is no proof", (_what, record) => {
  expect(oomKill(record)).toBeNull();
});

test("only a kill after the process began is its own: a pid is used again within one boot (K2)", () => {
  const at = (started: number | null): string | null =>
    oomRecordOf({ pid: 4123, started }, [IN_CGROUP, KILLED]);
  expect(at(100)).toMatch(/Killed process 4123/);
  expect(at(500_000 + 200), "two seconds after the kill").toBeNull();
  expect(at(null), "a start that is not known proves nothing").toBeNull();
  expect(oomRecordOf({ pid: 4124, started: 1 }, [KILLED])).toBeNull();
});

test("asking the real kernel never fails, whether it may be asked or not", () => {
  expect(oomRecordOf({ pid: process.pid, started: 1 })).toBeNull();
});

describe("the watch over the kernel's kills for memory", () => {
  it("sees one of just now, and not one of long ago that hit a tool and not the agent", () => {
    let kills = 3;
    const watch = new MemoryWatch(() => kills);
    expect(watch.hasKilledLately()).toBe(false);
    kills = 4;
    watch.look();
    expect(watch.hasKilledLately()).toBe(true);
    for (let n = 0; n < 5; n += 1) watch.look();
    expect(watch.hasKilledLately()).toBe(false);
  });

  it("claims nothing where the kernel does not count", () => {
    expect(new MemoryWatch(() => null).hasKilledLately()).toBe(false);
  });
});
