/** Both ends of an ACP connection are untrusted (T3): a line that is odd costs itself, and never one beside it. */
import { describe, expect, it } from "vitest";
import { changed, odd } from "../../../test/agents/hostile-json.ts";
import fc from "../../../test/support/fast-check.ts";
import type { Heard } from "../words/heard.ts";
import { AcpEars, type AcpHeard } from "./acp-ears.ts";

type From = "client" | "agent";
type Message = readonly [From, unknown];

const S = "ses-1";
const asked = (id: number, method: string, params: object): Message => [
  "client",
  { jsonrpc: "2.0", id, method, params },
];
const answered = (id: number, result: object): Message => ["agent", { jsonrpc: "2.0", id, result }];
const update = (one: object): Message => [
  "agent",
  { jsonrpc: "2.0", method: "session/update", params: { sessionId: S, update: one } },
];
const call = (toolCallId: unknown, more: object = {}): Message =>
  update({
    sessionUpdate: "tool_call",
    toolCallId,
    title: "sleep",
    kind: "execute",
    status: "in_progress",
    ...more,
  });
const over = (toolCallId: string): Message =>
  update({
    ...{ sessionUpdate: "tool_call_update", toolCallId, status: "completed" },
    content: [{ type: "content", content: { type: "text", text: "slept" } }],
  });
const chunk = (text: string): Message =>
  update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });

/** A turn as editors and agents have it. */
const TURN: readonly Message[] = [
  asked(1, "session/new", { cwd: "/work", mcpServers: [] }),
  answered(1, { sessionId: S }),
  asked(2, "session/prompt", { sessionId: S, prompt: [{ type: "text", text: "go" }] }),
  update({
    sessionUpdate: "plan",
    entries: [
      { content: "sleep", priority: "high", status: "in_progress" },
      { content: "rest", priority: "low", status: "pending" },
    ],
  }),
  chunk("I will "),
  chunk("sleep."),
  call("c1", { rawInput: { command: "sleep 1" }, locations: [{ path: "/work/a" }] }),
  [
    "agent",
    {
      ...{ jsonrpc: "2.0", id: "p1", method: "session/request_permission" },
      params: {
        ...{ sessionId: S, toolCall: { toolCallId: "c1", rawInput: { command: "sleep 1" } } },
        options: [{ optionId: "y", name: "Allow", kind: "allow_once" }],
      },
    },
  ],
  ["client", { jsonrpc: "2.0", id: "p1", result: { outcome: { outcome: "selected", optionId: "y" } } }],
  [
    "agent",
    {
      ...{ jsonrpc: "2.0", id: "w1", method: "fs/write_text_file" },
      params: { sessionId: S, path: "/work/a", content: "new\n" },
    },
  ],
  ["client", { jsonrpc: "2.0", id: "w1", result: null }],
  over("c1"),
  chunk("Done."),
  answered(2, { stopReason: "end_turn" }),
];

interface Listening {
  readonly heard: readonly Heard[];
  readonly odd: readonly string[];
}

/** Each line in pieces of these sizes, one after the other; the rest whole. */
function listen(lines: readonly (readonly [From, string])[], sizes: readonly number[] = []): Listening {
  const unheard: string[] = [];
  const ears = new AcpEars(
    1,
    () => "old\n",
    (error) => unheard.push(error.message),
  );
  const heard: AcpHeard[] = [];
  let which = 0;
  for (const [from, text] of lines) {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; ) {
      const size = sizes.length === 0 ? bytes.length : (sizes[which++ % sizes.length] ?? bytes.length);
      heard.push(...ears.take(from, bytes.subarray(at, at + size)));
      at += size;
    }
  }
  return { heard: heard.map((one) => one.heard), odd: unheard };
}

const lineOf = ([from, message]: Message): readonly [From, string] => [from, `${JSON.stringify(message)}\n`];
const hear = (...messages: readonly Message[]): Listening => listen(messages.map(lineOf));
const kinds = ({ heard }: Listening): readonly string[] => heard.map(({ kind }) => kind);

const GOLDEN = [
  ...["session", "turn-began", "message", "plan", "message", "call", "message", "call", "result"],
  ...["result", "message", "turn-ended"],
];

describe("what passes over ACP", () => {
  it("C1, C2, L7: is a prompt, a plan, answers, calls, what was permitted, writes and the end of the turn", () => {
    const told = hear(...TURN);
    expect([...kinds(told)].sort()).toEqual([...GOLDEN].sort());
    expect(told.heard.at(-1)).toMatchObject({ kind: "turn-ended", outcome: "completed", proof: "record" });
    expect(told.odd).toEqual([]);
  });

  it("is the same wherever its pieces end", () => {
    const whole = hear(...TURN);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 8 }), (sizes) => {
        expect(listen(TURN.map(lineOf), sizes)).toEqual(whole);
      }),
      { numRuns: 50 },
    );
  });
});

