/** The first origin's cancel where it is not heeded: a turn whose `answer` ignores its signal is ended all the same, on both stores. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import { openGateway } from "../../src/app/run/open-gateway.ts";
import type { RefloatStore } from "../../src/app/store/open-store.ts";
import { beginSession } from "../../src/conversation/begin.ts";
import type { Gateway } from "../../src/gateway/gateway.ts";
import type { GatewayNotice, GatewayOptions, GatewayTurn } from "../../src/gateway/options.ts";
import type { SessionId } from "../../src/model/ids.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { newRecord } from "../../src/session/new-record.ts";
import { until } from "../gateway/chat-process.ts";
import { openTown } from "../gateway/lifecycle.ts";
import { openedHere, STORES } from "../support/both-stores.ts";
import { deadOwner } from "../support/cli.ts";

const HOUR = 3_600_000;
/** Found again among all that sleeps. */
const GRACE = 12_345;

const recordsOf = (store: RefloatStore, kind: string, session = "c1") =>
  store.raw.records({ session: session as SessionId, kinds: [kind] });

const outcomes = async (store: RefloatStore, session = "c1"): Promise<unknown[]> =>
  (await recordsOf(store, "turn.ended", session)).map(({ body }) => body.outcome);

const endedTurns = (store: RefloatStore, count: number, session = "c1"): Promise<boolean> =>
  until(`${count} turns of ${session}`, async () => (await outcomes(store, session)).length === count);

interface Signal<T = void> {
  readonly came: Promise<T>;
  readonly give: (value: T) => void;
  readonly refuse: (error: Error) => void;
}

function signal<T = void>(): Signal<T> {
  let give: (value: T) => void = () => undefined;
  let refuse: (error: Error) => void = () => undefined;
  const came = new Promise<T>((resolve, reject) => {
    give = resolve;
    refuse = reject;
  });
  return { came, give, refuse };
}

/** `hang` in a text: that turn hears nothing. */
function deaf(): { answer: GatewayOptions["answer"]; turns: Signal<GatewayTurn>[]; ends: Signal[] } {
  const turns: Signal<GatewayTurn>[] = [signal(), signal(), signal()];
  const ends: Signal[] = [signal(), signal(), signal()];
  let at = 0;
  const answer = async (context: GatewayTurn) => {
    const text = context.input?.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
    if (context.isResumed || text === "hang") {
      const mine = at++;
      turns[mine]?.give(context);
      await ends[mine]?.came;
    }
    return { kind: "reply" as const, parts: `answered ${text}` };
  };
  return { answer, turns, ends };
}

const opened: Gateway[] = [];
afterEach(async () => {
  for (const gateway of opened.splice(0)) await gateway.close({ timeoutMs: 0 });
});

async function gatewayOn(
  store: RefloatStore,
  options: Partial<GatewayOptions> & Pick<GatewayOptions, "answer">,
): Promise<{ gateway: Gateway; notices: GatewayNotice[]; troubles: Error[]; delivered: string[] }> {
  const [notices, troubles, delivered] = [[] as GatewayNotice[], [] as Error[], [] as string[]];
  const gateway = await openGateway(store, {
    name: "chat",
    agent: "bot",
    deliver: async ({ input, mayBeDuplicate }) => {
      delivered.push(`${input}${mayBeDuplicate ? " again" : ""}`);
      return { kind: "delivered" };
    },
    onNotice: (notice) => notices.push(notice),
    onTrouble: ({ error }) => troubles.push(error),
    ...options,
    policy: { stopGraceMs: 20, drainGraceMs: 0, ...options.policy },
  });
  opened.push(gateway);
  return { gateway, notices, troubles, delivered };
}

const cutOffs = (notices: readonly GatewayNotice[]): GatewayNotice[] =>
  notices.filter(({ kind }) => kind === "cut-off");

