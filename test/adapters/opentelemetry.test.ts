/** `refloat/opentelemetry`: what a tracer and a meter are told, by providers that are set by hand. */
import { type Attributes, metrics, type SpanOptions, trace } from "@opentelemetry/api";
import { beforeAll, expect, it } from "vitest";
import { instrument } from "../../src/adapters/opentelemetry.ts";
import { describeOnBoth, openedHere } from "../support/both-stores.ts";

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
