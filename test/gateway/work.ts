/** What must hold inside a turn, around a drain and on the way out, the same for every store. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { until } from "./chat-process.ts";
import { type FreshStore, openTown } from "./lifecycle.ts";

const linesOf = (path: string): string[] => readFileSync(path, "utf8").split("\n").filter(Boolean);

export function describeWork(fresh: FreshStore): void {
  test.each([
    [
      "attended: asks before it repeats the step",
      {},
      "(interrupted before) Step 2 of 3 may have happened. Shall I do it again?",
      1,
    ],
    ["unattended: finishes", { kind: "webhook" }, "(interrupted before) Did 3 steps.", 2],
  ])(
    "kill -9 in a tool: the call's outcome is unknown and on record, finished steps are not done again; %s (C4)",
    async (_how, route, text, times) => {
      const { town, journal } = await openTown(fresh);
      const one = town.live({ toolMs: 400 });
      await one.send({ session: "c1", id: "m1", text: "work 3", route });
      await until("the second step", () => linesOf(town.orders.world).includes("work 2"));
      await one.kill();
      const two = town.live();
      await two.start();
      expect((await town.platform.arrived("m1")).text).toBe(text);
      const world = linesOf(town.orders.world);
      expect(world.filter((line) => line === "work 1")).toHaveLength(1);
      expect(world.filter((line) => line === "work 2")).toHaveLength(times);
      const reader = await journal();
      const unknown = (await reader.records("c1", "call.ended")).filter(
        ({ body }) => body.synthetic === true,
      );
      expect(unknown).toMatchObject([{ body: { status: "unknown-outcome" } }]);
      expect(await reader.records("c1", "input.queued")).toHaveLength(1);
    },
  );

  test("the tool that was interrupted is the restart itself: it is flagged as effect unknown and not run again (C4)", async () => {
    const { town, journal } = await openTown(fresh);
    const one = town.live();
    await one.send({ session: "c1", id: "m1", text: "restart now" });
    expect(await one.ended()).toBe("SIGKILL");
    const two = town.live();
    await two.start();
    expect((await town.platform.arrived("m1")).text).toContain("not again");
    expect(linesOf(town.orders.world)).toEqual(["restart"]);
    const reader = await journal();
    const decided = await reader.recorded("c1", "resume.decided", { decision: "resume" });
    expect(decided.body.note).toContain('"restart" (it may have happened; look before you do it again)');
  });

  test("a confirmation from before a restart is void: the question is put anew and the tool runs once, on the new yes", async () => {
    const { town } = await openTown(fresh);
    const one = town.live();
    await one.send({ session: "c1", id: "m1", text: "reboot" });
    expect((await town.platform.arrived("m1")).text).toBe("Really reboot?");
    await one.kill();
    const two = town.live();
    await two.start();
    await two.send({ session: "c1", id: "m2", text: "yes", confirms: "reboot" });
    expect((await town.platform.arrived("m2")).text).toBe("Really reboot?");
    expect(linesOf(town.orders.world)).toEqual([]);
    await two.send({ session: "c1", id: "m3", text: "yes", confirms: "reboot" });
    expect((await town.platform.arrived("m3")).text).toBe("Rebooted.");
    // The same yes found again in the history is no second one.
    await two.send({ session: "c1", id: "m4", text: "yes" });
    expect((await town.platform.arrived("m4")).text).toBe("Really reboot?");
    expect(linesOf(town.orders.world)).toEqual(["reboot"]);
  });

  test("a drain that ends in time: the turn is finished and delivered, an input during it is stored with a receipt that says so and answered by the next start (L3, T1)", async () => {
    const { town, journal } = await openTown(fresh);
    const one = town.live({ toolMs: 300 });
    await one.send({ session: "c1", id: "m1", text: "work 3" });
    await until("a step", () => linesOf(town.orders.world).length > 0);
    one.signal("SIGTERM");
    await one.line("draining");
    const reader = await journal();
    await reader.recorded("gateway:chat", "drain.began");
    const during = await one.send({ session: "c1", id: "m2", text: "in the drain" });
    expect(during.waitsFor).toBe("restart");
    expect(await one.line("interrupted")).toEqual([]);
    expect(await one.ended()).toBe(0);
    expect(town.platform.delivered).toMatchObject([{ input: "m1", text: "Did 3 steps." }]);
    expect(await reader.records("gateway:chat", "instance.ended")).toMatchObject([
      { body: { how: "clean" } },
    ]);
    const two = town.live();
    expect((await two.start()).instances).toEqual([]);
    expect(await town.platform.arrived("m2")).toMatchObject({
      text: "You said: in the drain",
      mayBeDuplicate: false,
    });
  });

  test("SIGKILL in a drain: the marks were durable, the next start knows, resumes and is not parked by them (L3)", async () => {
    const { town, journal } = await openTown(fresh);
    const one = town.live({}, { REFLOAT_BOOT_ID: "an-earlier-boot" });
    await one.send({ session: "c1", id: "m1", text: "wait 600000" });
    const reader = await journal();
    await reader.recorded("c1", "turn.began");
    one.signal("SIGTERM");
    const began = await reader.recorded("gateway:chat", "drain.began");
    expect(began.body.turns).toMatchObject([{ session: "c1" }]);
    await one.kill();
    // The marks are of another boot: reported, closed once, and nothing waits for them.
    const two = town.live();
    const { instances, conversations } = await two.start();
    expect(instances).toMatchObject([{ verdict: "dirty", cause: "reboot", wasDraining: true }]);
    expect(conversations).toMatchObject([{ planned: { kind: "resume" } }]);
    await two.send({ session: "c2", id: "m2", text: "open?" });
    await town.platform.arrived("m2");
    await two.kill();
    const three = town.live();
    expect((await three.start()).instances).toHaveLength(1);
  });

  test("a drain whose time is up interrupts what did not finish, even a turn that will not stop; a clean end of the instance hides no interruption (L1)", async () => {
    const { town, journal } = await openTown(fresh);
    const one = town.live({ toolMs: 60_000, drainMs: 1, policy: { drainGraceMs: 50 } });
    await one.send({ session: "c1", id: "m1", text: "work 1" });
    await until("the step", () => linesOf(town.orders.world).length > 0);
    one.signal("SIGTERM");
    expect(await one.line("interrupted")).toEqual(["c1"]);
    await one.kill(); // the tool would keep the process
    const reader = await journal();
    expect(await reader.outcomes("c1")).toEqual(["interrupted"]);
    const two = town.live();
    const { instances, conversations } = await two.start();
    expect(instances).toEqual([]);
    expect(conversations).toMatchObject([{ session: "c1", planned: { kind: "resume" } }]);
    expect((await town.platform.arrived("m1")).text).toContain("may have happened");
  });

  test("killed while the answer is being sent: sent once more, and that one says it may be a duplicate (T1)", async () => {
    const { town, journal } = await openTown(fresh);
    town.platform.onDelivery = () => false;
    const one = town.live();
    await one.send({ session: "c1", id: "m1", text: "hello" });
    await town.platform.arrived("m1");
    await one.kill();
    town.platform.onDelivery = () => 200;
    const two = town.live();
    await two.start();
    const reader = await journal();
    await reader.recorded("c1", "delivery.ended", { outcome: "delivered" });
    expect(town.platform.delivered).toMatchObject([
      { text: "You said: hello", mayBeDuplicate: false },
      { text: expect.stringContaining("may be a duplicate"), mayBeDuplicate: true },
    ]);
  });

  test("a platform that refuses is tried again plainly: nothing arrived, so nothing is called a duplicate (T1)", async () => {
    const { town } = await openTown(fresh);
    let refusals = 2;
    town.platform.onDelivery = () => (refusals-- > 0 ? 503 : 200);
    const one = town.live({ policy: { deliveryBackoffMs: 1 } });
    await one.send({ session: "c1", id: "m1", text: "hello" });
    await until("three sends", () => town.platform.delivered.length === 3);
    expect(town.platform.delivered.map(({ mayBeDuplicate }) => mayBeDuplicate)).toEqual([
      false,
      false,
      false,
    ]);
  });

  test("the input cannot be stored: there is no receipt and no input; sent again when the store is back it has both, once (D6, T1)", async () => {
    const { town, journal } = await openTown(fresh);
    const one = town.live({ breakStore: true });
    await one.start();
    await one.send({ session: "c1", id: "m1", text: "first" });
    await town.platform.arrived("m1");
    const reader = await journal();
    await reader.recorded("c1", "claim.released", { attempt: 2 });
    one.signal("SIGUSR2");
    await one.line("broken");
    expect(await one.post("/messages", { session: "c1", id: "m2", text: "lost?" })).toMatchObject({
      status: 503,
    });
    expect(await reader.records("c1", "input.queued")).toHaveLength(1);
    one.signal("SIGUSR2");
    await until("the store is back", () => one.said.some((line) => line.broken === false));
    const again = { session: "c1", id: "m2", text: "lost?" };
    const receipt = await one.send(again);
    expect(await one.send(again)).toEqual({ ...receipt, isRepeat: true });
    await town.platform.arrived("m2");
    expect(town.platform.of("c1").map(({ input }) => input)).toEqual(["m1", "m2"]);
  });

  test("a turn that fails is told to the asker, and the next input is answered", async () => {
    const { town, journal } = await openTown(fresh);
    const one = town.live();
    await one.send({ session: "c1", id: "m1", text: "fail" });
    await one.send({ session: "c1", id: "m2", text: "hello" });
    expect((await town.platform.arrived("m1")).text).toContain("could not be answered");
    expect((await town.platform.arrived("m2")).text).toBe("You said: hello");
    expect(await (await journal()).outcomes("c1")).toEqual(["failed", "completed"]);
  });
}
