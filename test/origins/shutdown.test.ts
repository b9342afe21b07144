/**
 * The third origin (002): a gateway that ends without saying so. Rows of docs/origins.md, on every store, with the
 * example's server as people would ship it: real processes, messages over HTTP, real signals.
 */
import { describe, expect, test } from "vitest";
import type { ChatProcess, ChildOrders } from "../gateway/chat-process.ts";
import { until } from "../gateway/chat-process.ts";
import type { JournalReader } from "../gateway/journal-reader.ts";
import { openTown } from "../gateway/lifecycle.ts";
import { STORES } from "../support/both-stores.ts";

const T0 = Date.UTC(2026, 0, 1);
const DAY = 24 * 60 * 60 * 1_000;

const ended: readonly (readonly [string, Partial<ChildOrders>, (life: ChatProcess) => Promise<unknown>])[] = [
  ["kill -9", {}, (life) => life.kill()],
  [
    "systemd: SIGTERM, its patience over, SIGKILL",
    { drainMs: 600_000 },
    async (life) => {
      life.signal("SIGTERM");
      await life.line("draining");
      await life.kill();
    },
  ],
  [
    "a drain whose time is up",
    { drainMs: 1, policy: { drainGraceMs: 50 } },
    async (life) => {
      life.signal("SIGTERM");
      await life.line("interrupted");
      await life.kill();
    },
  ],
];

async function idleConversation(life: ChatProcess, reader: JournalReader, id: string): Promise<void> {
  await life.send({ session: id, id: `${id}-1`, text: "hello" });
  await reader.recorded(id, "delivery.ended");
}

describe.each(STORES)("on %s", (_, fresh) => {
  test.each(ended)(
    "origin 001.4, 002.29, 002.30, 002.33, 002.35: %s: the turn that ran is found by its mark and goes on by itself, once (L1, L3)",
    async (_what, orders, end) => {
      const { town, journal } = await openTown(fresh);
      const one = town.live(orders);
      await one.start();
      const reader = await journal();
      await one.send({ session: "c1", id: "m1", text: "wait 600000" });
      await reader.recorded("c1", "turn.began", { input: "m1" });
      await end(one);
      const two = town.live();
      expect((await two.start()).conversations).toMatchObject([
        { session: "c1", planned: { kind: "resume" } },
      ]);
      await until("it runs again", async () => (await reader.outcomes("c1")).length === 2);
      expect(await reader.outcomes("c1")).toEqual(["interrupted", null]);
    },
  );

  test("origin 002.31, 002.37, 002.41, 002.46: the message after the restart goes on in the same session with its whole history; nothing was wiped (D2, L5)", async () => {
    const { town, journal } = await openTown(fresh);
    const one = town.live();
    const reader = await journal();
    await idleConversation(one, reader, "c1");
    const before = await reader.records("c1");
    await one.kill();
    const two = town.live();
    await two.start();
    await two.send({ session: "c1", id: "m2", text: "again" });
    expect((await town.platform.arrived("m2")).text).toBe("You said: again");
    const after = await reader.records("c1");
    expect(after.slice(0, before.length).map(({ id }) => id)).toEqual(before.map(({ id }) => id));
  });

  test("origin 002.32, 002.34: who was idle when the process died is neither suspended nor resumed, whether its turn ended a moment or three weeks ago: marks decide, not a window of time (L1, L5)", async () => {
    const { town, journal } = await openTown(fresh);
    const reader = await journal();
    const one = town.live({ nowMs: T0 });
    await idleConversation(one, reader, "old");
    await one.kill();
    const two = town.live({ nowMs: T0 + 21 * DAY });
    await two.start();
    await idleConversation(two, reader, "young");
    await two.kill();
    const three = town.live({ nowMs: T0 + 21 * DAY + 1_000 });
    const { conversations, instances } = await three.start();
    expect(conversations).toEqual([]);
    expect(instances.at(-1)).toMatchObject({ verdict: "dirty" });
    for (const id of ["old", "young"]) {
      expect(await reader.outcomes(id)).toEqual(["completed"]);
      expect(await reader.records(id, "session.suspended")).toEqual([]);
    }
  });

  test("origin 002.40: a session suspended after three dirty ends keeps its history: it is left, not reset (L2, D2)", async () => {
    const { town, journal } = await openTown(fresh);
    const reader = await journal();
    const orders = { policy: { loopStarts: 1_000 } };
    let life = town.live(orders);
    await life.start();
    await idleConversation(life, reader, "c1");
    await life.send({ session: "c1", id: "m1", text: "wait 600000" });
    await reader.recorded("c1", "turn.began", { input: "m1" });
    for (let end = 1; end <= 3; end++) {
      await life.kill();
      life = town.live(orders);
      await life.start();
      if (end < 3) await until("again", async () => (await reader.outcomes("c1")).length === end + 2);
    }
    await reader.recorded("c1", "session.suspended");
    const kinds = (await reader.records("c1")).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === "input.queued")).toHaveLength(2);
    expect(kinds.filter((kind) => kind === "message.added").length).toBeGreaterThan(0);
  });
});
