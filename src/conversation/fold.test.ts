import { expect, test } from "vitest";
import fc from "../../test/support/fast-check.ts";
import { journalOf, type Told } from "../../test/support/journal-of.ts";
import { RECORD_KINDS } from "../model/record.ts";
import { Fold } from "./fold.ts";

const folded = (...told: Told[]): Fold => {
  const fold = new Fold();
  for (const record of journalOf(...told)) fold.add(record);
  return fold;
};
const text = (words: string) => ({ type: "text", text: words });
const BEGAN: Told = ["turn.began", { turn: "t", parts: [text("hello")], input: null }];
const OPENED: Told = ["message.opened", { message: "m", turn: "t", role: "assistant" }];
const grew = (...parts: object[]): Told => ["message.grew", { message: "m", parts }];
const ended = (state: string, ...parts: object[]): Told => ["message.ended", { message: "m", state, parts }];
const started = (call: string): Told => [
  "call.started",
  { call, turn: "t", tool: "run", input: { a: 1 }, effect: "none" },
];

test("C1: an input stands in the conversation where a turn took it, not where it was queued, and once", () => {
  const fold = folded(
    ["input.queued", { input: "a", parts: [text("first")], from: null }],
    ["input.queued", { input: "b", parts: [text("second")], from: null }],
    ["turn.began", { turn: "t", parts: null, input: "b" }],
    ["message.added", { turn: "t", role: "assistant", parts: [text("answer")] }],
    ["input.taken", { input: "a", turn: "t" }],
  );
  const shown = fold.items.map((item) =>
    item.kind === "message" ? [item.seq, item.role, item.parts[0]?.text] : [],
  );
  expect(shown).toEqual([
    [3, "user", "second"],
    [4, "assistant", "answer"],
    [5, "user", "first"],
  ]);
});

test("C7: a turn that goes on without an input shows no user message", () => {
  const fold = folded(
    BEGAN,
    ["turn.ended", { turn: "t", outcome: "interrupted", reason: null }],
    ["turn.began", { turn: "u", parts: null, input: null }],
  );
  expect(fold.items).toHaveLength(1);
  expect(fold.openTurn).toBe("u");
});

test("C8: a turn has the outcome its end said, and is open until then", () => {
  const fold = folded(BEGAN);
  expect([fold.openTurn, fold.turns.get("t")?.outcome]).toEqual(["t", null]);
  const over = folded(BEGAN, ["turn.ended", { turn: "t", outcome: "cancelled", reason: "r" }]);
  expect([over.openTurn, over.turns.get("t")?.outcome]).toEqual([null, "cancelled"]);
});

test("C3: a streamed message is one message with one text, whatever number of flushes it came in", () => {
  const fold = folded(BEGAN, OPENED, grew(text("a")), grew(text("b"), text("c")), ended("final", text("d")));
  expect(fold.items[1]).toMatchObject({ id: "m", seq: 2, state: "final", parts: [text("abcd")] });
  expect(fold.items).toHaveLength(2);
});

test("C3: a message nobody ended is open, one that was cut off keeps what had been flushed", () => {
  expect(folded(BEGAN, OPENED, grew(text("half"))).items[1]).toMatchObject({
    state: "open",
    parts: [text("half")],
  });
  const cut = folded(BEGAN, OPENED, grew(text("half")), ended("cut-off"));
  expect(cut.items[1]).toMatchObject({ state: "cut-off", parts: [text("half")] });
});

test("C3: reasoning runs together until its signature or its encrypted form closes it; none of these is lost", () => {
  const think = (words: string, more: object = {}) => ({ type: "thinking", text: words, ...more });
  const parts = folded(
    BEGAN,
    OPENED,
    grew(think("a")),
    grew(think("b", { signature: "S1" })),
    grew(think("c")),
    grew(think("", { encrypted: "E1" })),
    ended("final", think("", { encrypted: "E2" }), text("so")),
  ).items[1];
  expect(parts).toMatchObject({
    parts: [
      think("ab", { signature: "S1" }),
      think("c", { encrypted: "E1" }),
      think("", { encrypted: "E2" }),
      text("so"),
    ],
  });
});

