/** Arbitrary views: anything the journal could hold, likely or not, and conversations as agents really lead them. */

import type { Json } from "../../src/model/json.ts";
import type { Part } from "../../src/model/parts.ts";
import type { View } from "../../src/model/view.ts";
import fc from "./fast-check.ts";
import { end, type Step, sampleView, say, start } from "./sample-view.ts";

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";
const JPEG = "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBD";

/** Any UTF-16, so lone surrogates too. */
const utf16 = fc.string({
  unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
  maxLength: 12,
});
const blank = fc.constantFrom("", " ", "\n\t", "\u00a0", "\u001c", "\u0085", "\ufeff ");
const text = fc.oneof(
  fc.string({ maxLength: 20 }),
  utf16,
  blank,
  fc.string({ maxLength: 5 }).map((word) => `${word} \n`),
);
/** Few ids, so that they repeat; and ids like our own mapped ones. */
const callId = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("a", "b", "bash:0", "toolu_01AbC", "", "rf-a-0123456789ab") },
  {
    weight: 1,
    arbitrary: fc.oneof(utf16, fc.string({ maxLength: 90 }), fc.string({ minLength: 39, maxLength: 66 })),
  },
);
const toolName = fc.oneof(
  fc.constantFrom("bash", "mcp.server/tool", "", "x".repeat(210)),
  utf16,
  fc.string({ maxLength: 80 }),
);
const turn = fc.constantFrom("t1", "t1", "t1", "t2", "t3");

const media = fc.record(
  {
    type: fc.constant("media"),
    media_type: fc.constantFrom(
      "image/png",
      "image/jpg",
      "IMAGE/WEBP",
      "image/svg+xml",
      "application/pdf",
      "",
      "\ud800",
    ),
    data: fc.oneof(
      fc.constantFrom(PNG, JPEG, "", "====", "not base64", PNG.slice(1)),
      fc.base64String({ maxLength: 40 }),
    ),
    url: fc.constantFrom(
      "https://example.com/a.png",
      "http://example.com/a.png",
      `data:image/png;base64,${PNG}`,
      "file:///a",
      "https://",
      "x\ud800",
    ),
    content: fc.constant("0".repeat(64)),
    name: text,
  },
  { requiredKeys: ["type", "media_type"] },
);
const thinking = fc.record(
  {
    type: fc.constant("thinking"),
    text,
    signature: fc.oneof(fc.constantFrom("c2ln", ""), text),
    encrypted: fc.oneof(fc.constantFrom("gAAAAABqX1a7", ""), text),
  },
  { requiredKeys: ["type", "text"] },
);
/** Kept as they came, however strange (D5). */
const strange = fc.constantFrom<unknown>(
  null,
  "text",
  7,
  {},
  { type: "redacted_thinking", data: "x" },
  { type: "text" },
  { type: "media", media_type: "image/png", data: 5, url: null },
  { type: "thinking", text: "hm", signature: 5 },
);
const part = fc.oneof(
  { weight: 5, arbitrary: text.map((value) => ({ type: "text", text: value })) },
  { weight: 2, arbitrary: thinking },
  { weight: 2, arbitrary: media },
  { weight: 1, arbitrary: strange },
) as fc.Arbitrary<Part>;
const parts = fc.array(part, { maxLength: 4 });

/** As it is read back from a journal: -0 is 0 there. */
const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as Json);
const object = fc.dictionary(fc.oneof(utf16, fc.constantFrom("a", "__proto__")), json, {
  maxKeys: 4,
}) as fc.Arbitrary<Json>;
const output = fc.oneof(
  text,
  json,
  object,
  fc.constant(null),
  parts.map((list) => list as unknown as Json),
);

interface Options {
  /** A text that only forgotten bodies hold. */
  readonly secret?: string;
}

