/**
 * From what is told inside the process to spans and metrics. Names are those of the GenAI conventions where they have one (a turn invokes an
 * agent, a call executes a tool); a session, which is one attempt here, has none there.
 *
 * Only names, ids, numbers and outcomes are told: no input, no output, no message; a name that is none is not told either (T4).
 */
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { type Attributes, context, metrics, SpanKind, trace } from "@opentelemetry/api";
import { bodyAs, type StoredRecord } from "../../model/record.ts";
import { type BegunSession, RECORD_CHANNEL, SESSION_CHANNEL } from "../../platform/observed.ts";
import { MAX_OPEN, OpenSpans } from "./open-spans.ts";

const NAME = "refloat";

export interface Listening {
  /** True: of sessions alone that were begun here, not of what is taken in of others. */
  readonly isBegunHereOnly: boolean;
}

export function listenForSpans({ isBegunHereOnly }: Listening): { stop(): void; hasTold(): boolean } {
  const tracer = trace.getTracer(NAME);
  const meter = metrics.getMeter(NAME);
  const duration = meter.createHistogram("gen_ai.client.operation.duration", { unit: "s" });
  const begun = meter.createCounter("refloat.sessions.begun");
  const recovered = meter.createCounter("refloat.recovered");
  const agents = new Map<string, string>();
  const spans = new OpenSpans((seconds, attributes) => duration.record(seconds, attributes));

  const start = (key: string, name: string, atMs: number, attributes: Attributes, parent?: string): void => {
    const above = parent === undefined ? undefined : spans.get(parent);
    const around = trace.getSpan(context.active());
    const within = above ? trace.setSpan(context.active(), above) : context.active();
    // What the program was doing meanwhile is another story, and named.
    const links = above && around && around !== above ? [{ context: around.spanContext() }] : [];
    const options = { kind: SpanKind.INTERNAL, startTime: atMs, attributes, links };
    spans.add(key, { span: tracer.startSpan(name, options, within), startMs: atMs, attributes });
  };

  const onSession = (message: unknown): void => {
    const { session, attempt, atMs, agent, state, recovered: count } = message as BegunSession;
    const name = plainName(agent);
    const oldest = agents.size >= MAX_OPEN ? agents.keys().next() : null;
    if (oldest && !oldest.done) agents.delete(oldest.value);
    agents.set(session, name);
    const of = { "gen_ai.agent.name": name };
    const attributes = {
      "gen_ai.conversation.id": session,
      ...of,
      "refloat.attempt": attempt,
      "refloat.state": state,
    };
    // An attempt that was taken over says nothing any more; the next one here does.
    spans.end(sessionKey(session), atMs, "lost", false);
    start(sessionKey(session), `session ${name}`, atMs, attributes);
    begun.add(1, { ...of, "refloat.state": state });
    if (count > 0) recovered.add(count, of);
  };

  const onRecord = (message: unknown): void => {
    const record = message as StoredRecord;
    const { session, atMs } = record;
    if (isBegunHereOnly && !agents.has(session)) return;
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
      start(turnKey(session, turn.turn), `invoke_agent ${agent}`, atMs, attributes, sessionKey(session));
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
      const key = callKey(session, call.call);
      start(key, `execute_tool ${tool}`, atMs, attributes, turnKey(session, call.turn));
    } else if (callEnd)
      spans.end(callKey(session, callEnd.call), atMs, callEnd.status, callEnd.status === "done");
    else if (turnEnd)
      spans.end(turnKey(session, turnEnd.turn), atMs, turnEnd.outcome, turnEnd.outcome === "completed");
    else ofSession(record);
  };

  /** How an attempt ends: finished, cut off, or its claim given back for later. */
  const ofSession = (record: StoredRecord): void => {
    const key = sessionKey(record.session);
    const cutOff = bodyAs(record, "recovered");
    if (bodyAs(record, "session.finished")) spans.settle(key, "finished", true);
    else if (cutOff) spans.settle(key, cutOff.cause, false);
    else if (bodyAs(record, "claim.released")) {
      spans.end(key, record.atMs, "released", true);
      if (isBegunHereOnly) agents.delete(record.session);
    }
  };

  subscribe(RECORD_CHANNEL, onRecord);
  subscribe(SESSION_CHANNEL, onSession);
  return {
    hasTold: () => spans.hasBegun,
    stop: () => {
      unsubscribe(RECORD_CHANNEL, onRecord);
      unsubscribe(SESSION_CHANNEL, onSession);
      spans.stop();
    },
  };
}

const sessionKey = (session: string): string => `${session} session`;
const turnKey = (session: string, turn: string): string => `${session} turn ${turn}`;
const callKey = (session: string, call: string): string => `${session} call ${call}`;

/** Names come from programs and from models: what does not look like one may be anything. */
const PLAIN = /^[\w.:/~-]{1,100}$/;
const plainName = (name: string): string => (PLAIN.test(name) ? name : "other");
