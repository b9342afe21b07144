/** What must hold when a gateway is killed and started again, the same for every store: what is resumed, and what is not. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { SessionId } from "../../src/model/ids.ts";
import { newRecord } from "../../src/session/new-record.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { type ChatProcess, type ChildOrders, Town, until } from "./chat-process.ts";
import { JournalReader } from "./journal-reader.ts";

export type FreshStore = (folder: string) => Pick<ChildOrders, "url" | "open">;

const T0 = Date.UTC(2026, 0, 1);
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** The guards are tested one at a time. */
const NO_LOOP_GUARD = { loopStarts: 1_000 };
const NO_COUNT = { dirtyEnds: 1_000 };

export async function openTown(
  fresh: FreshStore,
): Promise<{ town: Town; journal: () => Promise<JournalReader> }> {
  const folder = temporaryFolder();
  const store = fresh(folder);
  const town = await Town.open(store, folder);
  writeFileSync(town.orders.world, "");
  return { town, journal: () => JournalReader.open(store) };
}

/** Sends a message whose turn does not end by itself, and waits until it runs. */
async function beginEndlessTurn(life: ChatProcess, journal: JournalReader, id: string): Promise<void> {
  await life.send({ session: "c1", id, text: "wait 600000" });
  await journal.recorded("c1", "turn.began", { input: id });
}

