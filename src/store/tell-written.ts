/** What was written under a claim, told inside this process once it is on disk (platform/observed.ts, T1). Nothing is made where nobody listens. */
import type { SessionId } from "../model/ids.ts";
import type { NewRecord, StoredRecord } from "../model/record.ts";
import { isHeard, tellRecords } from "../platform/observed.ts";
import type { AppendChange, FirstOutcome, TakeChange } from "./contract/driver.ts";

/** Hands the outcome on. `attempt` null: written by somebody without the claim, which is told by whoever did (session-journal.ts). */
export function tellWritten<T extends { readonly seqs: readonly number[] }>(
  session: SessionId,
  attempt: number | null,
  records: readonly NewRecord[],
  outcome: T,
): T {
  if (attempt === null || !isHeard()) return outcome;
  const whole = { isForgotten: false, isDamaged: false };
  const told = records.map(({ id, kind, atMs, body }, at): StoredRecord => {
    return { session, seq: outcome.seqs[at] ?? 0, id, kind, attempt, atMs, body, ...whole };
  });
  tellRecords(told);
  return outcome;
}

type FirstChange = (Pick<AppendChange, "kind" | "session" | "by"> | Pick<TakeChange, "kind" | "session">) & {
  readonly records: readonly NewRecord[];
};

/** Of a queue's journal, which has no claim, nothing is told. */
export function tellFirst(
  candidates: readonly (readonly FirstChange[])[],
  first: FirstOutcome,
): FirstOutcome {
  if (first.kind !== "done") return first;
  for (const [at, change] of (candidates[first.place] ?? []).entries()) {
    const outcome = first.outcomes[at];
    if (outcome?.kind !== "done" || (change.kind === "append" && change.by === "anyone")) continue;
    tellWritten(change.session, outcome.attempt, change.records, outcome);
  }
  return first;
}
