/**
 * C6: every view exported for a provider is valid for it, whatever the journal holds. Views are made from
 * any interleaving of messages, calls and results, with ids, names and texts no provider would take.
 */

import { describe, expect, test } from "vitest";
import { type AnthropicExport, exportAnthropic } from "../src/conversation/export/anthropic.ts";
import { checkAnthropic } from "../src/conversation/export/check-anthropic.ts";
import { type ChatExport, exportOpenAiChat } from "../src/conversation/export/openai-chat.ts";
import { exportOpenAiResponses, type ResponsesExport } from "../src/conversation/export/openai-responses.ts";
import { roundsOf } from "../src/conversation/export/rounds.ts";
import { isBlank, wireCallId } from "../src/conversation/export/well-formed.ts";
import type { View } from "../src/model/view.ts";
import { anyView, conversationSteps } from "./support/any-view.ts";
import fc from "./support/fast-check.ts";
import { checkOpenAiChat } from "./support/providers/check-openai-chat.ts";
import { checkOpenAiResponses } from "./support/providers/check-openai-responses.ts";
import { sampleView } from "./support/sample-view.ts";

const RUNS = { numRuns: 1500 };

interface Sent {
  /** The ids of calls and of results, in the order they are sent. */
  readonly calls: string[];
  readonly results: string[];
  readonly userTexts: string[];
}

const APIS = [
  { api: "anthropic", make: exportAnthropic, check: checkAnthropic, sent: sentToAnthropic, idChars: 64 },
  { api: "openai-chat", make: exportOpenAiChat, check: checkOpenAiChat, sent: sentToChat, idChars: 40 },
  {
    api: "openai-responses",
    make: exportOpenAiResponses,
    check: checkOpenAiResponses,
    sent: sentToResponses,
    idChars: 64,
  },
] as const;

describe.each(APIS)("any view exported for $api (C6)", ({ make, check, sent, idChars }) => {
  const sentOf = (view: View): Sent => (sent as (exported: unknown) => Sent)(make(view));

  test("is taken as history, and as a request while a turn is open", () => {
    fc.assert(
      fc.property(anyView(), (view) => {
        const exported = make(view);
        expect(check(exported, { forRequest: false })).toEqual([]);
        if (view.openTurn !== null && view.items.length > 0)
          expect(check(exported, { forRequest: true })).toEqual([]);
      }),
      RUNS,
    );
  });

  test("is the same each time, and the same after it went over the wire", () => {
    fc.assert(
      fc.property(anyView(), (view) => {
        const exported = make(view);
        expect(make(structuredClone(view))).toStrictEqual(exported);
        expect(JSON.parse(JSON.stringify(exported))).toStrictEqual(exported);
      }),
      RUNS,
    );
  });

  test("holds every call exactly once and in order, each with exactly one result", () => {
    fc.assert(
      fc.property(anyView(), (view) => {
        const { calls, results } = sentOf(view);
        expect(calls).toEqual(expectedIds(view, idChars));
        expect(results).toEqual(calls);
        expect(new Set(calls).size).toBe(calls.length);
      }),
      RUNS,
    );
  });

  test("holds every text a user said, in order and unaltered but for lone surrogates", () => {
    fc.assert(
      fc.property(anyView(), (view) => {
        const { userTexts } = sentOf(view);
        let from = 0;
        for (const text of saidByUsers(view)) {
          const at = userTexts.indexOf(text, from);
          expect(at, `lost or moved: ${JSON.stringify(text)}`).toBeGreaterThanOrEqual(from);
          from = at + 1;
        }
      }),
      RUNS,
    );
  });

  test("never lets through what was forgotten", () => {
    fc.assert(
      fc.property(anyView({ secret: "s3cr3t-t0k3n" }), (view) => {
        expect(JSON.stringify(make(view))).not.toContain("s3cr3t-t0k3n");
      }),
      RUNS,
    );
  });
});

test("R4: what a model was shown when it answered is how every later view begins (C5, C7)", () => {
  fc.assert(
    fc.property(
      conversationSteps(),
      fc.subarray(["t0", "t1", "t2", "t3"]),
      ({ steps, requests }, stopped) => {
        const whole = roundsOf(sampleView(steps, { stoppedTurns: stopped }));
        for (const { length, turn } of requests) {
          // Stopped by then were turns before it.
          const stoppedTurns = stopped.filter((one) => one < turn);
          const asked = roundsOf(sampleView(steps.slice(0, length), { openTurn: turn, stoppedTurns }));
          expect(whole.slice(0, asked.length)).toEqual(asked);
        }
      },
    ),
    RUNS,
  );
});

function expectedIds(view: View, maxChars: number): string[] {
  const seen = new Map<string, number>();
  return view.items.flatMap((item) => {
    if (item.kind !== "call") return [];
    const occurrence = (seen.get(item.id) ?? 0) + 1;
    seen.set(item.id, occurrence);
    return [wireCallId({ id: item.id, occurrence }, maxChars)];
  });
}

function saidByUsers(view: View): string[] {
  return view.items.flatMap((item) => {
    if (item.kind !== "message" || item.role !== "user" || item.isForgotten) return [];
    return item.parts.flatMap((part) => {
      const text: unknown = part?.type === "text" ? part.text : null;
      return typeof text === "string" && !isBlank(text) ? [text.toWellFormed()] : [];
    });
  });
}

function sentToAnthropic({ messages }: AnthropicExport): Sent {
  const blocks = messages.flatMap(({ role, content }) => content.map((block) => ({ role, block })));
  return {
    calls: blocks.flatMap(({ block }) => (block.type === "tool_use" ? [block.id] : [])),
    results: blocks.flatMap(({ block }) => (block.type === "tool_result" ? [block.tool_use_id] : [])),
    userTexts: blocks.flatMap(({ role, block }) =>
      role === "user" && block.type === "text" ? [block.text] : [],
    ),
  };
}

function sentToChat({ messages }: ChatExport): Sent {
  return {
    calls: messages.flatMap((message) =>
      "tool_calls" in message ? message.tool_calls.map((call) => call.id) : [],
    ),
    results: messages.flatMap((message) => (message.role === "tool" ? [message.tool_call_id] : [])),
    userTexts: messages.flatMap((message) => {
      if (message.role !== "user") return [];
      if (typeof message.content === "string") return [message.content];
      return message.content.flatMap((part) => (part.type === "text" ? [part.text] : []));
    }),
  };
}

function sentToResponses({ input }: ResponsesExport): Sent {
  return {
    calls: input.flatMap((item) => (item.type === "function_call" ? [item.call_id] : [])),
    results: input.flatMap((item) => (item.type === "function_call_output" ? [item.call_id] : [])),
    userTexts: input.flatMap((item) => {
      if (item.type !== "message" || item.role !== "user") return [];
      return item.content.flatMap((part) => (part.type === "input_text" ? [part.text] : []));
    }),
  };
}
