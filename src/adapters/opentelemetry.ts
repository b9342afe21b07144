/**
 * `refloat/opentelemetry`: turns and calls as spans, and how long they took and how sessions were found as metrics, by the API package
 * alone; which SDK sends them where is the program's. Names are those of the GenAI conventions. docs/opentelemetry.md.
 *
 * Only names, ids, numbers and outcomes are told: no input, no output, no message; a name that is none is not told either (T4).
 */
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import {
  type Attributes,
  context,
  metrics,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import { bodyAs, type StoredRecord } from "../model/record.ts";
import { type BegunSession, RECORD_CHANNEL, SESSION_CHANNEL } from "../platform/observed.ts";

const NAME = "refloat";
/** Spans that wait for their end; a turn that is never ended here (its claim was lost) must not be kept for ever. */
const MAX_OPEN = 10_000;

interface OpenSpan {
  readonly span: Span;
  readonly startMs: number;
  readonly attributes: Attributes;
}

/** Listens until it is stopped. Sessions begun before are heard, too, from their next turn or call on. */
export function instrument(): { stop(): void } {
  const tracer = trace.getTracer(NAME);
  const meter = metrics.getMeter(NAME);
  const duration = meter.createHistogram("gen_ai.client.operation.duration", { unit: "s" });
  const begun = meter.createCounter("refloat.sessions.begun");
  const recovered = meter.createCounter("refloat.recovered");
  const open = new Map<string, OpenSpan>();
  const agents = new Map<string, string>();

  const start = (key: string, name: string, atMs: number, attributes: Attributes, parent?: string): void => {
    const above = parent === undefined ? undefined : open.get(parent)?.span;
    const within = above ? trace.setSpan(context.active(), above) : context.active();
    const span = tracer.startSpan(name, { kind: SpanKind.INTERNAL, startTime: atMs, attributes }, within);
    bounded(open, key, { span, startMs: atMs, attributes });
  };
  const end = (key: string, atMs: number, outcome: string, isGood: boolean): void => {
    const found = open.get(key);
    if (!found) return;
    open.delete(key);
    const failed: Attributes = isGood ? {} : { "error.type": outcome };
    found.span.setAttributes({ "refloat.outcome": outcome, ...failed });
    if (!isGood) found.span.setStatus({ code: SpanStatusCode.ERROR, message: outcome });
    found.span.end(atMs);
    const operation = found.attributes["gen_ai.operation.name"];
    duration.record(Math.max(0, atMs - found.startMs) / 1000, {
      ...(operation === undefined ? {} : { "gen_ai.operation.name": operation }),
      ...failed,
    });
  };

  const onRecord = (message: unknown): void => {
    const record = message as StoredRecord;
    const { session, atMs } = record;
    const turn = bodyAs(record, "turn.began");
    const turnEnd = bodyAs(record, "turn.ended");
    const call = bodyAs(record, "call.started");
    const callEnd = bodyAs(record, "call.ended");
    if (turn) {
      const agent = agents.get(session) ?? NAME;
      const attributes = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": agent,
        "gen_ai.conversation.id": session,
        "refloat.attempt": record.attempt ?? 0,
      };
      start(`${session} turn ${turn.turn}`, `invoke_agent ${agent}`, atMs, attributes);
    } else if (call) {
      const tool = plainName(call.tool);
      const attributes = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": tool,
        "gen_ai.tool.call.id": plainName(call.call),
        "gen_ai.tool.type": "function",
        "gen_ai.conversation.id": session,
        "refloat.effect": call.effect,
      };
      start(
        `${session} call ${call.call}`,
        `execute_tool ${tool}`,
        atMs,
        attributes,
        `${session} turn ${call.turn}`,
      );
    } else if (callEnd)
      end(`${session} call ${callEnd.call}`, atMs, callEnd.status, callEnd.status === "done");
    else if (turnEnd)
      end(`${session} turn ${turnEnd.turn}`, atMs, turnEnd.outcome, turnEnd.outcome === "completed");
  };
  const onSession = (message: unknown): void => {
    const { session, agent, state, recovered: count } = message as BegunSession;
    bounded(agents, session, plainName(agent));
    begun.add(1, { "gen_ai.agent.name": plainName(agent), "refloat.state": state });
    if (count > 0) recovered.add(count, { "gen_ai.agent.name": plainName(agent) });
  };
  subscribe(RECORD_CHANNEL, onRecord);
  subscribe(SESSION_CHANNEL, onSession);
  return {
    stop: () => {
      unsubscribe(RECORD_CHANNEL, onRecord);
      unsubscribe(SESSION_CHANNEL, onSession);
      for (const { span } of open.values()) span.end();
      open.clear();
    },
  };
}

function bounded<T>(map: Map<string, T>, key: string, value: T): void {
  const oldest = map.size >= MAX_OPEN ? map.keys().next() : null;
  if (oldest && !oldest.done) map.delete(oldest.value);
  map.set(key, value);
}

/** Names come from programs and from models: what does not look like one may be anything. */
const PLAIN = /^[\w.:/~-]{1,100}$/;
const plainName = (name: string): string => (PLAIN.test(name) ? name : "other");
