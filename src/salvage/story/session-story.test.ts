/** Who ended a turn, as its record tells it (L7). */
import { expect, it } from "vitest";
import type { RecordId } from "../../model/ids.ts";
import type { StoredRecord } from "../../model/record.ts";
import { storyOf } from "./session-story.ts";

const record = (seq: number, id: string, kind: string, body: object): StoredRecord =>
  ({ seq, id: id as RecordId, kind, atMs: 0, body }) as unknown as StoredRecord;

/** A turn that was ended by a record with this id and these fields. */
function endedBy(id: string, more: object): string | null | undefined {
  const body = { turn: "t", outcome: "completed", reason: null, ...more };
  const records = [record(1, "turn:t", "turn.began", { turn: "t" }), record(2, id, "turn.ended", body)];
  return storyOf(records, { records: [], marked: [], isCutShort: false }, 2).turns[0]?.endedBy;
}

it("is the agent's word or its exit code as the record says; one of an older supervisor, which says nothing, is an exit code (L7)", () => {
  expect(endedBy("x1", { by: "exit" })).toBe("exit");
  expect(endedBy("turn-end:t", { by: "agent" })).toBe("agent");
  expect(endedBy("x1", {})).toBe("exit");
  expect(endedBy("turn-end:t", {})).toBe("agent");
  expect(endedBy("turn-end:other", {})).toBe("exit");
});

it("is no end where only the last words read like one: nothing is closed by it (L7)", () => {
  const inferred = (more: object): boolean => {
    const body = { turn: "t", outcome: "completed", reason: null, by: "exit", ...more };
    const records = [record(1, "turn:t", "turn.began", { turn: "t" }), record(2, "e", "turn.ended", body)];
    return storyOf(records, { records: [], marked: [], isCutShort: false }, 2).turns[0]?.isInferred === true;
  };
  expect(inferred({ by: "inferred" })).toBe(true);
  expect(inferred({})).toBe(false);
});
