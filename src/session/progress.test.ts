import { expect, test } from "vitest";
import type { RecordId, SessionId } from "../model/ids.ts";
import type { JsonObject } from "../model/json.ts";
import type { StoredRecord } from "../model/record.ts";
import { callKey, progressIn, type SessionProgress } from "./progress.ts";

type Told = readonly [kind: string, body: JsonObject];
const journal = (told: readonly Told[]): StoredRecord[] =>
  told.map(([kind, body], i) => ({
    session: "s" as SessionId,
    seq: i + 1,
    id: `r${i}` as RecordId,
    kind,
    attempt: 1,
    atMs: 0,
    body,
    isForgotten: false,
    isDamaged: false,
  }));

const TAKEN: Told = ["claim.taken", { attempt: 1 }];
const RECOVERED: Told = ["recovered", { cause: "unknown" }];
let calls = 0;
const call = (input: string, status = "done", synthetic = false): Told[] => {
  const id = `c${calls++}`;
  return [
    ["call.started", { call: id, tool: "bash", input }],
    ["call.ended", { call: id, status, synthetic }],
  ];
};
const turn = (outcome: string): Told => ["turn.ended", { turn: "t", outcome }];
const capture = (head: string, paths: Record<string, string>, how = "status"): Told => [
  "capture.taken",
  {
    how,
    head: { id: head },
    entries: Object.entries(paths).map(([path, hash]) => ({ path, state: { hash } })),
  },
];

test.each<[string, SessionProgress | null, readonly Told[]]>([
  ["nothing", null, [TAKEN]],
  ["a completed turn", "turn", [TAKEN, turn("completed")]],
  ["a turn that failed or was cut off", null, [TAKEN, turn("failed"), turn("interrupted")]],
  ["a finished call", "call", [TAKEN, ...call("make")]],
  ["a call that failed", null, [TAKEN, ...call("make", "failed")]],
  ["a call that recovery ended", null, [TAKEN, ...call("make", "done", true)]],
  ["a completed turn of before", null, [TAKEN, turn("completed"), TAKEN, RECOVERED, TAKEN]],
  ["the same call again", null, [TAKEN, ...call("make"), TAKEN, RECOVERED, TAKEN, ...call("make")]],
  [
    "the same call and a new one",
    "call",
    [TAKEN, ...call("a"), TAKEN, RECOVERED, TAKEN, ...call("a"), ...call("b")],
  ],
  [
    "work before a person lifted it",
    null,
    [TAKEN, turn("completed"), ["session.lifted", { reason: "r" }], TAKEN],
  ],
  ["one capture and nothing to compare it with", null, [TAKEN, capture("h1", { a: "1" })]],
  ["a first attempt that changed a file", "capture", [TAKEN, capture("h1", {}), capture("h1", { a: "1" })]],
  [
    "a first attempt that changed nothing",
    null,
    [TAKEN, capture("h1", { a: "1" }), capture("h1", { a: "1" })],
  ],
  [
    "a second attempt that left what the first left",
    null,
    [
      TAKEN,
      capture("h", {}),
      TAKEN,
      RECOVERED,
      capture("h", { a: "1" }),
      TAKEN,
      capture("h", { a: "1" }),
      capture("h", { a: "1" }),
    ],
  ],
  [
    "a second attempt that left something else",
    "capture",
    [
      TAKEN,
      capture("h", {}),
      TAKEN,
      RECOVERED,
      capture("h", { a: "1" }),
      TAKEN,
      capture("h", { a: "1" }),
      capture("h", { a: "2" }),
    ],
  ],
  [
    "a second attempt whose owner found the first one dead and left what that left",
    null,
    [TAKEN, capture("h", {}), capture("h", { a: "1" }), TAKEN, RECOVERED, capture("h", { a: "1" })],
  ],
  [
    "a third attempt of the same kind, after a first that changed a file",
    null,
    [
      ...[TAKEN, capture("h", {}), capture("h", { a: "1" })],
      ...[TAKEN, RECOVERED, capture("h", { a: "1" }), TAKEN, RECOVERED, capture("h", { a: "1" })],
    ],
  ],
  [
    "a second attempt of the same kind that left something else",
    "capture",
    [TAKEN, capture("h", {}), capture("h", { a: "1" }), TAKEN, RECOVERED, capture("h", { a: "2" })],
  ],
  ["a new commit", "commit", [TAKEN, capture("h1", { a: "1" }), capture("h2", {})]],
  [
    "captures of known paths only, which say nothing of the rest",
    null,
    [TAKEN, capture("h", {}, "paths"), capture("h", { a: "1" }, "paths")],
  ],
])("L2: %s is progress: %s", (_what, progress, told) => {
  expect(progressIn(journal(told))).toBe(progress);
});

test("L2: a call is the same by its tool and input, whatever its id", () => {
  expect(callKey("bash", { command: "x" })).toBe(callKey("bash", { command: "x" }));
  expect(callKey("bash", { command: "x" })).not.toBe(callKey("bash", { command: "y" }));
  expect(callKey("bash", undefined)).toMatch(/^bash [0-9a-f]{16}$/);
});
