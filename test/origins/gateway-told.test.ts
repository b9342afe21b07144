/** The second origin's "updated log messages" and "lets the user seamlessly continue", on both stores: nobody is left without a word. Real processes, real SIGKILL. */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openGateway } from "../../src/app/run/open-gateway.ts";
import { openStore } from "../../src/app/store/open-store.ts";
import type { SessionId } from "../../src/model/ids.ts";
import { selfOwner } from "../../src/platform/identity.ts";
import { takeClaim } from "../../src/session/claims.ts";
import { newRecord } from "../../src/session/new-record.ts";
import { type ChatProcess, until } from "../gateway/chat-process.ts";
import type { JournalReader } from "../gateway/journal-reader.ts";
import { openTown } from "../gateway/lifecycle.ts";
import { STORES } from "../support/both-stores.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const ENDLESS = "wait 600000";
const webhook = { kind: "webhook" };

const said = (life: ChatProcess, notice: string): Promise<string> =>
  until(`${notice} of a chat server`, () => {
    const line = life.said.find((one) => one.notice === notice);
    return line && String(line.text);
  });

async function begin(life: ChatProcess, reader: JournalReader, text = ENDLESS): Promise<void> {
  await life.start();
  await life.send({ session: "c1", id: "m1", text });
  await reader.recorded("c1", "turn.began");
}

/** Lives until its conversation has killed it so often that it is suspended. */
async function liveUntilSuspended(
  town: Awaited<ReturnType<typeof openTown>>["town"],
  reader: JournalReader,
  times: number,
): Promise<ChatProcess> {
  for (;;) {
    const life = town.live();
    await until(
      "it dies, or is suspended",
      async () => life.isOver || (await reader.records("c1", "session.suspended")).length === times,
    );
    if (!life.isOver) return life;
  }
}

