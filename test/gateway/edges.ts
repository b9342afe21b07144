/** Where a gateway is likeliest to lose something: long turns, quiet stores, platforms that are down, half-done steps. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { RecordId, SessionId } from "../../src/model/ids.ts";
import type { NewRecord } from "../../src/model/record.ts";
import { selfOwner } from "../../src/platform/identity.ts";
import { giveBack, takeClaim } from "../../src/session/claims.ts";
import { newRecord } from "../../src/session/new-record.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { until } from "./chat-process.ts";
import type { JournalReader } from "./journal-reader.ts";
import { type FreshStore, openTown } from "./lifecycle.ts";

const T0 = Date.UTC(2026, 0, 1);
const DAY = 24 * 60 * 60_000;
const unattended = { kind: "webhook" };
const linesOf = (path: string): string[] => readFileSync(path, "utf8").split("\n").filter(Boolean);

export function describeEdges(fresh: FreshStore): void {
  test("kill -9 in a turn of more calls than the evidence of a start holds: found and finished, no step done twice but the open one (L1)", async () => {
    const { town, journal } = await openTown(fresh);
    const one = town.live({ toolMs: 0 });
    await one.send({ session: "c1", id: "m1", text: "work 240", route: unattended });
    await until("many steps", () => linesOf(town.orders.world).length > 210);
    await one.kill();
    const two = town.live({ toolMs: 0 });
    expect((await two.start()).conversations).toMatchObject([{ session: "c1", planned: { kind: "resume" } }]);
    expect((await town.platform.arrived("m1")).text).toBe("(interrupted before) Did 240 steps.");
    const world = linesOf(town.orders.world);
    expect(new Set(world).size).toBe(240);
    expect(world.length - new Set(world).size).toBeLessThanOrEqual(1);
    expect(await (await journal()).outcomes("c1")).toEqual(["interrupted", "completed"]);
  });

  test("a platform that is down: inputs are worked on meanwhile, and the answers arrive in order, plainly, when it is back (T1)", async () => {
    const { town, journal } = await openTown(fresh);
    let isDown = true;
    town.platform.onDelivery = () => (isDown ? 503 : 200);
    const one = town.live({ policy: { deliveryBackoffMs: 50, deliveryMaxBackoffMs: 200 } });
    await one.send({ session: "c1", id: "m1", text: "one" });
    const reader = await journal();
    await reader.recorded("c1", "delivery.failed");
    await one.send({ session: "c1", id: "m2", text: "two" });
    await until("both turns", async () => (await reader.records("c1", "delivery.owed")).length === 2);
    expect(await reader.outcomes("c1")).toEqual(["completed", "completed"]);
    expect(town.platform.of("c1").some(({ input }) => input === "m2")).toBe(false);
    isDown = false;
    await town.platform.arrived("m2");
    const arrived = town.platform.of("c1").map(({ input }) => input);
    expect(arrived.lastIndexOf("m1")).toBeLessThan(arrived.indexOf("m2"));
    expect(town.platform.of("c1").some(({ mayBeDuplicate }) => mayBeDuplicate)).toBe(false);
  });

  test.each([
    ["delivery.owed", ["false"]],
    ["delivery.attempted", ["true"]],
    ["delivery.ended", ["false"]],
  ] as const)(
    "killed right after %s is on disk: the answer arrives once, and says it may be a duplicate only if its sending had begun (T1)",
    async (dieAfter, marks) => {
      const { town, journal } = await openTown(fresh);
      const one = town.live({ dieAfter });
      await one.send({ session: "c1", id: "m1", text: "hello" }).catch(() => undefined);
      expect(await one.ended()).toBe("SIGKILL");
      const two = town.live();
      await two.start();
      const reader = await journal();
      await reader.recorded("c1", "delivery.ended", { outcome: "delivered" });
      two.signal("SIGTERM");
      expect(await two.ended(), two.errors).toBe(0);
      expect(town.platform.delivered.map(({ mayBeDuplicate }) => String(mayBeDuplicate))).toEqual(marks);
      expect(await reader.outcomes("c1")).toEqual(["completed"]);
    },
  );

  test("hundreds of refusals and then a send nobody saw end: it is called a possible duplicate, however long its history (T1)", async () => {
    const { town, journal } = await openTown(fresh);
    const reader = await journal();
    await writeRefusedDelivery(reader, 300);
    const one = town.live();
    await one.start();
    expect(await town.platform.arrived("m1")).toMatchObject({ mayBeDuplicate: true });
  });

  test("the claim of a new conversation cannot be given back: the input has its receipt and is answered, not locked away by its own process (C1, T1)", async () => {
    const { town, journal } = await openTown(fresh);
    const zero = town.live();
    await zero.start(); // the gateway's own journal exists from here on
    zero.signal("SIGTERM");
    await zero.ended();
    const one = town.live({ failOnce: "claim.released" });
    await one.start();
    const receipt = await one.send({ session: "c1", id: "m1", text: "hello" });
    const reader = await journal();
    expect(await reader.records("c1", "input.queued")).toMatchObject([{ seq: receipt.seq }]);
    expect((await town.platform.arrived("m1")).text).toBe("You said: hello");
    expect(await reader.records("c1", "claim.taken")).toMatchObject([
      { body: { why: "new" } },
      { body: { why: "dead" } },
    ]);
  });

  test("a queue longer than one change holds: what waits is answered in order, and an order to stop drops all of it (L4)", async () => {
    const { town, journal } = await openTown(fresh);
    const one = town.live();
    await one.start();
    const reader = await journal();
    await one.send({ session: "c1", id: "m0", text: "wait 600000" });
    await reader.recorded("c1", "turn.began");
    const inputs = Array.from({ length: 1500 }, (_, i) =>
      newRecord(
        reader.store.clock,
        "input.queued",
        { input: `q${i}`, parts: [{ type: "text", text: "hello" }], from: null },
        `input:q${i}`,
      ),
    );
    for (const some of [inputs.slice(0, 750), inputs.slice(750)])
      await reader.store.append("c1" as SessionId, "anyone", some);
    const { body } = await one.post("/stop", { session: "c1" });
    expect((body.dropped as string[]).length).toBe(1500);
    await reader.recorded("c1", "turn.ended", { outcome: "cancelled" });
    expect(await reader.store.open("c1" as SessionId, { what: ["input", "turn"] })).toEqual([]);
    await one.send({ session: "c1", id: "m2", text: "and now?" });
    expect((await town.platform.arrived("m2")).text).toBe("You said: and now?");
  });

  test("told to end while recovery still runs: it ends cleanly, no turn has begun, and the next start goes on (L3)", async () => {
    const { town, journal } = await openTown(fresh);
    const dead = town.live({ toolMs: 60_000 });
    await dead.send({ session: "c1", id: "m1", text: "work 1", route: unattended });
    const reader = await journal();
    await reader.recorded("c1", "call.started");
    await dead.kill();
    const authorise = join(temporaryFolder(), "said");
    writeFileSync(authorise, "");
    const one = town.live({ authorise });
    await one.line("port");
    one.signal("SIGTERM");
    await reader.recorded("gateway:chat", "drain.began");
    writeFileSync(authorise, "yes");
    expect(await one.ended(), one.errors).toBe(0);
    expect(await reader.records("c1", "turn.began")).toHaveLength(1);
    const last = (await reader.records("gateway:chat")).at(-1);
    expect(last).toMatchObject({ kind: "instance.ended", body: { how: "clean" } });
    const two = town.live();
    expect((await two.start()).conversations).toMatchObject([{ planned: { kind: "resume" } }]);
    expect((await town.platform.arrived("m1")).text).toContain("Did 1 steps.");
  });

  test("an instance on another host: left in peace while its mark is young, reported as lost when it is older than its maximum age, its conversation taken up by the claim's own heartbeat (K2)", async () => {
    const { town, journal } = await openTown(fresh);
    const far = town.live({ nowMs: T0, toolMs: 60_000 }, { REFLOAT_HOST_ID: "another-machine" });
    await far.send({ session: "c1", id: "m1", text: "work 1", route: unattended });
    const reader = await journal();
    await reader.recorded("c1", "call.started");
    await far.kill();
    const soon = town.live({ nowMs: T0 + 1_000 });
    expect(await soon.start()).toMatchObject({
      instances: [{ verdict: "elsewhere" }],
      conversations: [{ session: "c1", planned: { kind: "held" } }],
    });
    await soon.kill();
    const later = town.live({ nowMs: T0 + 8 * DAY });
    const { instances, conversations } = await later.start();
    expect(instances).toContainEqual(expect.objectContaining({ verdict: "lost", cause: "lost" }));
    expect(conversations).toMatchObject([{ planned: { kind: "leave", why: "stale" } }]);
    expect(await reader.records("c1", "recovered")).toMatchObject([{ body: { cause: "lost" } }]);
  });
}

/** Takes as long as the survivor's look around, a quarter of a minute: run on one store. */
export function describeSurvivor(fresh: FreshStore): void {
  test("a process dies while nothing else happens in the store: the survivor finds its conversation without being told (L1, K2)", async () => {
    const { town, journal } = await openTown(fresh);
    const [a, b] = [town.live({ toolMs: 60_000 }), town.live({ toolMs: 0 })];
    await Promise.all([a.start(), b.start()]);
    const reader = await journal();
    await a.send({ session: "c1", id: "m1", text: "work 1", route: unattended });
    await reader.recorded("c1", "call.started");
    await a.kill();
    expect((await town.platform.arrived("m1")).text).toContain("Did 1 steps.");
  });
}

