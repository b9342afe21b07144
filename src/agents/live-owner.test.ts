import { describe, expect, it } from "vitest";
import { type AskProcess, hasLiveOwner, lifeByMarks } from "./live-owner.ts";
import { pi } from "./pi/agent.ts";
import type { LivenessMark } from "./words/adapter.ts";

const MARK: LivenessMark = { nativeId: "one", path: "/home/sessions/7.json", pid: 7, processStart: 100 };
const where = { home: "/home", env: {} };
const table = (
  started: number | null,
  more: Partial<AskProcess & { hasExited: boolean }> = {},
): AskProcess => ({
  statusOf: () => (started === null ? null : { started, hasExited: more.hasExited ?? false }),
  exists: () => started !== null,
  wordsOf: () => ["vim", "notes"],
  namespace: () => "pid:[1]",
  ...more,
});
const agentWith = (...marks: Partial<LivenessMark>[]) => ({
  launch: pi.launch,
  places: { find: () => [], marks: () => marks.map((mark) => ({ ...MARK, ...mark })) },
});
const life = (mark: Partial<LivenessMark>, ask: AskProcess): string =>
  lifeByMarks(agentWith(mark), where, "one", ask).kind;

describe("the owner of a session an agent writes", () => {
  it("lives where its mark's process was started when the mark says (K2)", () => {
    expect(life({}, table(100))).toBe("alive");
    expect(hasLiveOwner(agentWith({}), where, "one", table(100))).toBe(true);
  });

  it("is dead by a process that is gone, has exited or is another by its start, and by a lock that nobody holds", () => {
    expect(life({}, table(101))).toBe("dead");
    expect(life({}, table(100, { hasExited: true }))).toBe("dead");
    expect(life({}, table(null))).toBe("dead");
    expect(life({ pid: null, processStart: null }, table(100))).toBe("dead");
  });

  it("lives by a mark without a start only where the process is that agent's program: a pid alone proves neither life nor death (K2)", () => {
    const agent = table(100, { wordsOf: () => ["node", "/opt/bin/pi", "--print"] });
    expect(life({ processStart: null }, agent)).toBe("alive");
    expect(life({ processStart: null }, table(100))).toBe("untold");
    expect(life({ processStart: null }, table(100, { wordsOf: () => null }))).toBe("untold");
    expect(life({ processStart: null }, table(null))).toBe("dead");
  });

  it("is not told by another session's mark, one of another pid namespace, or where the system does not tell", () => {
    expect(life({ nativeId: "two" }, table(100))).toBe("untold");
    expect(life({ nativeId: null }, table(100))).toBe("untold");
    expect(life({ pidNamespace: "pid:[2]" }, table(100))).toBe("untold");
    expect(life({}, table(null, { exists: () => true }))).toBe("untold");
  });

  it("lives if one of several marks says so, and is dead only if all do", () => {
    const told = (...marks: Partial<LivenessMark>[]): string =>
      lifeByMarks(agentWith(...marks), where, "one", table(100)).kind;
    expect(told({ processStart: 1 }, {})).toBe("alive");
    expect(told({ processStart: 1 }, { processStart: null })).toBe("untold");
    expect(told({ processStart: 1 }, { pid: null })).toBe("dead");
  });
});
