/** `refloat/opentelemetry`: what a tracer and a meter are told, by providers that are set by hand. */
import { type Attributes, metrics, type SpanOptions, trace } from "@opentelemetry/api";
import { beforeAll, expect, it } from "vitest";
import { instrument } from "../../src/adapters/opentelemetry.ts";
import { describeOnBoth, openedHere } from "../support/both-stores.ts";
import { startChild } from "../support/child.ts";

const spans: {
  name: string;
  attributes: Attributes;
  isEnded: boolean;
  hasFailed: boolean;
  parent: string | null;
}[] = [];
const measured: { name: string; value: number; attributes: Attributes }[] = [];

beforeAll(() => {
  const startSpan = (name: string, options: SpanOptions = {}, within?: unknown) => {
    const above = within === undefined ? undefined : trace.getSpan(within as never);
    const parent = above?.spanContext().spanId ?? null;
    const told = { name, attributes: { ...options.attributes }, isEnded: false, hasFailed: false, parent };
    spans.push(told);
    return {
      setAttributes: (more: Attributes) => Object.assign(told.attributes, more),
      setStatus: () => Object.assign(told, { hasFailed: true }),
      end: () => Object.assign(told, { isEnded: true }),
      spanContext: () => ({ traceId: "t", spanId: name, traceFlags: 1 }),
    };
  };
  const instrumentOf = (name: string) => {
    const take = (value: number, attributes: Attributes) => void measured.push({ name, value, attributes });
    return { add: take, record: take };
  };
  trace.setGlobalTracerProvider({ getTracer: () => ({ startSpan }) } as never);
  metrics.setGlobalMeterProvider({
    getMeter: () => ({ createHistogram: instrumentOf, createCounter: instrumentOf }),
  } as never);
});

describeOnBoth((make) => {
  it("tells of sessions, turns and calls as spans, each below the one it is of and with its outcome, and of nothing that was said or given (T4)", async () => {
    spans.length = 0;
    measured.length = 0;
    const store = await openedHere(make());
    const listening = instrument();
    const session = await store.begin({ id: "seen", agent: "shop", workspace: "w" });
    const turn = await session.turn("my card is 4111-SECRET");
    await (await turn.call({ id: "c1", tool: "charge", input: { card: "4111-SECRET" } })).result(
      "4111-SECRET",
    );
    await (await turn.call({ id: "c2", tool: "ship", input: {} })).failed(new Error("4111-SECRET"));
    await turn.end("completed");
    await session.finish();
    listening.stop();
    const again = await store.begin({ id: "seen", agent: "shop", workspace: "w" });
    await (await again.continueTurn()).end("failed"); // nobody listens any more
    await again.finish();

    expect(spans.map(({ name, isEnded, hasFailed, parent }) => [name, isEnded, hasFailed, parent])).toEqual([
      ["session shop", true, false, null],
      ["invoke_agent shop", true, false, "session shop"],
      ["execute_tool charge", true, false, "invoke_agent shop"],
      ["execute_tool ship", true, true, "invoke_agent shop"],
    ]);
    expect(spans[0]?.attributes).toEqual({
      "gen_ai.conversation.id": "seen",
      "gen_ai.agent.name": "shop",
      "refloat.attempt": 1,
      "refloat.state": "live",
      "refloat.outcome": "finished",
    });
    expect(spans[2]?.attributes).toMatchObject({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "charge",
      "gen_ai.tool.call.id": "c1",
      "gen_ai.conversation.id": "seen",
      "refloat.outcome": "done",
    });
    expect(measured.map(({ name, attributes }) => [name, attributes["error.type"] ?? null])).toEqual([
      ["refloat.sessions.begun", null],
      ["gen_ai.client.operation.duration", null],
      ["gen_ai.client.operation.duration", "failed"],
      ["gen_ai.client.operation.duration", null],
    ]);
    expect(JSON.stringify([spans, measured])).not.toContain("SECRET");
  });

  it("tells of what is taken up after a death: the new attempt's span, and as a number what was left open (L7)", async () => {
    spans.length = 0;
    measured.length = 0;
    const place = make();
    const child = startChild(
      `import { openStore } from "./index.js";
       const store = await openStore(process.env.STORE, JSON.parse(process.env.OPEN));
       const session = await store.begin({ id: "cut", agent: "shop", workspace: "w" });
       const turn = await session.turn("my card is 4111-SECRET");
       await turn.call({ id: "c1", tool: "charge", input: {} });
       console.log("1"); setInterval(() => undefined, 1000);`,
      { STORE: place.url, OPEN: JSON.stringify(place.open) },
    );
    await child.said();
    await child.kill();
    const store = await openedHere(place);
    const listening = instrument();
    const session = await store.begin({ id: "cut", agent: "shop", workspace: "w" });
    await session.finish();
    listening.stop();
    expect(
      spans.map(({ name, attributes }) => [
        name,
        attributes["refloat.attempt"],
        attributes["refloat.outcome"],
      ]),
    ).toEqual([["session shop", 2, "finished"]]);
    expect(measured.map(({ name, value }) => [name, value])).toEqual([
      ["refloat.sessions.begun", 1],
      ["refloat.recovered", 2],
    ]);
    expect(measured[1]?.attributes).toEqual({ "gen_ai.agent.name": "shop" });
  });

  it("ends the span of an attempt that is taken over here with why it was cut off, as failed, and the next one's begins (L7)", async () => {
    spans.length = 0;
    measured.length = 0;
    const store = await openedHere(make());
    const listening = instrument();
    const first = await store.begin({ id: "taken", agent: "shop", workspace: "w" });
    await first.turn("x");
    const liveness = () => ({ kind: "dead", because: "no-such-process" }) as const; // as if it were another process, and killed
    const next = await store.begin({ id: "taken", agent: "shop", workspace: "w", liveness });
    await next.finish();
    listening.stop();
    expect(
      spans.map(({ name, attributes, hasFailed }) => [name, attributes["refloat.outcome"], hasFailed]),
    ).toEqual([
      ["session shop", "unknown", true],
      ["invoke_agent shop", "interrupted", true],
      ["session shop", "finished", false],
    ]);
    expect(measured.filter(({ name }) => name === "refloat.recovered").map(({ value }) => value)).toEqual([
      1,
    ]);
  });

  it("ends a session's span as released where it was only put aside, and leaves what was begun before anybody listened without one (L7)", async () => {
    spans.length = 0;
    const store = await openedHere(make());
    const before = await store.begin({ id: "before", agent: "a b", workspace: "w" });
    const listening = instrument();
    await (await before.turn("x")).end("completed");
    await before.release();
    const put = await store.begin({ id: "put", agent: "my card 4111-SECRET", workspace: "w" });
    await put.release();
    listening.stop();
    expect(
      spans.map(({ name, parent, attributes }) => [name, parent, attributes["refloat.outcome"]]),
    ).toEqual([
      ["invoke_agent refloat", null, "completed"],
      ["session other", null, "released"],
    ]);
  });
});
