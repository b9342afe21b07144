/** What the agent's own list of what is to be done had left, each time it told it (T2: its word, and this one speaks against it). */
import { bodyAs, type StoredRecord } from "../../model/record.ts";
import type { PlanFact } from "../../triage/facts/known/triage-facts.ts";

/** Named in one sentence; of more their number says enough. */
const MAX_NAMED_ITEMS = 3;
const MAX_ITEM_CHARS = 80;

/** Null: no plan is told in it. */
export function planIn(record: StoredRecord): PlanFact | null {
  const planned = bodyAs(record, "agent.planned");
  if (!planned) return null;
  const left = planned.items.filter(({ state }) => state !== "done");
  const named = left.slice(0, MAX_NAMED_ITEMS).map(({ text }) => shortened(text));
  return { seq: record.seq, left: left.length, named };
}

function shortened(text: string): string {
  const [line = ""] = text.trim().split("\n", 1);
  return line.length > MAX_ITEM_CHARS ? `${line.slice(0, MAX_ITEM_CHARS - 1)}…` : line;
}
