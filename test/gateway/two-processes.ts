/** Two processes on one store: one claimer, nothing answered twice, no mark of one lost or cleared by the other. */
import { expect, test } from "vitest";
import { until } from "./chat-process.ts";
import { type FreshStore, openTown } from "./lifecycle.ts";

export function describeTwoProcesses(fresh: FreshStore): void {
  test("resume and new inputs at once, through two processes: one claims, the other stores and waits; each input is answered once, in order, one turn at a time (K1)", async () => {
    const { town, journal } = await openTown(fresh);
    const dead = town.live({ toolMs: 100 });
    await dead.send({ session: "c1", id: "m0", text: "work 3", route: { kind: "webhook" } });
    const reader = await journal();
    await reader.recorded("c1", "call.started");
    await dead.kill();
    const [a, b] = [town.live({ toolMs: 30 }), town.live({ toolMs: 30 })];
    const ids = ["m1", "m2", "m3", "m4"];
    for (const [i, id] of ids.entries()) {
      await (i % 2 === 0 ? a : b).send({ session: "c1", id, text: `wait ${20 * i}`, route: { via: i % 2 } });
    }
    for (const id of ids) await town.platform.arrived(id);
    expect(town.platform.of("c1").map(({ input }) => input)).toEqual(["m0", ...ids]);
    expect(town.platform.delivered.some(({ mayBeDuplicate }) => mayBeDuplicate)).toBe(false);
    expect(await reader.isOneAtATime("c1")).toBe(true);
    const resumed = (await reader.records("c1", "resume.decided")).map(({ body }) => body.decision);
    expect(resumed).toEqual(["resume"]);
  });

  test("two instances keep their marks in one journal: each end closes its own only, and a survivor takes up what the other left (L1, K2)", async () => {
    const { town, journal } = await openTown(fresh);
    const [a, b] = [town.live(), town.live()];
    const [startA, startB] = [await a.start(), await b.start()];
    const reader = await journal();
    await a.send({ session: "c1", id: "m1", text: "wait 600000" });
    await reader.recorded("c1", "turn.began");
    b.signal("SIGTERM");
    await b.ended();
    expect(await reader.records("gateway:chat", "instance.ended")).toMatchObject([
      { body: { instance: startB.instance, how: "clean" } },
    ]);
    const c = town.live();
    expect(await c.start()).toMatchObject({
      instances: [{ instance: startA.instance, verdict: "alive" }],
      loop: { chain: 0 },
    });
    // Asked through a process that does not hold the conversation: the one that does obeys.
    await c.post("/stop", { session: "c1" });
    await reader.recorded("c1", "turn.ended", { outcome: "cancelled" });
    await a.send({ session: "c1", id: "m2", text: "wait 600000" });
    await reader.recorded("c1", "turn.began", { input: "m2" });
    await a.kill();
    // Nobody tells the survivor; an input for the same conversation makes it look at once.
    await c.send({ session: "c1", id: "m3", text: "hello" });
    await until("taken over", async () => (await reader.outcomes("c1"))[1] === "interrupted");
    expect(await reader.isOneAtATime("c1")).toBe(true);
  });
}