export function anyView({ secret }: Options = {}): fc.Arbitrary<View> {
  const hidden = (isForgotten: boolean, body: readonly Part[]) =>
    isForgotten && secret !== undefined ? [...body, { type: "text" as const, text: secret }] : body;
  const saying = fc
    .record({
      role: fc.constantFrom("user", "assistant", "assistant", "system"),
      parts,
      state: fc.constantFrom("final", "final", "open", "cut-off"),
      turn: fc.option(turn, { freq: 4 }),
      isSummary: fc.boolean(),
      isForgotten: fc.boolean(),
      rare: fc.integer({ min: 0, max: 4 }),
    })
    .map(({ role, parts: body, isSummary, isForgotten, rare, ...more }): Step => {
      const isGone = isForgotten && rare === 0;
      return say(role as "user", hidden(isGone, body), {
        ...more,
        isSummary: isSummary && rare === 1,
        isForgotten: isGone,
      } as object);
    });
  const starting = fc
    .record({
      call: callId,
      tool: toolName,
      input: fc.oneof(object, json),
      effect: fc.constantFrom("none", "idempotent", "unknown"),
      turn,
      isForgotten: fc.boolean(),
    })
    .map(({ call, input, ...more }): Step => {
      const kept = more.isForgotten && secret !== undefined ? { secret } : input;
      return start(call, { ...more, input: kept } as object);
    });
  const ending = fc
    .record({
      call: callId,
      output,
      status: fc.constantFrom("done", "done", "failed", "cancelled", "interrupted", "unknown-outcome"),
      isSynthetic: fc.boolean(),
      isForgotten: fc.boolean(),
    })
    .map(({ call, output: said, ...more }): Step => {
      const kept = more.isForgotten && secret !== undefined ? secret : said;
      return end(call, kept, more as object);
    });
  const step = fc.oneof(
    { weight: 4, arbitrary: saying },
    { weight: 3, arbitrary: starting },
    { weight: 3, arbitrary: ending },
  );
  return fc
    .record({
      steps: fc.array(step, { maxLength: 14 }),
      openTurn: fc.option(turn),
      stoppedTurns: fc.uniqueArray(turn, { maxLength: 2 }),
      earlier: fc.constantFrom(0, 3, null),
    })
    .map(({ steps, ...more }) => sampleView(steps, more));
}

/** A conversation as an agent leads it, and for each request to the model how many steps were there by then. */
export function conversationSteps(): fc.Arbitrary<{
  steps: Step[];
  requests: { length: number; turn: string }[];
}> {
  const word = fc.constantFrom("one", "two", "three");
  const answer = fc.record({
    said: fc.option(word),
    state: fc.constantFrom("final", "cut-off"),
    calls: fc.integer({ min: 0, max: 3 }),
    isSettledByRecovery: fc.boolean(),
    steering: fc.option(word),
  });
  const oneTurn = fc.record({
    input: fc.option(word),
    answers: fc.array(answer, { minLength: 1, maxLength: 4 }),
  });
  return fc.array(oneTurn, { minLength: 1, maxLength: 4 }).map((turns) => {
    const steps: Step[] = [say("user", "begin", { turn: "t0" })];
    const requests: { length: number; turn: string }[] = [];
    for (const [at, { input, answers }] of turns.entries()) {
      const turnId = `t${at}`;
      if (input !== null) steps.push(say("user", input, { turn: turnId }));
      for (const one of answers) {
        requests.push({ length: steps.length, turn: turnId });
        steps.push(...answerSteps(one, turnId, steps.length));
        // A whole answer without calls ends its turn.
        if (one.state === "final" && one.calls === 0) break;
      }
    }
    return { steps, requests };
  });
}

interface Answer {
  readonly said: string | null;
  readonly state: string;
  readonly calls: number;
  readonly isSettledByRecovery: boolean;
  readonly steering: string | null;
}

/** An answer is never empty; one that was cut off has no calls; calls run together and all get a result. */
function answerSteps(
  { said, state, calls, isSettledByRecovery, steering }: Answer,
  turnId: string,
  at: number,
): Step[] {
  const isCutOff = state === "cut-off";
  const ids = isCutOff ? [] : Array.from({ length: calls }, (_, nth) => `c${at}.${nth}`);
  const words = said ?? (ids.length === 0 ? "done" : null);
  const more = { turn: turnId, state: isCutOff ? "cut-off" : "final" } as const;
  return [
    ...(words === null ? [] : [say("assistant", words, more)]),
    ...ids.map((id) => start(id, { turn: turnId })),
    ...(steering === null || ids.length === 0 ? [] : [say("user", steering, { turn: turnId })]),
    ...ids.map((id) =>
      end(id, "ok", isSettledByRecovery ? { status: "unknown-outcome", isSynthetic: true } : {}),
    ),
  ];
}
