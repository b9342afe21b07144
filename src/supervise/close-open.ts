/**
 * What is written about things that are open when an agent has exited by itself (DESIGN 9): its turn ends as it did,
 * its open calls get a result that says nobody saw them end (C4), its open messages are cut off (C3). Operations
 * stay open: only their author can say that they are done. Pure.
 */
import { type OpenThing, unseenResult } from "../conversation/close-left-open.ts";
import type { NewRecord, TurnOutcome } from "../model/record.ts";
import type { Clock } from "../platform/clock.ts";
import { newRecord } from "../session/new-record.ts";
import type { OpenRow } from "../store/contract/driver.ts";

export function closeOpen(clock: Clock, things: readonly OpenThing[], outcome: TurnOutcome): NewRecord[] {
  const order: readonly OpenRow["what"][] = ["call", "message", "turn"];
  return order.flatMap((what) =>
    things.filter(({ row }) => row.what === what).flatMap((thing) => closing(clock, thing, outcome)),
  );
}

function closing(clock: Clock, thing: OpenThing, outcome: TurnOutcome): NewRecord[] {
  const { row } = thing;
  switch (row.what) {
    case "call": {
      const result = unseenResult(thing, outcome === "cancelled" ? "stopped" : "ended");
      return [newRecord(clock, "call.ended", { call: row.id, ...result })];
    }
    case "message":
      return [newRecord(clock, "message.ended", { message: row.id, state: "cut-off", parts: [] })];
    case "turn":
      return [newRecord(clock, "turn.ended", { turn: row.id, outcome, reason: null, by: "exit" })];
    default:
      return [];
  }
}
