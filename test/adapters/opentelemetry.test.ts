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
  hasParent: boolean;
}[] = [];
const measured: { name: string; value: number; attributes: Attributes }[] = [];

beforeAll(() => {
  const startSpan = (name: string, options: SpanOptions = {}, within?: unknown) => {
    const hasParent = within !== undefined && trace.getSpan(within as never) !== undefined;
    const told = { name, attributes: { ...options.attributes }, isEnded: false, hasFailed: false, hasParent };
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
  it("tells of turns and calls as spans, each with its outcome, and of nothing that was said or given (T4)", async () => {
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
    listening.stop();
    await (await session.continueTurn()).end("failed"); // nobody listens any more
    await session.finish();

    expect(
      spans.map(({ name, isEnded, hasFailed, hasParent }) => [name, isEnded, hasFailed, hasParent]),
    ).toEqual([
      ["invoke_agent shop", true, false, false],
      ["execute_tool charge", true, false, true],
      ["execute_tool ship", true, true, true],
    ]);
    expect(spans[1]?.attributes).toMatchObject({
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
});
