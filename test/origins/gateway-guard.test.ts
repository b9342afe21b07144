/** The second origin's stuck-loop net, on both stores: it holds what loops, and nothing else, and it lets go. Real processes, real SIGKILL. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readInterruption } from "../../src/gateway/interruption.ts";
import type { SessionId } from "../../src/model/ids.ts";
import { newRecord } from "../../src/session/new-record.ts";
import { type ChatProcess, until } from "../gateway/chat-process.ts";
import type { JournalReader } from "../gateway/journal-reader.ts";
import { openTown } from "../gateway/lifecycle.ts";
import { STORES } from "../support/both-stores.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const T0 = Date.UTC(2026, 0, 1);
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;
const ENDLESS = "wait 600000";

async function begin(
  life: ChatProcess,
  reader: JournalReader,
  session: string,
  text = ENDLESS,
): Promise<void> {
  await life.send({ session, id: `${session}-1`, text });
  await reader.recorded(session, "turn.began");
}

const resumes = async (reader: JournalReader, session: string): Promise<number> =>
  (await reader.records(session, "resume.decided")).filter(({ body }) => body.decision === "resume").length;

const resumed = (reader: JournalReader, session: string, times = 1): Promise<boolean> =>
  until(`${session} is resumed`, async () => (await resumes(reader, session)) === times);

async function endCleanly(life: ChatProcess): Promise<void> {
  life.signal("SIGTERM");
  expect(await life.ended(), life.errors).toBe(0);
}

describe.each(STORES)("on %s", (_name, fresh) => {
  test("origin 002.43: what was left for good and orderly restarts are no loop: the first crash of another conversation is resumed (L2)", async () => {
    const { town, journal } = await openTown(fresh);
    const one = town.live({ nowMs: T0 });
    await one.start();
    const reader = await journal();
    await begin(one, reader, "left");
    await one.kill();
    const later = T0 + 3 * DAY;
    for (const at of [0, 10, 20]) {
      const life = town.live({ nowMs: later + at * SECOND });
      const { loop } = await life.start();
      expect(loop.isTripped).toBe(false);
      await endCleanly(life);
    }
    expect(await reader.records("left", "resume.decided")).toMatchObject([
      { body: { decision: "leave", why: "stale" } },
    ]);
    const crashing = town.live({ nowMs: later + 30 * SECOND });
    await crashing.start();
    await begin(crashing, reader, "innocent");
    await crashing.kill();
    const survivor = town.live({ nowMs: later + 40 * SECOND });
    expect((await survivor.start()).conversations).toContainEqual(
      expect.objectContaining({ session: "innocent", planned: expect.objectContaining({ kind: "resume" }) }),
    );
    await resumed(reader, "innocent");
  });

  test("origin 002.43: a guard that has tripped holds what loops and nothing else, lets go with time, and a lift ends it at once (L2)", async () => {
    const { town, journal } = await openTown(fresh);
    const clock = join(temporaryFolder(), "clock");
    const atTime = (ms: number): void => writeFileSync(clock, String(T0 + ms));
    const orders = { clock, policy: { dirtyEnds: 1_000 } };
    atTime(0);
    let life = town.live(orders);
    await life.start();
    const reader = await journal();
    await begin(life, reader, "loops");
    for (const times of [1, 2]) {
      await life.kill();
      atTime(times * SECOND);
      life = town.live(orders);
      await life.start();
      await resumed(reader, "loops", times);
    }
    await life.kill();
    const survivor = town.live(orders);
    expect((await survivor.start()).loop).toMatchObject({ chain: 3, isTripped: true });
    // Another process dies with a turn of its own: the survivor takes that up, though it holds the other.
    const other = town.live(orders);
    await other.start();
    await begin(other, reader, "innocent");
    await other.kill();
    await resumed(reader, "innocent");
    expect(await resumes(reader, "loops")).toBe(2);
    // Nobody restarts anything: time alone.
    atTime(3 * SECOND + 5 * MINUTE);
    await resumed(reader, "loops", 3);
    // Lost twice more, held once more, and lifted.
    await survivor.kill();
    life = town.live(orders);
    await life.start();
    await resumed(reader, "loops", 4);
    await life.kill();
    life = town.live(orders);
    expect((await life.start()).loop.isTripped).toBe(true);
    await life.post("/lift", { session: "loops" });
    await resumed(reader, "loops", 5);
  });

  test("origin 002.44: a conversation that kills its process is suspended, and a long turn beside it is not suspended with it: it is finished (L2)", async () => {
    const { town, journal } = await openTown(fresh);
    const one = town.live();
    await one.start();
    const reader = await journal();
    await begin(one, reader, "innocent", "wait 4000");
    await one.send({ session: "killer", id: "killer-1", text: "poison" });
    expect(await one.ended()).toBe("SIGKILL");
    const isSuspended = async (session: string): Promise<boolean> =>
      (await reader.records(session, "session.suspended")).length > 0;
    const isAnswered = (): boolean => town.platform.of("innocent").length > 0;
    for (let lives = 0; lives < 8; lives++) {
      const life = town.live();
      await until(
        "it dies, or all is done",
        async () => life.isOver || (isAnswered() && (await isSuspended("killer"))),
      );
      if (!life.isOver) break;
    }
    expect(await isSuspended("killer")).toBe(true);
    expect(await isSuspended("innocent")).toBe(false);
    expect((await town.platform.arrived("innocent-1")).text).toBe(
      "(interrupted before) Waited for: wait 4000",
    );
    // Three dirty ends, and no more: whoever reads the poison is known by then.
    expect(await reader.outcomes("killer")).toEqual(["interrupted", "interrupted", "interrupted"]);
    expect((await town.platform.arrived("killer-1")).text).toContain("given up");
  });

  test("origin 002.44: a new message in a conversation that kills its process waits until the turn that goes on alone is over: that one is not blamed for it (L2)", async () => {
    const { town, journal } = await openTown(fresh);
    const orders = { policy: { loopStarts: 1_000, aloneMs: 10 * MINUTE } };
    const reader = await journal();
    let life = town.live(orders);
    await life.send({ session: "killer", id: "killer-1", text: "poison" });
    while ((await reader.records("killer", "session.suspended")).length === 0) {
      await until(
        "it dies, or is suspended",
        async () => life.isOver || (await reader.records("killer", "session.suspended")).length > 0,
      );
      if (life.isOver) life = town.live(orders);
    }
    await begin(life, reader, "innocent");
    for (const times of [1, 2]) {
      await life.kill();
      life = town.live(orders);
      await life.start();
      await resumed(reader, "innocent", times);
    }
    // One more, and it is suspended.
    const before = (await reader.records("killer", "turn.began")).length;
    await life.send({ session: "killer", id: "killer-2", text: "go on" });
    await reader.recorded("killer", "session.lifted");
    await life.send({ session: "other", id: "other-1", text: "hello" }); // nobody else waits
    await town.platform.arrived("other-1");
    expect(await reader.records("killer", "turn.began")).toHaveLength(before);
    await life.post("/stop", { session: "innocent" });
    expect(await life.ended()).toBe("SIGKILL");
    expect((await reader.outcomes("innocent")).at(-1)).toBe("cancelled");
    expect(await reader.records("innocent", "session.suspended")).toEqual([]);
  });

  test("origin 002.44: the first message of a conversation that nobody suspected ends the process beside a turn that goes on alone: that one is held, not suspended, and goes on when the other is known (L2)", async () => {
    const { town, journal } = await openTown(fresh);
    const clock = join(temporaryFolder(), "clock");
    const atTime = (ms: number): void => writeFileSync(clock, String(T0 + ms));
    const orders = { clock, policy: { loopStarts: 1_000 } };
    const reader = await journal();
    atTime(0);
    let life = town.live(orders);
    await begin(life, reader, "innocent");
    for (const times of [1, 2]) {
      await life.kill();
      life = town.live(orders);
      await life.start();
      await resumed(reader, "innocent", times);
    }
    // One more, and it is suspended. The other reads its own first message, and that kills.
    await life.send({ session: "killer", id: "killer-1", text: "poison" });
    expect(await life.ended()).toBe("SIGKILL");
    life = town.live(orders);
    expect((await life.start()).conversations).toContainEqual(
      expect.objectContaining({
        session: "innocent",
        planned: expect.objectContaining({ kind: "leave", why: "restart-loop" }),
      }),
    );
    const isKnown = async (): Promise<boolean> =>
      (await reader.records("killer", "session.suspended")).length > 0;
    while (!(await isKnown())) {
      await until("it dies, or the killer is known", async () => life.isOver || (await isKnown()));
      if (life.isOver) life = town.live(orders);
    }
    expect(await reader.outcomes("killer")).toEqual(["interrupted", "interrupted", "interrupted"]);
    expect(await resumes(reader, "innocent")).toBe(2);
    atTime(5 * MINUTE + SECOND);
    await resumed(reader, "innocent", 3);
    expect(await reader.records("innocent", "session.suspended")).toEqual([]);
  });

  test("origin 002.44: with a newcomer beside it at every end, what ends its process is suspended all the same: it is forgiven once (L2)", async () => {
    const { town, journal } = await openTown(fresh);
    const clock = join(temporaryFolder(), "clock");
    const atTime = (ms: number): void => writeFileSync(clock, String(T0 + ms));
    const orders = { clock, policy: { loopStarts: 1_000, aloneMs: 1 } }; // the newcomers do not keep it waiting
    const reader = await journal();
    atTime(0);
    let life = town.live(orders);
    await begin(life, reader, "suspect");
    const plans: unknown[] = [];
    for (const end of [1, 2, 3, 4]) {
      await begin(life, reader, `newcomer-${end}`);
      await life.kill();
      life = town.live(orders);
      const { conversations } = await life.start();
      const found = conversations.find(({ session }) => session === "suspect")?.planned;
      plans.push(found && "why" in found ? found.why : found?.kind);
      if (end === 3) atTime(5 * MINUTE + SECOND);
      if (end < 4) await resumed(reader, "suspect", end);
    }
    expect(plans).toEqual(["resume", "resume", "restart-loop", "too-many-dirty-ends"]);
    expect(await reader.records("suspect", "session.suspended")).toHaveLength(1);
  });

  test("origin 002.44: the same where another process lives on and finds both: the suspect is held, the newcomer goes on (L2)", async () => {
    const { town, journal } = await openTown(fresh);
    const orders = { policy: { loopStarts: 1_000 } };
    const reader = await journal();
    let life = town.live(orders);
    await begin(life, reader, "suspect");
    for (const times of [1, 2]) {
      await life.kill();
      life = town.live(orders);
      await life.start();
      await resumed(reader, "suspect", times);
    }
    const survivor = town.live(orders);
    await survivor.start();
    await begin(life, reader, "newcomer");
    await life.kill();
    await reader.recorded("suspect", "resume.decided", { decision: "leave", why: "restart-loop" });
    await resumed(reader, "newcomer");
    expect(await reader.records("suspect", "session.suspended")).toEqual([]);
  });

  test("origin 002.42: a lift between two looks at one conversation is not undone by the second: judged by the row it was found with (L2, L4)", async () => {
    const { town, journal } = await openTown(fresh);
    const life = town.live({ policy: { dirtyEnds: 1 } });
    await life.start();
    const reader = await journal();
    await begin(life, reader, "c1");
    await life.kill();
    const next = town.live({ policy: { dirtyEnds: 1 } });
    await next.start();
    await reader.recorded("c1", "session.suspended");
    await next.kill();
    const id = "c1" as SessionId;
    const suspended = await reader.store.session(id);
    await reader.store.append(id, "anyone", [
      newRecord(reader.store.clock, "session.lifted", { reason: "" }),
    ]);
    const lifted = await reader.store.session(id);
    const seenWith = async (row: typeof lifted) => row && (await readInterruption(reader.store, row))?.left;
    expect(await seenWith(suspended)).toMatchObject({ why: "too-many-dirty-ends" });
    expect(await seenWith(lifted)).toBeNull();
  });

  test("origin 002.42: three dirty ends of one conversation suspend it, and a suspension by order counts nothing (L2, L4)", async () => {
    const { town, journal } = await openTown(fresh);
    const orders = { policy: { loopStarts: 1_000 } };
    let life = town.live(orders);
    await life.start();
    const reader = await journal();
    await begin(life, reader, "c1");
    for (const times of [1, 2]) {
      await life.kill();
      life = town.live(orders);
      await life.start();
      await resumed(reader, "c1", times);
    }
    await life.kill();
    life = town.live(orders);
    expect((await life.start()).conversations).toMatchObject([
      { session: "c1", planned: { kind: "leave", why: "too-many-dirty-ends" } },
    ]);
    // Lifted by another process: the running gateway goes on with it, and its count begins anew.
    await reader.store.append("c1" as SessionId, "anyone", [
      newRecord(reader.store.clock, "session.lifted", { reason: "mended" }),
    ]);
    await resumed(reader, "c1", 3);
    await life.kill();
    life = town.live(orders);
    expect((await life.start()).conversations).toMatchObject([
      { session: "c1", planned: { kind: "resume" } },
    ]);
  });
});
