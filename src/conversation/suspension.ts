/** The record that suspends a session which died too often without getting anything done (L2), or none. */
import type { NewRecord } from "../model/record.ts";
import type { Clock } from "../platform/clock.ts";
import { type DirtyEnds, isToSuspend } from "../session/escalation.ts";
import { newRecord } from "../session/new-record.ts";
import type { SessionRow } from "../store/contract/driver.ts";

export function suspension(
  clock: Clock,
  row: Pick<SessionRow, "facts"> | null,
  ends: DirtyEnds,
): NewRecord[] {
  if (!isToSuspend(ends) || typeof row?.facts.suspended === "string") return [];
  // The tool's name; the hash behind it is for comparing.
  const inCall = ends.call === null ? "" : `, in the call of ${ends.call.replace(/ [0-9a-f]+$/, "")}`;
  const reason = `It ended ${ends.count} times without saying so and without getting anything done${inCall}.`;
  return [newRecord(clock, "session.suspended", { reason, by: "escalation" })];
}