/** What a day of a platform that refuses leaves behind, ended by a kill in the middle of a send. */
async function writeRefusedDelivery({ store }: JournalReader, refusals: number): Promise<void> {
  const session = "c1" as SessionId;
  const owner = selfOwner("scripted");
  const record = (kind: Parameters<typeof newRecord>[1], body: object): NewRecord =>
    newRecord(store.clock, kind, body as never, `r${Math.random()}` as RecordId);
  const place = { agent: "scripted", workspace: "gateway:chat", goal: null, name: null };
  const { attempt } = await takeClaim(store, {
    session,
    owner,
    records: () => [record("session.began", place)],
  });
  const parts = [{ type: "text", text: "You said: hello" }];
  const sends = Array.from({ length: refusals }, (_, i) => [
    record("delivery.attempted", { delivery: "d1", number: i + 1, may_be_duplicate: false }),
    record("delivery.failed", { delivery: "d1", number: i + 1, arrived: "no", error: "503" }),
  ]);
  await store.append(session, { attempt }, [
    record("delivery.owed", { delivery: "d1", turn: "t1", input: "m1", route: null, parts }),
    ...sends.flat(),
    record("delivery.attempted", { delivery: "d1", number: refusals + 1, may_be_duplicate: false }),
  ]);
  await giveBack(store, { session, attempt, owner });
}