describe.each(STORES)("on %s", (_name, fresh) => {
  test("origin 002.36: how a process ended is said with its evidence: a kill, an error nobody caught, a kill in its drain; never only unknown (DESIGN 9)", async () => {
    const { town, journal } = await openTown(fresh);
    const ends: [(life: ChatProcess) => Promise<unknown>, cause: string, evidence: string][] = [
      [(life) => life.kill(), "crash", "killed by a signal"],
      [
        async (life) => {
          life.signal("SIGHUP");
          expect(await life.ended()).not.toBe(0);
        },
        "crash",
        "nobody catches this",
      ],
      [
        async (life) => {
          life.signal("SIGTERM");
          await life.line("draining");
          await (await journal()).recorded("gateway:chat", "drain.began");
          await life.kill();
        },
        "signal",
        "told to end",
      ],
    ];
    const orders = { policy: { dirtyEnds: 1_000, loopStarts: 1_000 } };
    let life = town.live(orders);
    const reader = await journal();
    await begin(life, reader);
    for (const [i, [end, cause, evidence]] of ends.entries()) {
      await end(life);
      life = town.live(orders);
      expect((await life.start()).instances).toMatchObject([
        { verdict: "dirty", cause, evidence: expect.arrayContaining([expect.stringContaining(evidence)]) },
      ]);
      await until("it is resumed", async () => (await reader.outcomes("c1")).length === i + 2);
      const recovered = (await reader.records("c1", "recovered")).at(-1);
      expect(recovered?.body).toMatchObject({ cause });
      expect(String(recovered?.body.evidence)).toContain(evidence);
      const decided = (await reader.records("c1", "resume.decided")).at(-1);
      expect(decided?.body.note).toContain(`cause: ${cause}`);
    }
  });

  test("origin 002.45: the operator's log is told what a start found and why, what goes on, what is left, and the drain (T1)", async () => {
    const { town, journal } = await openTown(fresh);
    const one = town.live();
    const reader = await journal();
    await begin(one, reader);
    await one.kill();
    const two = town.live();
    expect(await said(two, "instance-found")).toContain("killed by a signal");
    expect(await said(two, "opened")).toContain("interrupted turns that go on: 1");
    expect(await said(two, "resumed")).toContain("crash");
    await reader.store.append("c1" as SessionId, "anyone", [
      newRecord(reader.store.clock, "stop.asked", { reason: "the last moment" }),
    ]);
    await two.kill();
    const three = town.live();
    expect(await said(three, "left")).toContain("asked-to-stop");
    // Who asked to stop is not written to.
    await three.start();
    three.signal("SIGTERM");
    expect(await said(three, "drain-began")).toContain("asked to end");
    expect(await three.ended(), three.errors).toBe(0);
    expect(await said(three, "drain-ended")).toContain("no turn was cut off");
    expect(town.platform.delivered).toEqual([]);
  });

  test("origin 002.45: whoever asked is told that his turn was left, once and durably, and a lift in the running gateway takes it up (L2, T1)", async () => {
    const { town, journal } = await openTown(fresh);
    const authorise = join(temporaryFolder(), "said");
    writeFileSync(authorise, "yes");
    const one = town.live({ authorise, toolMs: 600_000 }); // its turn is not over before the kill
    const reader = await journal();
    await begin(one, reader, "work 1");
    await one.kill();
    // Nobody can be told at first, and the process dies over it: the debt stays.
    writeFileSync(authorise, "no");
    town.platform.onDelivery = () => 503;
    const two = town.live({ authorise });
    expect((await two.start()).conversations).toMatchObject([
      { session: "c1", planned: { kind: "leave", why: "not-authorised" } },
    ]);
    await reader.recorded("c1", "delivery.failed");
    await two.kill();
    town.platform.onDelivery = () => 200;
    const three = town.live({ authorise });
    await reader.recorded("c1", "delivery.ended", { outcome: "delivered" });
    expect(town.platform.of("c1").at(-1)?.text).toContain("not allowed any more");
    expect(await reader.records("c1", "delivery.owed")).toHaveLength(1);
    expect(await reader.records("c1", "resume.decided")).toHaveLength(1);
    // Nothing happens by itself; a lift is an order.
    writeFileSync(authorise, "yes");
    await three.start();
    expect((await three.post("/lift", { session: "c1" })).status).toBe(200);
    await reader.recorded("c1", "resume.decided", { decision: "resume" });
    expect(await said(three, "lifted")).toContain("the operator said so");
  });

  test("origin 002.44: a history that kills whoever reads it is suspended, then again, and then begun anew: the next message is answered, the old session is kept and linked (L2, D2)", async () => {
    const { town, journal } = await openTown(fresh);
    const reader = await journal();
    const first = town.live();
    await first.send({ session: "c1", id: "m1", text: "poison" });
    await first.ended();
    const suspended = await liveUntilSuspended(town, reader, 1);
    expect((await town.platform.arrived("m1")).text).toContain("write again to go on");
    // He writes again, and its history kills it again.
    await suspended.send({ session: "c1", id: "m2", text: "go on" });
    await suspended.ended();
    const again = await liveUntilSuspended(town, reader, 2);
    expect((await town.platform.arrived("m2")).text).toContain("begins a new conversation");
    const receipt = await again.send({ session: "c1", id: "m3", text: "hello" });
    expect(receipt.session).not.toBe("c1");
    const answer = await town.platform.arrived("m3");
    expect(answer.text).toBe("(interrupted before) You said: hello"); // the model was told
    const began = await reader.recorded(receipt.session, "session.began");
    expect(began.body).toMatchObject({ continues: "c1", gateway: "chat" });
    expect(await reader.records("c1", "session.renewed")).toMatchObject([
      { body: { session: receipt.session } },
    ]);
    // Nothing of the old one is lost; a message of before, sent once more, is not answered twice.
    expect(await reader.records("c1", "input.queued")).toHaveLength(2);
    expect(await again.send({ session: "c1", id: "m1", text: "poison" })).toMatchObject({
      session: "c1",
      isRepeat: true,
    });
    const fourth = await again.send({ session: "c1", id: "m4", text: "and now?" });
    expect(fourth.session).toBe(receipt.session);
    expect((await town.platform.arrived("m4")).text).toBe("You said: and now?");
  });

  test("origin 002.40: begun anew by order, with inputs that wait: they go along once and in order, and the receipt says what a suspended conversation waits for (C1, T1)", async () => {
    const { town, journal } = await openTown(fresh);
    const one = town.live();
    const reader = await journal();
    await one.start();
    await one.send({ session: "c1", id: "m1", text: "hello", route: webhook });
    await town.platform.arrived("m1");
    await reader.store.append("c1" as SessionId, "anyone", [
      newRecord(reader.store.clock, "session.suspended", { reason: "to look into it" }),
    ]);
    for (const id of ["m2", "m3"]) {
      expect(await one.send({ session: "c1", id, text: "waits", route: webhook })).toMatchObject({
        waitsFor: "lift",
        because: expect.stringContaining("to look into it"),
      });
    }
    const { body } = await one.post("/anew", { session: "c1" });
    await town.platform.arrived("m3");
    expect(town.platform.delivered.map(({ input }) => input)).toEqual(["m1", "m2", "m3"]);
    expect(await reader.outcomes(String(body.session))).toEqual(["completed", "completed"]);
    expect(await reader.outcomes("c1")).toEqual(["completed"]);
    expect(await reader.store.open("c1" as SessionId)).toEqual([]);
  });

  test("origin 002.37: a conversation of three messages is the first try of its last one, not the third of anything (DESIGN 2)", async () => {
    const { town, journal } = await openTown(fresh);
    const one = town.live();
    const reader = await journal();
    for (const id of ["m1", "m2", "m3"]) {
      await one.send({ session: "c1", id, text: "hello" });
      await town.platform.arrived(id);
    }
    const store = await openStore(town.orders.url, { ...town.orders.open, thread: false });
    const triesNow = async (): Promise<unknown> =>
      (await store.sessions()).find(({ id }) => id === "c1")?.last_attempt;
    expect(await triesNow()).toBe(1);
    await one.send({ session: "c1", id: "m4", text: ENDLESS });
    await reader.recorded("c1", "turn.began", { input: "m4" });
    await one.kill();
    town.live();
    await reader.recorded("c1", "resume.decided", { decision: "resume" });
    await until("it goes on", async () => (await reader.outcomes("c1")).length === 5);
    expect(await triesNow()).toBe(2);
    await store.close();
  });
});