export function describeLifecycle(fresh: FreshStore): void {
  test("kill -9 after a finished turn: the same conversation goes on, not reset and not called interrupted (L5)", async () => {
    const { town, journal } = await openTown(fresh);
    const one = town.live();
    await one.send({ session: "c1", id: "m1", text: "hello" });
    await town.platform.arrived("m1");
    const reader = await journal();
    await reader.recorded("c1", "delivery.ended");
    await one.kill();
    const two = town.live();
    const start = await two.start();
    expect(start.conversations).toEqual([]);
    expect(start.instances).toMatchObject([{ verdict: "dirty" }]);
    await two.send({ session: "c1", id: "m2", text: "again" });
    expect((await town.platform.arrived("m2")).text).toBe("You said: again");
    expect(await reader.outcomes("c1")).toEqual(["completed", "completed"]);
  });

  test("kill -9 ten minutes into a turn, started an hour later: found interrupted by its mark and resumed, not missed (L1)", async () => {
    const { town, journal } = await openTown(fresh);
    const one = town.live({ nowMs: T0 });
    await one.start();
    const reader = await journal();
    await beginEndlessTurn(one, reader, "m1");
    await one.kill();
    const two = town.live({ nowMs: T0 + 10 * MINUTE + HOUR });
    expect((await two.start()).conversations).toMatchObject([{ session: "c1", planned: { kind: "resume" } }]);
    const decided = await reader.recorded("c1", "resume.decided", { decision: "resume" });
    expect(decided.body.note).toContain("interrupted");
    expect((await reader.outcomes("c1"))[0]).toBe("interrupted");
    const users = (await reader.records("c1", "message.added")).filter(({ body }) => body.role === "user");
    expect(users).toEqual([]); // the note is no user text
  });

  test("21 days idle with its row touched by bookkeeping: not resumed; interrupted and down for 21 days: marked and left, not revived", async () => {
    const { town, journal } = await openTown(fresh);
    const one = town.live({ nowMs: T0 });
    await one.send({ session: "idle", id: "m1", text: "hello" });
    await town.platform.arrived("m1");
    const reader = await journal();
    await beginEndlessTurn(one, reader, "m2");
    await reader.recorded("idle", "claim.released");
    await one.kill();
    await reader.store.append("idle" as SessionId, "anyone", [
      newRecord(reader.store.clock, "session.lifted", { reason: "bookkeeping" }),
    ]);
    const two = town.live({ nowMs: T0 + 21 * DAY });
    expect((await two.start()).conversations).toMatchObject([
      { session: "c1", planned: { kind: "leave", why: "stale" }, hasWork: true },
    ]); // what waits is only that he is told
    expect(await reader.outcomes("idle")).toEqual(["completed"]);
    expect(await reader.outcomes("c1")).toEqual(["interrupted"]);
    expect((await town.platform.arrived("m2")).text).toContain("found too late");
    // A person's new message goes on with it, and the model is told.
    await two.send({ session: "c1", id: "m3", text: "are you there?" });
    expect((await town.platform.arrived("m3")).text).toBe("(interrupted before) You said: are you there?");
  });

  test.each([
    ["crashes", "SIGKILL"],
    ["drains that were too short", "SIGTERM"],
  ] as const)(
    "three %s with the same conversation active: the third start suspends it, history kept, and a new message goes on (L2)",
    async (_what, signal) => {
      const { town, journal } = await openTown(fresh);
      const orders = { policy: { ...NO_LOOP_GUARD, drainGraceMs: 1_000 }, drainMs: 1 };
      const first = town.live(orders);
      await first.start();
      const reader = await journal();
      await beginEndlessTurn(first, reader, "m1");
      let life = first;
      const decisions: unknown[] = [];
      for (let end = 1; end <= 3; end++) {
        life.signal(signal);
        await life.ended();
        life = town.live(orders);
        const [conversation] = (await life.start()).conversations;
        decisions.push(conversation?.planned.kind);
        if (end < 3)
          await until("it runs again", async () => (await reader.outcomes("c1")).length === end + 1);
      }
      expect(decisions).toEqual(["resume", "resume", "leave"]);
      await reader.recorded("c1", "session.suspended");
      await life.send({ session: "c1", id: "m2", text: "go on" });
      expect((await town.platform.arrived("m2")).text).toBe("(interrupted before) You said: go on");
      expect((await reader.outcomes("c1")).slice(0, 3)).toEqual([
        "interrupted",
        "interrupted",
        "interrupted",
      ]);
      expect(await reader.records("c1", "input.queued")).toHaveLength(2);
    },
  );

  test.each([1, 60, 150])(
    "restarts every %i s while resuming: what was resumed and lost twice is not resumed by itself; after a long gap it is again (L2)",
    async (cycle) => {
      const { town, journal } = await openTown(fresh);
      const first = town.live({ nowMs: T0, policy: NO_COUNT });
      await first.start();
      const reader = await journal();
      await beginEndlessTurn(first, reader, "m1");
      let life = first;
      const seen: unknown[] = [];
      for (const at of [cycle, 2 * cycle, 3 * cycle, 3 * cycle + 301]) {
        await life.kill();
        life = town.live({ nowMs: T0 + at * SECOND, policy: NO_COUNT });
        const { loop, conversations } = await life.start();
        seen.push([loop.chain, conversations[0]?.planned.kind]);
        // Resumed, not only planned to be: a start that dies before it got there has lost nothing.
        const resumed = seen.filter((one) => (one as unknown[])[1] === "resume").length;
        if (!loop.isTripped)
          await until("it runs", async () => (await reader.outcomes("c1")).length === resumed + 1);
      }
      expect(seen).toEqual([
        [1, "resume"],
        [2, "resume"],
        [3, "leave"],
        [1, "resume"],
      ]);
      expect(await reader.records("c1", "session.suspended")).toEqual([]);
    },
  );

  test("inputs that come while recovery runs get a true receipt and no turn before the gate opens; who is not authorised is not resumed", async () => {
    const { town, journal } = await openTown(fresh);
    const one = town.live();
    await one.start();
    const reader = await journal();
    await beginEndlessTurn(one, reader, "m1");
    await one.kill();
    const authorise = join(temporaryFolder(), "said");
    writeFileSync(authorise, "");
    const two = town.live({ authorise });
    const early = await two.send({ session: "c2", id: "m2", text: "early" });
    expect(early).toMatchObject({ waitsFor: "start", isRepeat: false });
    expect(await reader.records("c2", "input.queued", "turn.began")).toMatchObject([{ seq: early.seq }]);
    expect(town.platform.delivered).toEqual([]);
    writeFileSync(authorise, "no");
    // The early conversation may have been seen by recovery or not; the interrupted one was judged.
    expect((await two.start()).conversations).toContainEqual(
      expect.objectContaining({
        session: "c1",
        planned: expect.objectContaining({ kind: "leave", why: "not-authorised" }),
      }),
    );
    expect((await town.platform.arrived("m2")).text).toBe("You said: early");
    expect(await reader.outcomes("c1")).toEqual(["interrupted"]);
  });

  test("asked to stop: the turn is cancelled, what waited is dropped, and no start resumes it; killed before it could stop, it is left too (L4)", async () => {
    const { town, journal } = await openTown(fresh);
    const one = town.live();
    await one.start();
    const reader = await journal();
    await beginEndlessTurn(one, reader, "m1");
    await one.send({ session: "c1", id: "m2", text: "waits" });
    expect((await one.post("/stop", { session: "c1" })).body).toEqual({ dropped: ["m2"] });
    await reader.recorded("c1", "turn.ended", { outcome: "cancelled" });
    await beginEndlessTurn(one, reader, "m3");
    await one.kill();
    await reader.store.append("c1" as SessionId, "anyone", [
      newRecord(reader.store.clock, "stop.asked", { reason: "in the last moment" }),
    ]);
    const two = town.live();
    expect((await two.start()).conversations).toMatchObject([
      { planned: { kind: "leave", why: "asked-to-stop" }, hasWork: false },
    ]);
    expect(await reader.outcomes("c1")).toEqual(["cancelled", "cancelled"]);
    expect(town.platform.delivered).toEqual([]);
  });
}
