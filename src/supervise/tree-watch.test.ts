import { describe, expect, it } from "vitest";
import type { ProcessRow } from "../platform/process-list.ts";
import { type KnownProcesses, look } from "./tree-watch.ts";

const row = (pid: number, parent: number, session: number, more: Partial<ProcessRow> = {}): ProcessRow => ({
  pid,
  parent,
  group: session,
  session,
  foreground: -1,
  started: pid * 10,
  hasExited: false,
  isStopped: false,
  name: "sh",
  ...more,
});
const agent: KnownProcesses = {
  seen: new Map([[100, { pid: 100, started: 1000 }]]),
  sessions: new Map([[100, 1000]]),
};
const nobody = (): boolean => false;
const pids = (known: KnownProcesses): number[] => [...known.seen.keys()].toSorted((a, b) => a - b);

describe("the descendants of an agent", () => {
  it("are its children and theirs, in whatever session, and nobody else", () => {
    const rows = [row(1, 0, 1), row(100, 1, 100), row(101, 100, 100), row(102, 101, 102), row(200, 1, 200)];
    expect(pids(look(rows, agent, nobody))).toEqual([100, 101, 102]);
  });

  it("stay known by pid and start time when their parents are gone, and a reused pid is not one of them", () => {
    const first = look([row(100, 1, 100), row(101, 100, 101)], agent, nobody);
    expect(pids(look([row(101, 1, 101)], first, nobody))).toEqual([101]);
    expect(pids(look([row(101, 1, 101, { started: 5 })], first, nobody))).toEqual([]);
  });

  it("are found in a session one of them began, though nobody saw their parents", () => {
    const first = look([row(100, 1, 100), row(101, 100, 101)], agent, nobody);
    // 101 forked 150, which forked 151 and died, and 101 died, all between two looks.
    expect(pids(look([row(151, 1, 101)], first, nobody))).toEqual([151]);
    // A session whose beginner is somebody else now is not theirs.
    expect(pids(look([row(101, 1, 101, { started: 7 }), row(151, 101, 101)], first, nobody))).toEqual([]);
    // Once nobody is in it, its number may be given away.
    const empty = look([row(100, 1, 100)], first, nobody);
    expect(pids(look([row(100, 1, 100), row(160, 1, 101)], empty, nobody))).toEqual([100]);
  });

  it("are what carries the mark, and what descends from it", () => {
    const rows = [row(100, 1, 100), row(300, 1, 300), row(301, 300, 300)];
    expect(pids(look(rows, agent, ({ pid }) => pid === 300))).toEqual([100, 300, 301]);
  });

  it("are not those that are over", () => {
    expect(pids(look([row(100, 1, 100, { hasExited: true })], agent, nobody))).toEqual([]);
  });
});
