/** The first origin (001): a person stops it. One meaning, whoever says it; and a stop on purpose is no crash. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import { openGateway } from "../../src/app/run/open-gateway.ts";
import type { RefloatStore } from "../../src/app/store/open-store.ts";
import { beginSession } from "../../src/conversation/begin.ts";
import { orderStop } from "../../src/conversation/order-stop.ts";
import type { Gateway } from "../../src/gateway/gateway.ts";
import type { GatewayTurn } from "../../src/gateway/options.ts";
import { DEFAULT_POLICY, type GatewayPolicy } from "../../src/gateway/policy.ts";
import type { SessionId } from "../../src/model/ids.ts";
import { MAX_RECORDS_PER_CHANGE } from "../../src/model/limits.ts";
import { newRecord } from "../../src/session/new-record.ts";
import { endOf, isAlive, scene, until } from "../run/run-scene.ts";
import { describeOnBoth, openedHere } from "../support/both-stores.ts";
import { startChild } from "../support/child.ts";
import { deadOwner, elsewhereOwner, makePlace } from "../support/cli.ts";

const WHO = { id: "c1", agent: "goose", workspace: "/w" };
const C1 = "c1" as SessionId;
const DEAD = { liveness: () => ({ kind: "dead", because: "no-such-process" }) as const };

async function recordsOf(store: RefloatStore, kind: string, session = C1) {
  return store.raw.records({ session, kinds: [kind] });
}

const outcomes = async (store: RefloatStore): Promise<unknown[]> =>
  (await recordsOf(store, "turn.ended")).map(({ body }) => body.outcome);

const toldOf = async (store: RefloatStore): Promise<string> => {
  const session = await store.begin({ ...WHO, ...DEAD });
  const turn = await session.turn("and now?");
  const told = JSON.stringify(session.export("anthropic"));
  await turn.end("cancelled", "only looked");
  await session.release();
  return told;
};

/** What every way of stopping must leave: nothing behind it begun, the turn cancelled, the call told as stopped, nobody counted. */
async function expectStopped(store: RefloatStore, dropped: readonly string[]): Promise<void> {
  expect(await outcomes(store)).toEqual(["cancelled"]);
  expect((await recordsOf(store, "input.dropped")).map(({ body }) => body.input)).toEqual(dropped);
  expect(await recordsOf(store, "turn.began")).toHaveLength(1);
  expect((await recordsOf(store, "call.ended"))[0]?.body).toMatchObject({
    status: "unknown-outcome",
    output: expect.stringContaining("The person stopped this"),
  });
  expect(await store.raw.open(C1)).toEqual([]);
  expect((await store.raw.session(C1))?.facts).toMatchObject({ dirty_ends: 0, suspended: null });
  const told = await toldOf(store);
  expect(told).toContain("the person stopped this turn");
  expect(told).not.toContain("session ended");
}

const opened: Gateway[] = [];
afterEach(async () => {
  for (const gateway of opened.splice(0)) await gateway.close({ timeoutMs: 0 });
});

async function gatewayOn(
  store: RefloatStore,
  answer: (turn: GatewayTurn) => Promise<void>,
  policy: Partial<GatewayPolicy> = {},
): Promise<Gateway> {
  const gateway = await openGateway(store, {
    name: "chat",
    agent: "bot",
    answer: async (turn) => {
      await answer(turn);
      return { kind: "reply", parts: "done" };
    },
    deliver: async () => ({ kind: "delivered" }),
    onTrouble: () => undefined,
    policy: { drainGraceMs: 0, loopStarts: 1000, ...policy },
  });
  opened.push(gateway);
  await gateway.opened;
  return gateway;
}

/** A tool that hears nothing but the order to stop. */
const endless = (begun: () => void) => async (context: GatewayTurn) => {
  await context.turn.call({ tool: "deploy", input: {} });
  begun();
  await new Promise((_resolve, reject) => {
    context.signal.addEventListener("abort", () => reject(context.signal.reason));
  });
};

