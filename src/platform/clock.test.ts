import { spawnSync } from "node:child_process";
import { expect, test, vi } from "vitest";
import { manualClock } from "../../test/support/manual-clock.ts";
import { program } from "../../test/support/program.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { every, systemClock } from "./clock.ts";

test("a manual clock stands still, and a step back moves the wall clock but never the monotonic one", () => {
  const clock = manualClock(1_000);
  expect([clock.nowMs(), clock.monotonicMs()]).toEqual([1_000, 0]);
  clock.step(500);
  expect([clock.nowMs(), clock.monotonicMs()]).toEqual([1_500, 500]);
  clock.step(-900);
  expect([clock.nowMs(), clock.monotonicMs()]).toEqual([600, 500]);
});

test("sleepers of a manual clock wake at their deadline in its order, and not before", async () => {
  const clock = manualClock(0);
  const woken: string[] = [];
  const sleeps = [
    clock.sleep(300).then(() => woken.push("late")),
    clock.sleep(100).then(() => woken.push("early")),
    clock.sleep(0).then(() => woken.push("at once")),
  ];
  clock.step(99);
  await settled();
  expect(woken).toEqual(["at once"]);
  clock.step(-1_000);
  await settled();
  expect(woken).toEqual(["at once"]);
  clock.step(201);
  await settled();
  clock.step(10);
  await Promise.all(sleeps);
  expect(woken).toEqual(["at once", "early", "late"]);
});

test.each([
  ["system", () => systemClock],
  ["manual", () => manualClock(0)],
])(
  "a sleep on the %s clock ends with the signal's own reason when it is aborted before or during it",
  async (_name, make) => {
    const clock = make();
    const reason = new Error("drained");
    await expect(clock.sleep(60_000, AbortSignal.abort(reason))).rejects.toBe(reason);
    const controller = new AbortController();
    const sleep = clock.sleep(60_000, controller.signal);
    controller.abort(reason);
    await expect(sleep).rejects.toBe(reason);
  },
);

test("a system sleep resolves, and a signal aborted afterwards changes nothing", async () => {
  const controller = new AbortController();
  await systemClock.sleep(1, controller.signal);
  controller.abort();
  expect(systemClock.monotonicMs()).toBeLessThanOrEqual(systemClock.monotonicMs());
});

test("a sleep longer than Node's longest timer is still asleep when a short one is over", async () => {
  const controller = new AbortController();
  let isAwake = false;
  const long = systemClock.sleep(2 ** 31 + 5, controller.signal).then(() => {
    isAwake = true;
  });
  await systemClock.sleep(20);
  expect(isAwake).toBe(false);
  controller.abort(new Error("enough"));
  await expect(long).rejects.toThrow("enough");
});

test("a repeated timer calls again and again until it is stopped, and then never more", async () => {
  let calls = 0;
  const timer = every(1, () => {
    calls += 1;
  });
  await vi.waitFor(() => expect(calls).toBeGreaterThanOrEqual(3));
  timer.stop();
  const before = calls;
  await systemClock.sleep(20);
  expect(calls).toBe(before);
});

test("a repeated timer does not keep its process alive", () => {
  const file = program(
    temporaryFolder(),
    `import { every } from "./platform/clock.ts"; every(3_600_000, () => undefined);`,
  );
  expect(spawnSync(process.execPath, [file], { timeout: 30_000 }).status).toBe(0);
});

async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}