test("D5: fields a part has besides its text are kept: parts that carry any do not run together", () => {
  const cited = (words: string, n: number) => ({ type: "text", text: words, citations: [n] });
  const { parts } = folded(
    BEGAN,
    OPENED,
    grew(cited("a", 1)),
    grew(cited("b", 2)),
    ended("final", text("c"), text("d")),
  ).items[1] as { parts: unknown };
  expect(parts).toEqual([cited("a", 1), cited("b", 2), text("cd")]);
});

test("D5: parts of unknown kinds are kept in their place", () => {
  const odd = { type: "hologram", angle: 3 };
  expect(folded(BEGAN, OPENED, ended("final", text("a"), odd, text("b"))).items[1]).toMatchObject({
    parts: [text("a"), odd, text("b")],
  });
});

test("C2: a call shows its result inside it, and an open one has none", () => {
  const done: Told = ["call.ended", { call: "c", status: "done", output: "out", synthetic: false }];
  const fold = folded(BEGAN, started("c"), started("d"), done);
  expect(fold.items.slice(1)).toMatchObject([
    {
      kind: "call",
      id: "c",
      seq: 2,
      effect: "none",
      result: { seq: 4, status: "done", output: "out", isSynthetic: false },
    },
    { kind: "call", id: "d", result: null },
  ]);
});

test("C4: a call id used again after its end is another call, and each has its own result", () => {
  const result = (output: string): Told => [
    "call.ended",
    { call: "c", status: "done", output, synthetic: false },
  ];
  const fold = folded(BEGAN, started("c"), result("one"), started("c"), result("two"));
  const outputs = fold.items.flatMap((item) => (item.kind === "call" ? [item.result?.output] : []));
  expect(outputs).toEqual(["one", "two"]);
});

test("D5: a damaged row is counted and costs only itself; a forgotten one keeps its place and says so", () => {
  const fold = new Fold();
  const [began, added, after] = journalOf(
    BEGAN,
    ["message.added", { turn: "t", role: "assistant", parts: [text("lost")] }],
    ["message.added", { turn: "t", role: "assistant", parts: [text("kept")] }],
  );
  if (!began || !added || !after) throw new Error("three records");
  fold.add({ ...began, isForgotten: true, body: { forgotten: true, turn: "t", input: null } });
  fold.add({ ...added, isDamaged: true, body: {} });
  fold.add(after);
  expect([fold.damaged, fold.head, fold.openTurn]).toEqual([1, 3, "t"]);
  expect(fold.items).toMatchObject([
    { seq: 1, role: "user", parts: [], isForgotten: true },
    { seq: 3, parts: [text("kept")], isForgotten: false },
  ]);
});

test("patches of one record are merged key by key, the later one wins", () => {
  const fold = folded(
    BEGAN,
    ["patched", { record: "r1", metadata: { a: 1, b: 1 } }],
    ["patched", { record: "r1", metadata: { b: 2 } }],
    ["patched", { record: "r1", metadata: [] }],
  );
  expect(fold.metadata.get("r1")).toEqual({ a: 1, b: 2 });
});

test("D5: no body of any kind, known or unknown, whole or not, makes the fold fail", () => {
  const kind = fc.constantFrom(...Object.keys(RECORD_KINDS), "x.unknown");
  const body = fc.dictionary(
    fc.constantFrom(
      "turn",
      "input",
      "call",
      "message",
      "parts",
      "role",
      "state",
      "record",
      "metadata",
      "from_seq",
      "to_seq",
      "reason",
      "summary",
      "outcome",
    ),
    fc.oneof(fc.constantFrom("t", "m", "c", null, 1, [], {}), fc.jsonValue({ maxDepth: 2 })),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(kind, body), { maxLength: 20 }), (told) => {
      const fold = folded(...(told as Told[]));
      expect(fold.head).toBe(told.length);
      expect(fold.items.length).toBeLessThanOrEqual(told.length);
    }),
    { numRuns: 300 },
  );
});