describeOnBoth((fresh) => {
  test("origin 001.25: `session.stop`: what is queued behind is not begun, the turn is cancelled, the model is told that the person stopped it (L4)", async () => {
    const store = await openedHere(fresh());
    const session = await store.begin(WHO);
    const turn = await session.turn("deploy");
    await turn.call({ tool: "deploy", input: {} });
    turn.message("assistant").write("I am on i");
    await session.enqueue("and then this", { id: "m2" });
    expect(await session.stop("the user said so")).toEqual(["m2"]);
    expect(session.view("people").items.at(-1)).toMatchObject({ state: "cut-off" });
    await session.finish();
    expect((await store.raw.session(C1))?.facts.cause).toBe("signal");
    await expectStopped(store, ["m2"]);
  });

  test("origin 001.22, 001.25: `gateway.stop` and an order from another process (`refloat stop`, `store.stop`) are the same, also for a turn that is only being begun (L4)", async () => {
    for (const isFromOutside of [false, true]) {
      const place = fresh();
      const store = await openedHere(place);
      let begun = (): void => undefined;
      const running = new Promise<void>((resolve) => {
        begun = resolve;
      });
      const gateway = await gatewayOn(store, endless(begun));
      await gateway.receive({ session: "c1", id: "m1", input: "deploy" });
      await running;
      await gateway.receive({ session: "c1", id: "m2", input: "and then this" });
      const dropped = isFromOutside
        ? await (await openedHere(place)).stop("c1", "another terminal")
        : await gateway.stop("c1", "the user said so");
      expect(dropped).toEqual(["m2"]);
      await until(async () => (await outcomes(store)).length === 1);
      await gateway.idle();
      await gateway.close();
      await expectStopped(store, ["m2"]);
    }
  });

  test("an order to stop that comes while the turn is being begun, on disk and known to nobody yet, ends it all the same (L4)", async () => {
    const place = fresh();
    const [store, other] = [await openedHere(place), await openedHere(place)];
    const gateway = await gatewayOn(
      store,
      endless(() => undefined),
    );
    const { commit } = store.raw.driver;
    let ordered: Promise<unknown> | null = null;
    const isBegin = (one: Parameters<typeof commit>[0][number]): boolean =>
      "records" in one && one.records.some(({ kind }) => kind === "turn.began");
    Object.assign(store.raw.driver, {
      commit: async (group: Parameters<typeof commit>[0]) => {
        const done = await commit.call(store.raw.driver, group);
        if (group.some(isBegin)) ordered ??= other.stop("c1", "at once");
        await ordered;
        return done;
      },
    });
    await gateway.receive({ session: "c1", id: "m1", input: "deploy" });
    await until(async () => (await outcomes(store)).length === 1);
    expect(await outcomes(store)).toEqual(["cancelled"]);
  });

  test("origin 001.21: asked to stop and killed before it could, four times: whoever finds it ends the turn as cancelled and counts nothing (L2, L4)", async () => {
    const store = await openedHere(fresh());
    for (let round = 0; round < 4; round++) {
      const session = await store.begin({ ...WHO, ...DEAD });
      await (await session.turn("deploy")).call({ tool: "deploy", input: {} });
      await session.enqueue("waits", { id: `m${round}` });
      expect(await store.stop("c1", "Ctrl-C")).toEqual([`m${round}`]);
      // and its process dies before it hears of it
    }
    const last = await store.begin({ ...WHO, ...DEAD });
    expect(last.recovered).toMatchObject({ cause: "signal", calls: [expect.any(String)] });
    // A program that goes on with what was interrupted does not go on with what was stopped.
    expect(last).toMatchObject({ state: "idle", wasOpen: null });
    expect(await outcomes(store)).toEqual(Array(4).fill("cancelled"));
    expect((await store.raw.session(C1))?.facts).toMatchObject({ dirty_ends: 0, suspended: null });
    await last.turn("and now?");
    expect(JSON.stringify(last.export("anthropic"))).not.toContain("session ended");
  });

  test("the same found by `store.recover`, whatever else is known of the death; an order from before the turn is about another one (L2, L4)", async () => {
    const store = await openedHere(fresh());
    const far = { owner: elsewhereOwner(), thresholdMs: 0 };
    const session = await store.begin({ ...WHO, ...far });
    await session.turn("deploy");
    await store.stop("c1", "enough");
    await store.recover();
    expect(await outcomes(store)).toEqual(["cancelled"]);
    expect((await store.sessions())[0]).toMatchObject({ state: "idle", dirty_ends: 0 });
    const again = await store.begin({ ...WHO, ...far });
    await store.stop("c1", "nothing runs");
    await again.turn("a new one");
    await store.recover();
    expect(await outcomes(store)).toEqual(["cancelled", "interrupted"]);
    expect((await store.sessions())[0]).toMatchObject({ state: "interrupted", dirty_ends: 1 });
  });

  test("an order that comes after the death cancels the turn and is not what it died of (L4, T1)", async () => {
    for (const how of ["begin", "recover"] as const) {
      const store = await openedHere(fresh());
      const session = await store.begin({ ...WHO, owner: deadOwner() });
      await session.turn("deploy");
      await store.stop("c1", "too late");
      if (how === "recover") await store.recover();
      else expect(await store.begin(WHO)).toMatchObject({ state: "idle", recovered: { cause: "unknown" } });
      expect(await outcomes(store)).toEqual(["cancelled"]);
      const [recovered] = await recordsOf(store, "recovered");
      expect(recovered?.body).toMatchObject({ cause: "unknown", dirty_ends: 0 });
    }
  });

  test("an order drops all that was queued before it, also more than one change holds, and nothing that came after (L4)", async () => {
    const { raw } = await openedHere(fresh());
    const queue = (from: number, count: number): Promise<unknown> =>
      raw.append(
        C1,
        "anyone",
        Array.from({ length: count }, (_, at) =>
          newRecord(raw.clock, "input.queued", { input: `m${from + at}`, parts: [], from: null }),
        ),
      );
    const session = await beginSession(raw, WHO);
    await queue(0, MAX_RECORDS_PER_CHANGE);
    const { append } = raw;
    let isOrdering = true;
    Object.assign(raw, {
      append: async (...change: Parameters<typeof append>) => {
        if (!isOrdering) return append.apply(raw, change);
        isOrdering = false;
        await queue(MAX_RECORDS_PER_CHANGE, 1); // just before the order
        const done = await append.apply(raw, change);
        await queue(MAX_RECORDS_PER_CHANGE + 1, 1); // just after it
        return done;
      },
    });
    expect(await orderStop(raw, C1, "enough")).toHaveLength(MAX_RECORDS_PER_CHANGE + 1);
    expect((await session.queue()).map(({ id }) => id)).toEqual([`m${MAX_RECORDS_PER_CHANGE + 1}`]);
  });

  test("an owner in the library hears an order by `onStop`, once, and the claim's end ends the listening", async () => {
    const place = fresh();
    const store = await openedHere(place);
    const heard: string[] = [];
    const session = await store.begin({ ...WHO, onStop: (reason) => heard.push(reason) });
    await session.turn("go");
    await (await openedHere(place)).stop("c1", "from afar");
    await until(() => heard.length === 1, "the order");
    expect(await session.stop(heard[0])).toEqual([]);
    await session.finish();
    expect(heard).toEqual(["from afar"]);
    expect((await store.raw.session(C1))?.facts.cause).toBe("signal");
  });

  test("origin 001.21: a gateway ended on purpose in the middle of a turn, four times, suspends nobody and goes on each time; ended by a service manager it is counted (L2)", async () => {
    for (const isAsked of [true, false]) {
      const store = await openedHere(fresh());
      const plans: unknown[] = [];
      for (let round = 0; round < 4; round++) {
        let begun = (): void => undefined;
        const running = new Promise<void>((resolve) => {
          begun = resolve;
        });
        // On purpose is no restart loop either; of a service manager's restarts only the dirty ends are looked at here.
        const policy = isAsked ? { loopStarts: DEFAULT_POLICY.loopStarts } : {};
        const gateway = await gatewayOn(store, endless(begun), policy);
        const { conversations } = await gateway.opened;
        plans.push(conversations[0]?.planned.kind ?? "new");
        if (round === 0) await gateway.receive({ session: "c1", id: "m1", input: "deploy" });
        if (plans.at(-1) !== "leave") await running;
        await gateway.close({ timeoutMs: 0, isAsked });
      }
      const row = await store.raw.session(C1);
      if (isAsked) {
        expect(plans).toEqual(["new", "resume", "resume", "resume"]);
        expect(row?.facts).toMatchObject({ dirty_ends: 0, suspended: null });
      } else {
        expect(plans).toEqual(["new", "resume", "resume", "leave"]);
        expect(typeof row?.facts.suspended).toBe("string");
      }
    }
  });
});

