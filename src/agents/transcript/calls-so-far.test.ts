import { describe, expect, it } from "vitest";
import { type CallSoFar, CallsSoFar } from "./calls-so-far.ts";

const MOST = 20;
const open = (): CallSoFar => ({ tool: "run", proof: "started", isLeft: false, result: null });
const heard = (calls: CallsSoFar, ids: readonly string[], areOver: boolean): void => {
  for (const id of ids) {
    const call = open();
    calls.add(id, call);
    if (!areOver) continue;
    call.result = { status: "done", origin: "real" };
    calls.close(id);
  }
};
const ids = (from: number, count: number): string[] =>
  Array.from({ length: count }, (_, n) => `c${from + n}`);
const listed = (calls: CallsSoFar): string[] => [...calls].map(([id]) => id);

describe("the calls of a transcript", () => {
  it("are all listed up to the limit, in their order, and none is left out (T5)", () => {
    const calls = new CallsSoFar(MOST);
    heard(calls, ids(0, MOST - 1), true);
    expect([listed(calls), calls.leftOut]).toEqual([ids(0, MOST - 1), 0]);
  });

  it("beyond it lose the oldest that are over, never one that is open; those left out are counted", () => {
    const calls = new CallsSoFar(MOST);
    heard(calls, ["first"], false);
    heard(calls, ids(0, 500), true);
    const left = listed(calls);
    expect(left[0]).toBe("first");
    expect(left.slice(1)).toEqual(ids(500 - (left.length - 1), left.length - 1));
    expect(left.length).toBeGreaterThanOrEqual(MOST / 2 - 1);
    expect(left.length).toBeLessThanOrEqual(MOST);
    expect(left.length + calls.leftOut).toBe(501);
    expect([...calls.open.keys()]).toEqual(["first"]);
  });

  it("are bounded where none ever ends, too", () => {
    const calls = new CallsSoFar(MOST);
    heard(calls, ids(0, 1000), false);
    expect(listed(calls).length).toBeLessThanOrEqual(MOST);
    expect(calls.open.size).toBe(listed(calls).length);
    expect(listed(calls).length + calls.leftOut).toBe(1000);
    calls.leaveOpen();
    expect([calls.open.size, [...calls].every(([, { isLeft }]) => isLeft)]).toEqual([0, true]);
  });
});