test("origin 002.45: `refloat lift` on a turn that was left and is not suspended says so and has it taken up by the running gateway (L2, T1)", async () => {
  const { town, journal } = await openTown((folder) => ({ url: join(folder, "refloat.db"), open: {} }));
  const T0 = Date.UTC(2026, 0, 1);
  const one = town.live({ nowMs: T0 });
  const reader = await journal();
  await begin(one, reader);
  await one.kill();
  const two = town.live({ nowMs: T0 + 3 * 24 * 60 * 60_000 });
  expect((await two.start()).conversations).toMatchObject([{ planned: { kind: "leave", why: "stale" } }]);
  const program = join(import.meta.dirname, "..", "..", "dist", "cli", "bin.js");
  const lift = () =>
    spawnSync(process.execPath, [program, "lift", "c1", "--store", town.orders.url], { encoding: "utf8" });
  expect(lift()).toMatchObject({ status: 0, stdout: expect.stringContaining("takes the turn up") });
  await reader.recorded("c1", "resume.decided", { decision: "resume" });
  expect(lift()).toMatchObject({ status: 0, stdout: expect.stringContaining("nothing to lift") });
});

test("origin 002.44: a conversation begun anew does not go on in the old session: a lift there resumes nothing, `refloat lift` leads to the new one, and each names the other (L2, T6)", async () => {
  const { town, journal } = await openTown((folder) => ({ url: join(folder, "refloat.db"), open: {} }));
  const T0 = Date.UTC(2026, 0, 1);
  const later = T0 + 3 * 24 * 60 * 60_000;
  const one = town.live({ nowMs: T0 });
  const reader = await journal();
  await begin(one, reader);
  await one.kill();
  const two = town.live({ nowMs: later });
  await two.start();
  const anew = String((await two.post("/anew", { session: "c1" })).body.session);
  await two.kill();
  const refloat = (...args: string[]): string => {
    const program = join(import.meta.dirname, "..", "..", "dist", "cli", "bin.js");
    const ran = spawnSync(process.execPath, [program, ...args, "--store", town.orders.url], {
      encoding: "utf8",
    });
    expect(ran.status, ran.stderr).toBe(0);
    return ran.stdout;
  };
  expect(refloat("lift", "c1")).toMatch(new RegExp(`begun anew as ${anew.slice(0, 8)}[^]*nothing to lift`));
  expect(refloat("lift", "c1", "--json")).toContain(anew);
  expect(await reader.records("c1", "session.lifted")).toEqual([]);
  expect(refloat("show", "c1")).toContain(anew);
  for (const screen of [
    ["show", "c1"],
    ["sessions", "--all"],
    ["status", "--all"],
  ])
    expect(refloat(...screen)).not.toContain("refloat lift");
  // By a program that knows nothing of fresh starts.
  await reader.store.append("c1" as SessionId, "anyone", [
    newRecord(reader.store.clock, "session.lifted", { reason: "by order" }),
  ]);
  const three = town.live({ nowMs: later });
  expect((await three.start()).conversations).toMatchObject([{ session: "c1", planned: { kind: "leave" } }]);
  await three.send({ session: "c1", id: "m1", text: ENDLESS }); // a repeat: the old session is looked at again
  const { session } = await three.send({ session: "c1", id: "m2", text: "hello" });
  expect(session).toBe(anew);
  await town.platform.arrived("m2");
  expect(await reader.outcomes("c1")).toEqual(["interrupted"]);
  expect(await reader.records("c1", "resume.decided")).toHaveLength(1);
  expect(refloat("show", anew)).toMatch(/goes on from +c1/);
});