describe("an odd line over ACP", () => {
  it.each([
    ["a place that is nothing", { locations: [null] }, { paths: [] }],
    ["places that are no list", { locations: { path: "/a" } }, { paths: [] }],
    ["a place among others without a path", { locations: [{ line: 3 }, { path: "/a" }] }, { paths: ["/a"] }],
    ["a title that is a number", { title: 7 }, { tool: "execute" }],
    ["a kind that every object has", { kind: "constructor" }, { does: "other" }],
    ["another that every object has", { kind: "__proto__" }, { does: "other" }],
    ["a kind that is a list", { kind: ["execute"] }, { does: "other" }],
    ["content of nothing", { content: [null, 3, { type: "diff" }] }, { edits: [] }],
  ])("with %s is heard without it (D6)", (_what, more, expected) => {
    const { heard, odd } = hear(call("c1", { rawInput: {}, ...more }));
    expect(heard).toEqual([expect.objectContaining({ kind: "call", id: "c1", ...expected })]);
    expect(odd).toEqual([]);
  });

  it("with a plan's state that every object has is of an open item", () => {
    const entries = [
      { content: "a", status: "constructor" },
      null,
      { content: 3 },
      { content: "b", status: "completed" },
    ];
    expect(hear(update({ sessionUpdate: "plan", entries })).heard).toEqual([
      expect.objectContaining({
        items: [
          { text: "a", state: "open" },
          { text: "b", state: "done" },
        ],
      }),
    ]);
  });

  it("that cannot be what it says is named, and costs itself alone (D6, L7)", () => {
    const told = hear(
      ...TURN.slice(0, 3),
      call(7),
      update({ sessionUpdate: "plan", entries: 3 }),
      ...TURN.slice(3),
    );
    expect([...kinds(told)].sort()).toEqual([...GOLDEN].sort());
    expect(told.odd).toHaveLength(2);
    expect(told.odd[0]).toContain("tool_call");
  });

  it("of another kind of update, or another method, is nobody's to hear, and nothing is said of it", () => {
    const other = [
      update({ sessionUpdate: "usage", tokens: 3 }),
      update({ sessionUpdate: "agent_thought_chunk" }),
    ];
    expect(hear(...other, ["agent", { method: "_x/y", params: { sessionId: S } }])).toEqual({
      heard: [],
      odd: [],
    });
  });

  it("nested without end is heard without its depths, and the end of its turn is told (L7)", () => {
    const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
    const lines = TURN.map(lineOf).map(([from, text]) => [from, text.replace('"sleep 1"', deep)] as const);
    const told = listen(lines);
    expect([...kinds(told)].sort()).toEqual([...GOLDEN].sort());
    expect(() => JSON.stringify(told.heard)).not.toThrow();
  });

  it("D6, L7, T3: costs no other line a word, whatever it is and wherever the pieces end", () => {
    const whole = hear(...TURN);
    const hostile = fc.oneof(
      fc
        .record({ at: fc.nat(), path: fc.array(fc.nat(40), { minLength: 1, maxLength: 7 }), put: odd })
        .map(({ at, path, put }) => {
          const [from, message] = TURN[at % TURN.length] ?? ["agent", null];
          // Of a conversation of its own: what is said of this one would be believed.
          const text = JSON.stringify(changed(message, path, put)) ?? "";
          return [
            from,
            `${text.replaceAll(S, "other").replaceAll(/"id":"?(\w+)"?/g, '"id":"x$1"')}\n`,
          ] as const;
        }),
      fc.constantFrom(
        ["agent", "{half\n"] as const,
        ["client", "\u0000\n"] as const,
        ["agent", "[]\n"] as const,
      ),
    );
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(TURN.length), hostile), { maxLength: 6 }),
        fc.array(fc.integer({ min: 1, max: 300 }), { maxLength: 6 }),
        (put, sizes) => {
          const lines = TURN.map(lineOf).flatMap((line, at) => [
            ...put.flatMap(([where, text]) => (where === at ? [text] : [])),
            line,
          ]);
          const unheard: string[] = [];
          const ears = new AcpEars(
            1,
            () => "old\n",
            (error) => unheard.push(error.message),
          );
          const own: Heard[] = [];
          let which = 0;
          for (const [from, text] of lines) {
            const bytes = Buffer.from(text);
            for (let at = 0; at < bytes.length; ) {
              const size = sizes[which++ % Math.max(1, sizes.length)] ?? bytes.length;
              for (const { nativeId, heard } of ears.take(from, bytes.subarray(at, at + size)))
                if (nativeId === S) own.push(heard);
              at += size;
            }
          }
          expect(own).toEqual(whole.heard);
        },
      ),
      { numRuns: 300 },
    );
  });
});
