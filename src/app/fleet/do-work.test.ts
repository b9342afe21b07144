/** One session's fault is told and ends its slot, not the worker. */
import { expect, it } from "vitest";
import type { SessionId } from "../../model/ids.ts";
import { selfOwner } from "../../platform/identity.ts";
import { doWork } from "./do-work.ts";
import type { WorkerNews, WorkerSetting } from "./worker-order.ts";

it("an error that is none of ours is told as trouble; the item is given back, and nothing is thrown", async () => {
  const told: WorkerNews[] = [];
  const released: unknown[] = [];
  const clock = { monotonicMs: () => 0, nowMs: () => 0 };
  const raw = {
    ...{ clock, lostAfterMs: 100_000, session: async () => null },
    release: async (session: string, attempt: number) => released.push([session, attempt]),
  };
  const setting = {
    ...{ at: { clock }, store: { raw }, order: {}, repositories: [], account: "a", owner: selfOwner("test") },
    face: { tell: (news: WorkerNews) => told.push(news), streams: () => ({}) },
    signals: { forSession: () => ({ tell: () => undefined, stop: () => undefined }) },
  } as unknown as WorkerSetting;
  const workspace = { repository: () => Promise.reject(new TypeError("undefined is no function")) };
  const repository = { id: "r", workspace, at: {} } as unknown as WorkerSetting["repositories"][number];
  const session = "one" as SessionId;
  expect(await doWork(setting, { kind: "item", session, attempt: 1, prompt: "p", repository })).toBeNull();
  expect(told).toEqual([{ kind: "trouble", error: expect.any(TypeError), session }]);
  expect(released).toEqual([["one", 1]]);
});