test("origin 002.40: a receipt says that another process holds the conversation, also one with this pid in another container (K2, T1)", async () => {
  const store = await openStore(join(temporaryFolder(), "refloat.db"), { thread: false });
  const gateway = await openGateway(store, {
    name: "chat",
    agent: "bot",
    answer: async () => ({ kind: "silent" }),
    deliver: async () => ({ kind: "delivered" }),
  });
  await gateway.opened;
  await takeClaim(store.raw, {
    session: "c1" as SessionId,
    owner: { ...selfOwner("bot"), pid_namespace: "pid:[1]" },
    records: () => [
      newRecord(store.raw.clock, "session.began", { agent: "bot", workspace: "w", goal: null, name: null }),
    ],
  });
  expect(await gateway.receive({ session: "c1", id: "m1", input: "hello" })).toMatchObject({
    waitsFor: "holder",
  });
  await gateway.close({ timeoutMs: 0 });
  await store.close();
});

test("origin 002.37: `show` lists what held a gateway's conversation as claims, none of them a try (DESIGN 2)", async () => {
  const { town } = await openTown((folder) => ({ url: join(folder, "refloat.db"), open: {} }));
  const one = town.live();
  for (const id of ["m1", "m2"]) {
    await one.send({ session: "c1", id, text: "hello" });
    await town.platform.arrived(id);
  }
  const program = join(import.meta.dirname, "..", "..", "dist", "cli", "bin.js");
  const shown = spawnSync(process.execPath, [program, "--store", town.orders.url, "show", "c1"], {
    encoding: "utf8",
    env: { PATH: process.env.PATH, HOME: temporaryFolder() },
  }).stdout;
  expect(shown).toContain("1st try");
  expect(shown).toContain("Claims");
  expect(shown).not.toMatch(/Tries|2nd/);
});
