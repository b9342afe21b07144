import { expect, test } from "vitest";
import type { RecordId } from "../../model/ids.ts";
import type { OpenRef } from "../../model/record.ts";
import type { RawNewRecord } from "../contract/driver.ts";
import { planOpen } from "./open-plan.ts";

const turn: OpenRef = { what: "turn", id: "t" };
const call: OpenRef = { what: "call", id: "c" };

function record(touches: Partial<Pick<RawNewRecord, "opens" | "closes" | "needs" | "within">>): RawNewRecord {
  const none = { opens: null, closes: null, needs: null, within: null };
  return {
    id: "r" as RecordId,
    kind: "k",
    atMs: 0,
    body: "{}",
    spilled: null,
    contents: [],
    facts: null,
    ...none,
    ...touches,
  };
}

test("what a change opens and closes itself asks only that it was not open before, and changes nothing", () => {
  expect(planOpen([record({ opens: turn }), record({ needs: turn }), record({ closes: turn })])).toEqual({
    checks: [{ ref: turn, must: "not-be-open", otherwise: "already-open" }],
    closes: [],
    opens: [],
  });
});

test("closing what was open before and opening it again replaces it, at the position of the later record", () => {
  expect(planOpen([record({ needs: turn, closes: call }), record({ opens: call })])).toEqual({
    checks: [
      { ref: turn, must: "be-open", otherwise: "not-open" },
      { ref: call, must: "be-open", otherwise: "not-open" },
    ],
    closes: [call],
    opens: [{ ref: call, position: 2 }],
  });
});

test("what a record is part of must be open, also where it closes something else", () => {
  expect(planOpen([record({ closes: call, within: turn })])).toEqual({
    checks: [
      { ref: call, must: "be-open", otherwise: "not-open" },
      { ref: turn, must: "be-open", otherwise: "not-open" },
    ],
    closes: [call],
    opens: [],
  });
  expect(planOpen([record({ closes: turn }), record({ needs: call, within: turn })]).checks).toContainEqual({
    ref: turn,
    must: "never",
    otherwise: "not-open",
  });
});

test("closing twice and opening twice in one change is refused whatever the store holds", () => {
  expect(planOpen([record({ closes: turn }), record({ closes: turn })]).checks).toEqual([
    { ref: turn, must: "be-open", otherwise: "not-open" },
    { ref: turn, must: "never", otherwise: "not-open" },
  ]);
  expect(planOpen([record({ opens: turn }), record({ opens: turn })]).checks).toEqual([
    { ref: turn, must: "not-be-open", otherwise: "already-open" },
    { ref: turn, must: "never", otherwise: "already-open" },
  ]);
});
