import { describe, expect, it } from "vitest";
import type { ProcessTable } from "../platform/process-table.ts";
import { hasLiveOwner } from "./live-owner.ts";
import type { LivenessMark } from "./words/adapter.ts";

const MARK: LivenessMark = { nativeId: "one", path: "/home/sessions/7.json", pid: 7, processStart: 100 };
const where = { home: "/home", env: {} };
const table = (started: number | null, hasExited = false): ProcessTable => ({
  statusOf: () => (started === null ? null : { started, hasExited }),
  exists: () => true,
});
const isLive = (mark: Partial<LivenessMark>, processes: ProcessTable): boolean =>
  hasLiveOwner({ places: { find: () => [], marks: () => [{ ...MARK, ...mark }] } }, where, "one", processes);

describe("the owner of a session an agent writes", () => {
  it("lives where its mark's process was started when the mark says (K2)", () => {
    expect(isLive({}, table(100))).toBe(true);
  });

  it("is never said to live by a pid alone, by a reused one, by one that has exited, or by another session's mark", () => {
    expect(isLive({ processStart: null }, table(100))).toBe(false);
    expect(isLive({ pid: null }, table(100))).toBe(false);
    expect(isLive({}, table(101))).toBe(false);
    expect(isLive({}, table(100, true))).toBe(false);
    expect(isLive({}, table(null))).toBe(false);
    expect(isLive({ nativeId: "two" }, table(100))).toBe(false);
    expect(isLive({ nativeId: null }, table(100))).toBe(false);
  });
});