test("what `onStop` throws is the program's own uncaught error, not silence", async () => {
  const place = makePlace();
  const child = startChild(
    `
    import { openStore } from "./index.js";
    process.on("uncaughtException", (error) => process.stdout.write(JSON.stringify(error.message) + "\\n"));
    const store = await openStore(process.env.STORE, { thread: false });
    await store.begin({ id: "c1", agent: "a", workspace: "/w", onStop: () => { throw new Error("no handler") } });
    await store.stop("c1", "enough");
    setInterval(() => undefined, 1000);
  `,
    { STORE: place.store },
  );
  expect(await child.said()).toBe("no handler");
});

test("an id that is none is refused by `stop` and `follow`, too, and nothing is written", async () => {
  const store = await openedHere({ url: makePlace().store, open: {} });
  for (const id of ["", "a\nb"]) {
    await expect(store.stop(id)).rejects.toMatchObject({ code: "E_BAD_ID" });
    expect(() => store.follow(id)).toThrow(expect.objectContaining({ code: "E_BAD_ID" }));
  }
  expect(await store.sessions()).toEqual([]);
});

describe("by the program", () => {
  test("origin 001.25: `refloat stop` on a gateway's conversation: what waits is dropped and said, the turn is cancelled, nothing behind it is begun (L4)", async () => {
    const place = makePlace();
    const store = await openedHere({ url: place.store, open: {} });
    let begun = (): void => undefined;
    const running = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const gateway = await gatewayOn(store, endless(begun));
    await gateway.receive({ session: "c1", id: "m1", input: "deploy" });
    await running;
    await gateway.receive({ session: "c1", id: "m2", input: "and then this" });
    const stopped = await place.json(["stop", "c1"]);
    expect(stopped).toMatchObject({ code: 0, json: { state: "finished", cause: "signal", dropped: ["m2"] } });
    await gateway.close();
    await expectStopped(store, ["m2"]);
  });

  test("origin 001.25: `refloat stop` on a session under `run`: its turn is cancelled and its open call says that the person stopped it, also when the supervisor was dead already (L4)", async () => {
    for (const isAlone of [false, true]) {
      const stage = scene();
      const child = stage.start({ wait: true });
      const end = endOf(child);
      const pid = Number(await stage.noted("ready"));
      const [{ id }] = (await stage.place.json(["sessions"])).json.sessions;
      await stage.place.withStore(async (store) => {
        const [turn] = await store.raw.open(id as SessionId, { what: ["turn"] });
        const call = {
          call: "c1",
          turn: String(turn?.id),
          tool: "bash",
          input: {},
          effect: "unknown",
        } as const;
        await store.raw.append(id as SessionId, { attempt: 1 }, [
          newRecord(store.raw.clock, "call.started", call),
        ]);
        await store.raw.append(id as SessionId, "anyone", [
          newRecord(store.raw.clock, "input.queued", { input: "m2", parts: [], from: null }),
        ]);
      });
      if (isAlone) {
        child.kill("SIGKILL");
        await end;
      }
      const { json, code } = await stage.place.json(["stop", id]);
      expect({ code, json }).toMatchObject({ code: 0, json: { state: "finished", dropped: ["m2"] } });
      await end;
      await until(() => !isAlive(pid));
      await stage.place.withStore(async (store) => {
        const [turn] = await recordsOf(store, "turn.ended", id as SessionId);
        expect(turn?.body.outcome).toBe("cancelled");
        const [call] = await recordsOf(store, "call.ended", id as SessionId);
        expect(call?.body.output).toContain("The person stopped this");
        expect((await store.sessions())[0]).toMatchObject({ state: "finished", dirty_ends: 0 });
      });
    }
  });

  test("origin 001.21: Ctrl-C under `run`, three times, with refloat itself killed in the middle of each: no dirty ends, and the name is not suspended (L2)", async () => {
    const stage = scene();
    for (let round = 0; round < 4; round++) {
      rmSync(join(stage.notes, "heard-SIGINT"), { force: true });
      const flags = ["--name", "nightly", "--drain", "2h"];
      const child = stage.start({ wait: true, ignores: ["SIGINT"] }, flags);
      onTestFinished(() => void child.kill("SIGKILL"));
      const end = endOf(child);
      const agent = Number(await stage.noted("ready"));
      rmSync(join(stage.notes, "ready"));
      child.kill("SIGINT");
      await stage.noted("heard-SIGINT");
      child.kill("SIGKILL");
      await end;
      process.kill(agent, "SIGKILL");
      await until(() => !isAlive(agent));
    }
    await stage.place.withStore((store) => store.recover());
    const { json } = await stage.place.json(["sessions"]);
    expect(json.sessions).toHaveLength(4);
    for (const session of json.sessions)
      expect(session).toMatchObject({ state: "interrupted", cause: "signal", dirty_ends: 0 });
  });
});

test("an owner that is dead without an order is counted as ever: a stop nobody gave protects nobody (L2)", async () => {
  const place = makePlace();
  await place.withStore(async (store) => {
    for (let round = 0; round < 2; round++) {
      const session = await store.begin({ ...WHO, owner: deadOwner() });
      await session.turn("deploy");
    }
    await store.recover();
    expect((await store.sessions())[0]).toMatchObject({ dirty_ends: 2 });
  });
});
