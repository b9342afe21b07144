/** `onLeft` of a gateway: what it returns is delivered, and one that throws costs neither the leaving nor what comes after it. */
import { expect, onTestFinished, test } from "vitest";
import { openGateway } from "../../src/app/run/open-gateway.ts";
import type { GatewayOptions, TurnLeft } from "../../src/gateway/options.ts";
import { describeOnBoth, openedHere } from "../support/both-stores.ts";
import { startChild } from "../support/child.ts";

/** Dies in the middle of its only turn. */
const DIES = `
  import { openGateway, openStore } from "./index.js";
  const store = await openStore(process.env.STORE, JSON.parse(process.env.OPEN));
  const gateway = await openGateway(store, {
    name: "g", agent: "a", deliver: async () => ({ kind: "delivered" }),
    answer: () => { console.log("1"); return new Promise((done) => setTimeout(done, 600_000)); },
  });
  await gateway.opened;
  await gateway.receive({ session: "c", id: "m1", input: "hello", route: {} });`;

type OnLeft = NonNullable<GatewayOptions["onLeft"]>;
const WAYS: readonly (readonly [
  how: string,
  onLeft: OnLeft,
  told: readonly string[],
  troubles: readonly string[],
])[] = [
  ["returns a text", () => "It is left.", ["It is left."], []],
  ["returns nothing", () => undefined, [], []],
  [
    "throws",
    () => {
      throw new Error("no log");
    },
    [],
    ["c: no log"],
  ],
  ["rejects", () => Promise.reject(new Error("no log")), [], ["c: no log"]],
];

describeOnBoth((make) => {
  test.each(WAYS)(
    "one that %s: the turn is left once, on record, whoever asked is told just that, and the next message is answered (L1)",
    async (_, onLeft, told, expected) => {
      const place = make();
      const child = startChild(DIES, { STORE: place.url, OPEN: JSON.stringify(place.open) });
      await child.said();
      await child.kill();
      const store = await openedHere(place);
      const [heard, said, troubles]: [TurnLeft[], string[], string[]] = [[], [], []];
      const open = async () => {
        const gateway = await openGateway(store, {
          ...{ name: "g", agent: "a", authorise: () => false },
          answer: async () => ({ kind: "reply", parts: "answered" }),
          deliver: async ({ parts }) => {
            for (const part of parts) if (part.type === "text") said.push(part.text);
            return { kind: "delivered" };
          },
          onLeft: (left) => {
            heard.push(left);
            return onLeft(left);
          },
          onTrouble: ({ session, error }) => troubles.push(`${session}: ${error.message}`),
        });
        onTestFinished(async () => void (await gateway.close()));
        await gateway.opened;
        await gateway.idle();
        return gateway;
      };
      await (await open()).close();
      const gateway = await open(); // it was decided: nobody hears of it again
      await gateway.receive({ session: "c", id: "m2", input: "and now?", route: {} });
      await gateway.idle();
      expect(heard.map(({ session, why, input }) => [session, why, input])).toEqual([
        ["c", "not-authorised", "m1"],
      ]);
      expect({ said, troubles }).toEqual({ said: [...told, "answered"], troubles: expected });
      const decisions: unknown[] = [];
      for await (const { body } of store.records("c", { kinds: ["resume.decided"] }))
        decisions.push(body.decision);
      expect(decisions).toEqual(["leave"]);
    },
  );
});