describe.each(STORES)("on %s", (_name, fresh) => {
  test.each(["gateway.stop", "an order from another process"])(
    "origin 001.25: %s ends a turn whose answer ignores its signal: cancelled and no dirty end, its slot given back, its late writes refused, and the conversation goes on (L4, K1)",
    async (how) => {
      const place = fresh();
      const store = await openedHere(place);
      const unhandled: unknown[] = [];
      const hear = (reason: unknown): void => void unhandled.push(reason);
      process.on("unhandledRejection", hear);
      onTestFinished(() => void process.off("unhandledRejection", hear));
      const { answer, turns, ends } = deaf();
      const { gateway, notices, troubles, delivered } = await gatewayOn(store, { answer, concurrency: 1 });
      await gateway.receive({ session: "c1", id: "m1", input: "hang" });
      const late = await (turns[0] as Signal<GatewayTurn>).came;
      const call = await late.turn.call({ tool: "deploy", input: {} });
      const message = late.turn.message("assistant");
      message.write("I am on i");
      await gateway.receive({ session: "c1", id: "m2", input: "dropped" });
      await gateway.receive({ session: "c2", id: "m3", input: "waits for the slot" });
      const dropped =
        how === "gateway.stop"
          ? await gateway.stop("c1", "the user said so")
          : await (await openedHere(place)).stop("c1", "the user said so");
      expect(dropped).toEqual(["m2"]);
      await gateway.receive({ session: "c1", id: "m4", input: "and now?" });
      await gateway.idle();
      expect(delivered.toSorted()).toEqual(["m3", "m4"]);
      expect(await outcomes(store)).toEqual(["cancelled", "completed"]);
      expect((await recordsOf(store, "turn.ended"))[0]?.body.reason).toBe("the user said so");
      expect((await recordsOf(store, "call.ended"))[0]?.body).toMatchObject({ stopped: true });
      expect((await recordsOf(store, "message.ended"))[0]?.body).toMatchObject({ state: "cut-off" });
      const written = await store.raw.records({
        session: "c1" as SessionId,
        kinds: ["message.grew", "message.ended"],
      });
      expect(JSON.stringify(written)).toContain("I am on i");
      expect((await store.raw.session("c1" as SessionId))?.facts).toMatchObject({
        dirty_ends: 0,
        suspended: null,
        interrupted: null,
      });
      expect(await store.raw.open("c1" as SessionId)).toEqual([]);
      expect(cutOffs(notices)).toMatchObject([{ session: "c1", level: "warning", turn: late.turn.id }]);
      const head = (await store.raw.session("c1" as SessionId))?.head;
      for (const write of [
        call.result("done"),
        late.session.decide("db", "sqlite"),
        late.turn.append({ role: "assistant", parts: "late" }),
        late.turn.end("completed"),
        late.confirm("deploy", "Really?"),
      ])
        await expect(write).rejects.toMatchObject({ code: "E_FENCED" });
      expect(() => message.write("t")).toThrow(expect.objectContaining({ code: "E_NOT_OPEN" }));
      ends[0]?.refuse(new Error("far too late"));
      await sleep(0);
      expect((await store.raw.session("c1" as SessionId))?.head).toBe(head);
      expect([...troubles, ...unhandled]).toEqual([]);
    },
  );

  test("origin 001.25: one that ends within the grace keeps its handle; stopped twice it is cancelled once (L4)", async () => {
    const store = await openedHere(fresh());
    const { answer, turns, ends } = deaf();
    const { gateway, notices } = await gatewayOn(store, { answer, policy: { stopGraceMs: HOUR } });
    await gateway.receive({ session: "c1", id: "m1", input: "hang" });
    const first = await (turns[0] as Signal<GatewayTurn>).came;
    await gateway.stop("c1", "once");
    await gateway.stop("c1", "twice");
    await gateway.receive({ session: "c1", id: "m2", input: "hello" });
    ends[0]?.give();
    await gateway.idle();
    expect((await recordsOf(store, "turn.ended")).map(({ body }) => body.reason)).toEqual(["once", null]);
    expect(cutOffs(notices)).toEqual([]);
    expect((await recordsOf(store, "claim.taken")).at(-1)?.body.attempt).toBe(first.session.attempt);
  });

  test.each(["the answer", "the limit"])(
    "an answer that ends at the very limit, %s first: one end, cancelled, and the next input is answered (L4)",
    async (first) => {
      const limit = signal();
      const clock = {
        ...systemClock,
        sleep: (ms: number, abort?: AbortSignal) =>
          ms === GRACE ? limit.came : systemClock.sleep(ms, abort),
      };
      const store = await openedHere(fresh(), { clock });
      const { answer, turns, ends } = deaf();
      const { gateway } = await gatewayOn(store, { answer, policy: { stopGraceMs: GRACE } });
      await gateway.receive({ session: "c1", id: "m1", input: "hang" });
      await (turns[0] as Signal<GatewayTurn>).came;
      await gateway.stop("c1");
      const both = [() => ends[0]?.give(), () => limit.give()];
      for (const end of first === "the answer" ? both : both.toReversed()) end();
      await gateway.receive({ session: "c1", id: "m2", input: "hello" });
      await gateway.idle();
      expect(await outcomes(store)).toEqual(["cancelled", "completed"]);
    },
  );

  test("a drain that comes within the grace of a stop: the turn is cancelled, not interrupted, nothing hangs, and the next start does not go on with it (L3, L4)", async () => {
    const store = await openedHere(fresh());
    const { answer, turns } = deaf();
    const { gateway } = await gatewayOn(store, { answer, policy: { stopGraceMs: HOUR } });
    await gateway.receive({ session: "c1", id: "m1", input: "hang" });
    await (turns[0] as Signal<GatewayTurn>).came;
    await gateway.stop("c1");
    expect(await gateway.close({ timeoutMs: 0 })).toEqual({ interrupted: [] });
    await gateway.idle();
    expect(await outcomes(store)).toEqual(["cancelled"]);
    expect((await store.raw.session("c1" as SessionId))?.facts).toMatchObject({ dirty_ends: 0 });
    const next = await gatewayOn(store, { answer });
    expect((await next.gateway.opened).conversations).toEqual([]);
  });

  test("a stop that comes within a drain: the drain does not wait its whole time for what will not hear (L3, L4)", async () => {
    const store = await openedHere(fresh());
    const { answer, turns } = deaf();
    const { gateway } = await gatewayOn(store, { answer });
    await gateway.receive({ session: "c1", id: "m1", input: "hang" });
    await (turns[0] as Signal<GatewayTurn>).came;
    const closing = gateway.close({ timeoutMs: HOUR });
    await gateway.receive({ session: "c1", id: "m2", input: "stays" });
    await until(
      "the drain",
      async () => (await recordsOf(store, "drain.began", "gateway:chat")).length === 1,
    );
    expect(await gateway.stop("c1")).toEqual(["m2"]);
    expect(await closing).toEqual({ interrupted: [] });
    expect(await outcomes(store)).toEqual(["cancelled"]);
  });

  test("killed within the grace: whoever finds it ends the turn as cancelled, counts nothing and does not go on with it (L2, L4)", async () => {
    const { town, journal } = await openTown(fresh);
    const orders = { toolMs: 600_000, policy: { stopGraceMs: HOUR } };
    const one = town.live(orders);
    await one.send({ session: "c1", id: "m1", text: "work 1" });
    const reader = await journal();
    await reader.recorded("c1", "call.started");
    await one.post("/stop", { session: "c1" });
    await one.kill();
    const two = town.live(orders);
    expect((await two.start()).conversations).toMatchObject([
      { planned: { kind: "leave", why: "asked-to-stop" } },
    ]);
    expect(await reader.outcomes("c1")).toEqual(["cancelled"]);
    expect((await reader.store.session("c1" as SessionId))?.facts.dirty_ends).toBe(0);
  });

  test("one that goes on alone and ignores its signal gives its place to the next when it is stopped, and so does one that was resumed (L2, L4)", async () => {
    const store = await openedHere(fresh());
    for (const id of ["c1", "c2"]) {
      const workspace = "gateway:chat";
      const session = await beginSession(store.raw, { id, agent: "bot", workspace, owner: deadOwner() });
      await session.turn("hang");
    }
    const { answer, turns } = deaf();
    const { gateway } = await gatewayOn(store, { answer, policy: { dirtyEnds: 2, aloneMs: HOUR } });
    const first = await (turns[0] as Signal<GatewayTurn>).came;
    await gateway.stop(first.session.id);
    const second = await (turns[1] as Signal<GatewayTurn>).came;
    expect(new Set([first.session.id, second.session.id])).toEqual(new Set(["c1", "c2"]));
    await gateway.receive({ session: first.session.id, id: "m2", input: "and now?" });
    await endedTurns(store, 3, first.session.id);
    expect(await outcomes(store, first.session.id)).toEqual(["interrupted", "cancelled", "completed"]);
  });

  test("a send of an earlier answer that is under way is waited for a moment, and sent once; one that never ends is sent again and says so, and holds nobody up (T1)", async () => {
    for (const isSeen of [true, false]) {
      const limits = [signal(), signal()];
      let asked = 0;
      const clock = {
        ...systemClock,
        sleep: (ms: number, abort?: AbortSignal) =>
          ms === GRACE ? (limits[asked++] ?? signal()).came : systemClock.sleep(ms, abort),
      };
      const store = await openedHere(fresh(), { clock });
      const { answer, turns } = deaf();
      const sent = signal();
      const sends: string[] = [];
      const { gateway } = await gatewayOn(store, {
        answer,
        policy: { stopGraceMs: GRACE },
        deliver: async ({ input, mayBeDuplicate }) => {
          sends.push(`${input}${mayBeDuplicate ? " again" : ""}`);
          if (sends.length === 1) await sent.came;
          return { kind: "delivered" };
        },
      });
      await gateway.receive({ session: "c1", id: "m1", input: "hello" });
      await until("the send", () => sends.length === 1);
      await gateway.receive({ session: "c1", id: "m2", input: "hang" });
      await (turns[0] as Signal<GatewayTurn>).came;
      await gateway.stop("c1");
      limits[0]?.give();
      await endedTurns(store, 2);
      await gateway.receive({ session: "c1", id: "m3", input: "and now?" });
      await until("the last sends", () => asked === 2);
      if (isSeen) sent.give();
      else limits[1]?.give();
      await gateway.idle();
      expect(sends).toEqual(isSeen ? ["m1", "m3"] : ["m1", "m1 again", "m3"]);
      expect(await outcomes(store)).toEqual(["completed", "cancelled", "completed"]);
      sent.give();
    }
  });

  test("origin 001.25: begun anew while a turn runs: that one is stopped, deaf or not, and what waits behind it is answered in the new session, not in the old one (L4)", async () => {
    for (const grace of [20, HOUR]) {
      const store = await openedHere(fresh());
      const { answer, turns, ends } = deaf();
      const policy = { stopGraceMs: grace };
      const { gateway, delivered } = await gatewayOn(store, { answer, policy });
      await gateway.receive({ session: "c1", id: "m1", input: "hang" });
      await (turns[0] as Signal<GatewayTurn>).came;
      await gateway.receive({ session: "c1", id: "m2", input: "waits" });
      const anew = await gateway.startAnew("c1", "wanted so");
      if (grace === HOUR) ends[0]?.give();
      await gateway.idle();
      expect(delivered).toEqual(["m2"]);
      expect(await outcomes(store)).toEqual(["cancelled"]);
      expect(await outcomes(store, anew)).toEqual(["completed"]);
    }
  });

  test("suspended by order while a turn runs: that one may end, and what waits behind it is not begun until it is lifted (L4)", async () => {
    const store = await openedHere(fresh());
    const { answer, turns, ends } = deaf();
    const { gateway, delivered } = await gatewayOn(store, { answer });
    await gateway.receive({ session: "c1", id: "m1", input: "hang" });
    await (turns[0] as Signal<GatewayTurn>).came;
    await gateway.receive({ session: "c1", id: "m2", input: "waits" });
    await store.raw.append("c1" as SessionId, "anyone", [
      newRecord(store.raw.clock, "session.suspended", { reason: "to look into it" }),
    ]);
    ends[0]?.give();
    await gateway.idle();
    expect(delivered).toEqual(["m1"]);
    await gateway.lift("c1");
    await gateway.idle();
    expect(delivered).toEqual(["m1", "m2"]);
  });

  test("a drain whose time is up just while a conversation is given back ends all the same: nothing of it was lost (L3)", async () => {
    const store = await openedHere(fresh());
    const { gateway } = await gatewayOn(store, { answer: async () => ({ kind: "silent" }) });
    const { release } = store.raw;
    const [released, heard] = [signal(), signal()];
    let isFirst = true;
    Object.assign(store.raw, {
      release: async (...change: Parameters<typeof release>) => {
        const mustWait = isFirst && change[1] === 2; // the first attempt only stored the input
        const done = await release.apply(store.raw, change);
        if (!mustWait) return done;
        isFirst = false;
        released.give();
        await heard.came;
        return done;
      },
    });
    await gateway.receive({ session: "c1", id: "m1", input: "hello" });
    await released.came;
    expect(await gateway.close({ timeoutMs: 0 })).toEqual({ interrupted: [] });
    heard.give();
    await gateway.idle();
    expect((await recordsOf(store, "instance.ended", "gateway:chat"))[0]?.body.how).toBe("clean");
  });

  test("a turn that ends by itself just when the drain's time is up has ended so: the drain finds nothing left to cut off (L3)", async () => {
    const store = await openedHere(fresh());
    const { answer, turns, ends } = deaf();
    const { gateway, delivered } = await gatewayOn(store, { answer });
    await gateway.receive({ session: "c1", id: "m1", input: "hang" });
    await (turns[0] as Signal<GatewayTurn>).came;
    const { open } = store.raw;
    Object.assign(store.raw, {
      open: async (...asked: Parameters<typeof open>) => {
        const found = await open.apply(store.raw, asked);
        if (!found.some(({ what }) => what === "turn")) return found;
        ends[0]?.give();
        await endedTurns(store, 1);
        return found;
      },
    });
    expect(await gateway.close({ timeoutMs: 0 })).toEqual({ interrupted: [] });
    expect(await outcomes(store)).toEqual(["completed"]);
    await gateway.idle();
    // No send begins after the drain: the next start's.
    expect(delivered).toEqual([]);
    const next = await gatewayOn(store, { answer });
    await next.gateway.idle();
    expect(next.delivered).toEqual(["m1"]);
  });
});
