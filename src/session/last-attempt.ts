/**
 * The try a screen tells of. Recovering takes the claim, which is an attempt of its own (K1) though nobody tried again:
 * whose turn was cut off is the one before. A live session is told of itself, whatever it recovered when it began.
 */
import type { SessionRow } from "../store/driver.ts";
import type { Store } from "../store/store.ts";
import type { SessionSummary } from "./describe.ts";

export async function lastAttempt(
  store: Store,
  row: SessionRow,
  { state, attempt }: Pick<SessionSummary, "state" | "attempt">,
): Promise<number> {
  if (state === "live") return attempt;
  const newest = { session: row.id, order: "backward", limit: 1 } as const;
  const [turn] = await store.records({ ...newest, kinds: ["turn.began"] });
  const [recovered] = await store.records({ ...newest, kinds: ["recovered"] });
  const isRecovered = turn !== undefined && recovered !== undefined && recovered.seq > turn.seq;
  return isRecovered ? (turn.attempt ?? attempt) : attempt;
}
