/** `gateway.send`: said unasked, on disk before its receipt, delivered once, and there for the model (T1, D4). */

import { expect, onTestFinished, test } from "vitest";
import { openGateway } from "../../src/app/run/open-gateway.ts";
import type { Delivery, GatewayOptions } from "../../src/gateway/options.ts";
import type { SessionId } from "../../src/model/ids.ts";
import { describeOnBoth, openedHere } from "../support/both-stores.ts";

const texts = (parts: readonly { type: string }[]): string =>
  parts.map((part) => ("text" in part ? String(part.text) : "")).join("|");

describeOnBoth((make) => {
  test("T1: what is said unasked arrives by its route, once for one id, while a turn runs, and the next turn's model has read it", async () => {
    const store = await openedHere(make());
    const delivered: Delivery[] = [];
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const views: string[][] = [];
    const options: GatewayOptions = {
      name: "chat",
      agent: "bot",
      answer: async ({ session, input }) => {
        await session.refresh();
        views.push(
          session
            .view("model")
            .items.map((item) => (item.kind === "message" ? `${item.role}: ${texts(item.parts)}` : "")),
        );
        if (texts(input?.parts ?? []) === "slow") await held;
        return { kind: "reply", parts: "done" };
      },
      deliver: async (delivery) => {
        delivered.push(delivery);
        return { kind: "delivered" };
      },
    };
    const gateway = await openGateway(store, options);
    onTestFinished(async () => void (await gateway.close()));
    // A conversation that is not there yet comes into being with it.
    const first = await gateway.send({
      session: "c1",
      id: "hello",
      route: { room: 1 },
      parts: "Good morning.",
    });
    expect(
      await gateway.send({ session: "c1", id: "hello", route: { room: 1 }, parts: "Good morning." }),
    ).toEqual({
      ...first,
      isRepeat: true,
    });
    await gateway.idle();
    await gateway.receive({ session: "c1", input: "slow", route: { room: 2 } });
    await expect.poll(() => views.length, { timeout: 30_000 }).toBe(1);
    await gateway.send({ session: "c1", route: { room: 1 }, parts: "By the way." });
    await expect.poll(() => delivered.length, { timeout: 30_000 }).toBe(2); // the turn still runs
    release();
    await gateway.idle();
    expect(delivered.map(({ route, parts }) => [route, texts(parts)])).toEqual([
      [{ room: 1 }, "Good morning."],
      [{ room: 1 }, "By the way."],
      [{ room: 2 }, "done"],
    ]);
    await gateway.receive({ session: "c1", input: "quick" });
    await gateway.idle();
    expect(views).toEqual([
      ["assistant: Good morning.", "user: slow"],
      ["assistant: Good morning.", "user: slow", "assistant: By the way.", "assistant: done", "user: quick"],
    ]);
    await gateway.close();
    await expect(gateway.send({ session: "c1", parts: "late" })).rejects.toMatchObject({ code: "E_CLOSED" });
  });

  test("T1: what had its receipt and was not sent is sent by the next start, plainly", async () => {
    const place = make();
    const store = await openedHere(place);
    const dead: GatewayOptions = {
      name: "chat",
      agent: "bot",
      answer: async () => ({ kind: "silent" }),
      deliver: () => new Promise(() => undefined),
      policy: { drainTimeoutMs: 1, drainGraceMs: 1 },
    };
    const one = await openGateway(store, {
      ...dead,
      deliver: async () => ({ kind: "not-sent", why: "down" }),
    });
    await one.send({ session: "c1", route: 7, parts: "It is done." });
    // Until it is on record that it was not sent, whoever comes next can only say that it may have been.
    const failed = async () =>
      (await store.raw.records({ session: "c1" as SessionId, kinds: ["delivery.failed"] })).length;
    await expect.poll(failed, { timeout: 30_000 }).toBeGreaterThan(0);
    await one.close({ timeoutMs: 1 });
    const delivered: Delivery[] = [];
    const two = await openGateway(await openedHere(place), {
      ...dead,
      deliver: async (delivery) => {
        delivered.push(delivery);
        return { kind: "delivered" };
      },
    });
    await expect.poll(() => delivered.length, { timeout: 30_000 }).toBe(1);
    expect(delivered).toMatchObject([
      { route: 7, mayBeDuplicate: false, parts: [{ type: "text", text: "It is done." }] },
    ]);
    await two.close();
  });
});
