import { expect, it } from "vitest";
import { type Happening, HappeningQueue } from "./happening-queue.ts";

const key = (text: string): Happening => ({ kind: "key", key: text });
const SIGNAL: Happening = { kind: "signal", signal: "SIGTERM" };

it("gives what happened in its order, to whoever asked before it happened, too; a signal before all that waits", async () => {
  const queue = new HappeningQueue();
  const asked = queue.next();
  queue.add(key("a"));
  expect(await asked).toEqual(key("a"));
  queue.add(key("b"));
  queue.add({ kind: "redraw" });
  queue.addFirst(SIGNAL);
  expect(queue.hasSignal).toBe(true);
  expect([await queue.next(), await queue.next(), await queue.next()]).toEqual([
    SIGNAL,
    key("b"),
    { kind: "redraw" },
  ]);
  expect(queue.hasSignal).toBe(false);
});

it("forgets keys when told, and nothing else", async () => {
  const queue = new HappeningQueue();
  queue.add(key("y"));
  queue.add({ kind: "redraw" });
  queue.add(key("y"));
  queue.forgetKeys();
  queue.add(key("n"));
  expect([await queue.next(), await queue.next()]).toEqual([{ kind: "redraw" }, key("n")]);
  queue.add(key("late"));
  queue.clear();
  queue.add(SIGNAL);
  expect(await queue.next()).toEqual(SIGNAL);
});
