import { expect, test } from "vitest";
import { journalOf, type Told } from "../../test/support/journal-of.ts";
import { manualClock } from "../../test/support/manual-clock.ts";
import { type Effect, openingsOf, RECORD_KINDS } from "../model/record.ts";
import { type AttemptEnd, closeLeftOpen, type OpenThing, unknownOutcome } from "./close-left-open.ts";

const clock = manualClock(77);

/** The things these records leave open, as the store would list them. */
function opened(...told: Told[]): OpenThing[] {
  return journalOf(...told).flatMap((record) => {
    const { opens } = openingsOf(record.kind, record.body);
    return opens ? [{ row: { ...opens, seq: record.seq }, opened: record }] : [];
  });
}

const TURN: Told = ["turn.began", { turn: "t", parts: null, input: null }];
const MESSAGE: Told = ["message.opened", { message: "m", turn: "t", role: "assistant" }];
const call = (id: string, effect: unknown): Told => [
  "call.started",
  { call: id, turn: "t", tool: "x", input: {}, effect },
];

const end = (cause: string, count: number): AttemptEnd => ({ cause, count, call: null });

test("nothing open, or only an input and an operation: nothing to close, and both stay as they are", () => {
  const input: Told = ["input.queued", { input: "i", parts: [], from: null }];
  const operation: Told = ["operation.began", { operation: "o", label: "l", paths: null }];
  for (const things of [[], opened(input, operation)]) {
    expect(closeLeftOpen(clock, things, end("unknown", 1))).toEqual({ records: [], recovered: null });
  }
});

test("C3, C4, C8: calls are answered first, then messages cut off, then turns interrupted, then one record tells all of it", () => {
  const { records, recovered } = closeLeftOpen(
    clock,
    opened(TURN, call("c", "none"), MESSAGE, call("d", "unknown")),
    end("reboot", 2),
  );
  expect(records.map(({ kind, body }) => [kind, body.call ?? body.message ?? body.turn ?? null])).toEqual([
    ["call.ended", "c"],
    ["call.ended", "d"],
    ["message.ended", "m"],
    ["turn.ended", "t"],
    ["recovered", null],
  ]);
  expect(records.map(({ body }) => body)).toMatchObject([
    { status: "unknown-outcome", synthetic: true },
    { status: "unknown-outcome", synthetic: true },
    { state: "cut-off", parts: [] },
    { outcome: "interrupted", reason: "reboot" },
    { cause: "reboot", turns: ["t"], calls: ["c", "d"], messages: ["m"], dirty_ends: 2 },
  ]);
  expect(recovered).toEqual({ cause: "reboot", turns: ["t"], calls: ["c", "d"], messages: ["m"] });
  expect(new Set(records.map(({ atMs }) => atMs))).toEqual(new Set([77]));
});

test("every record it writes fits the schema of its kind", () => {
  for (const { kind, body } of closeLeftOpen(clock, opened(TURN, call("c", "none"), MESSAGE), end("lost", 1))
    .records) {
    const spec = RECORD_KINDS[kind as keyof typeof RECORD_KINDS];
    expect(spec.body.safeParse(body).success).toBe(true);
  }
});

test.each<[unknown, Effect]>([
  ["none", "none"],
  ["idempotent", "idempotent"],
  ["unknown", "unknown"],
  ["harmless, surely", "unknown"],
  [undefined, "unknown"],
])("C4: an open call whose effect is %s is graded as %s, never better", (given, effect) => {
  const [record] = closeLeftOpen(clock, opened(TURN, call("c", given)), end("unknown", 1)).records;
  expect(record?.body.output).toBe(unknownOutcome(effect));
});

test("C4: only a tool that only reads is called safe to call again; the others say that it may have happened", () => {
  expect(unknownOutcome("none")).toMatch(/calling it again is safe/);
  expect(unknownOutcome("idempotent")).toMatch(/may have happened/);
  expect(unknownOutcome("unknown")).toMatch(/may have happened.*Check/);
  for (const effect of ["idempotent", "unknown"] as const)
    expect(unknownOutcome(effect)).not.toMatch(/is safe/);
});

test("a call whose record is damaged or forgotten is closed all the same, as unknown", () => {
  const [thing] = opened(call("c", "none"));
  if (!thing) throw new Error("one thing");
  const damaged = { ...thing, opened: { ...thing.opened, isDamaged: true, body: {} } };
  const [record] = closeLeftOpen(clock, [damaged], end("unknown", 1)).records;
  expect(record?.body).toMatchObject({ call: "c", output: unknownOutcome("unknown") });
});
