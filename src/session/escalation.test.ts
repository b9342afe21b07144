import { expect, test } from "vitest";
import { CAUSES } from "../model/causes.ts";
import {
  countDirtyEnd,
  type DirtyEnds,
  type FoundEnd,
  isAskedBy,
  isToSuspend,
  NO_DIRTY_ENDS,
} from "./escalation.ts";

const end = (over: Partial<FoundEnd> = {}): FoundEnd => ({
  cause: "crash",
  call: null,
  hasProgress: false,
  ...over,
});
const after = (ends: readonly FoundEnd[], from: DirtyEnds = NO_DIRTY_ENDS): DirtyEnds =>
  ends.reduce(countDirtyEnd, from);

test("L2: the third end without progress suspends, the second does not", () => {
  expect(isToSuspend(after([end(), end()]))).toBe(false);
  expect(isToSuspend(after([end(), end(), end()]))).toBe(true);
});

test("L2: a session that gets something done each time is never suspended, however often it dies", () => {
  const ends = Array.from({ length: 100 }, () => end({ hasProgress: true }));
  expect(after(ends)).toEqual({ count: 1, call: null });
});

test("L2: progress sets the count back to this one end", () => {
  expect(after([end(), end(), end({ hasProgress: true })]).count).toBe(1);
});

test.each(CAUSES.map((cause) => [cause] as const))("L2: whether %s counts", (cause) => {
  const never = cause === "limit" || cause === "clean";
  expect(after([end({ cause })]).count).toBe(never ? 0 : 1);
  const isFreeWithProgress = never || cause === "timeout";
  expect(after([end({ cause, hasProgress: true })]).count).toBe(isFreeWithProgress ? 0 : 1);
  // What does not count does not forgive either, unless something got done.
  expect(after([end({ cause })], { count: 2, call: null }).count).toBe(never ? 2 : 3);
});

test("L2: an end that was asked for never counts: a person's Ctrl-C is no crash loop; nor does it forgive", () => {
  const asked = end({ cause: "signal", isAsked: true });
  expect(after([asked, asked, asked])).toEqual(NO_DIRTY_ENDS);
  expect(after([end(), end(), asked])).toEqual({ count: 2, call: null });
  expect(after([end(), end(), { ...asked, hasProgress: true }])).toEqual(NO_DIRTY_ENDS);
  expect([isAskedBy("SIGINT", null), isAskedBy("SIGTERM", 0)]).toEqual([true, true]);
  expect([isAskedBy("SIGTERM", null), isAskedBy("SIGHUP", null)]).toEqual([false, false]);
});

test("L2: forty nights that end by our own timeout with progress never suspend; three that got nothing done do", () => {
  const nights = Array.from({ length: 40 }, () => end({ cause: "timeout", hasProgress: true }));
  expect(after(nights)).toEqual(NO_DIRTY_ENDS);
  expect(isToSuspend(after([1, 2, 3].map(() => end({ cause: "timeout" }))))).toBe(true);
});

test("L2: the count belongs to the open call: the same one three times suspends, another one begins at one", () => {
  const same = end({ call: "bash 1" });
  expect(after([same, same, same])).toEqual({ count: 3, call: "bash 1" });
  expect(after([same, same, end({ call: "bash 2" })])).toEqual({ count: 1, call: "bash 2" });
});

test("L2: an end with no call open counts on with whatever there was: nothing says that it is another story", () => {
  expect(after([end({ call: "bash 1" }), end(), end({ call: "bash 1" })])).toEqual({
    count: 3,
    call: "bash 1",
  });
});

test("L2: the count goes over to the session that takes the work up", () => {
  const carried = after([end(), end()]);
  expect(isToSuspend(after([end()], carried))).toBe(true);
});
