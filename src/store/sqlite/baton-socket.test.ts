import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type QueueMember, TurnQueue } from "./baton-socket.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Longer than any turn may last while others wait. */
const LONG_MS = 1000;

function memberOf(log: string[], name: string): QueueMember {
  return {
    granted: () => void log.push(`${name} granted`),
    heard: () => void log.push(`${name} heard`),
    askedBack: () => void log.push(`${name} asked back`),
  };
}

function three(): { queue: TurnQueue; log: string[]; a: QueueMember; b: QueueMember; c: QueueMember } {
  const log: string[] = [];
  const [a, b, c] = ["a", "b", "c"].map((name) => memberOf(log, name)) as [
    QueueMember,
    QueueMember,
    QueueMember,
  ];
  return { queue: new TurnQueue(), log, a, b, c };
}

test("turns are given in the order they were asked for, and the holder is asked back once somebody waits", () => {
  const { queue, log, a, b, c } = three();
  queue.want(a);
  queue.want(b);
  queue.want(c);
  queue.done(a);
  queue.done(b);
  expect(log).toEqual([
    "a granted",
    "b heard",
    "a asked back",
    "c heard",
    "a asked back",
    "b granted",
    "b asked back",
    "c granted",
  ]);
});

test("baton 2: who holds the turn keeps it while nobody else wants it, however long", () => {
  const { queue, log, a } = three();
  queue.want(a);
  vi.advanceTimersByTime(LONG_MS);
  expect(log).toEqual(["a granted"]);
});

test("baton 5: a stopped holder's turn passes on, and what it says when it is back takes nobody's turn away", () => {
  const { queue, log, a, b, c } = three();
  for (const member of [a, b, c]) queue.want(member);
  log.length = 0;
  vi.advanceTimersByTime(LONG_MS);
  // Neither of the first two gave it back; the last one has it and nobody waits behind it.
  expect(log).toEqual(["b granted", "b asked back", "c granted"]);
  log.length = 0;
  queue.done(a);
  queue.want(a);
  expect(log).toEqual(["a heard", "c asked back"]);
  queue.done(c);
  expect(log.at(-1)).toBe("a granted");
});

test("baton 3: a member that leaves gives up its turn and its place", () => {
  const { queue, log, a, b, c } = three();
  for (const member of [a, b, c]) queue.want(member);
  log.length = 0;
  queue.leave(b);
  queue.leave(a);
  expect(log).toEqual(["c granted"]);
});

test("asking twice is answered twice and gives one turn only", () => {
  const { queue, log, a, b } = three();
  queue.want(a);
  queue.want(b);
  queue.want(b);
  queue.done(a);
  queue.done(b);
  expect(log).toEqual(["a granted", "b heard", "a asked back", "b heard", "b granted"]);
});
