/** What stays of a record whose content was forgotten. */
import { expect, test } from "vitest";
import { shapeOf } from "./record.ts";

test.each([
  ["call.ended", { call: "c", status: "unknown-outcome", synthetic: true, stopped: true }, { output: "x" }],
  ["session.suspended", { reason: "3 dirty ends", by: "escalation" }, { said: "x" }],
  ["session.lifted", { reason: "a new input: m2", input: "m2" }, { said: "x" }],
  [
    "recovered",
    { cause: "timeout", turns: ["t"], calls: [], messages: [], dirty_ends: 0, asked: true },
    { evidence: ["x"] },
  ],
])("of a forgotten %s stays what is judged by (L2, L4)", (kind, judgedBy, content) => {
  expect(shapeOf(kind, { ...judgedBy, ...content })).toEqual({ forgotten: true, ...judgedBy });
});
