/** Ending a turn with all that belongs to its end in one step, and cutting one off that may not go on. */

import { closeLeftOpen } from "../conversation/close-left-open.ts";
import { findDirtyEnd } from "../conversation/dirty-end.ts";
import { CLOSED_BY_RECOVERY, openThings } from "../conversation/open-things.ts";
import type { Session } from "../conversation/session.ts";
import type { Turn } from "../conversation/turn.ts";
import { RefloatError } from "../model/errors.ts";
import type { SessionId } from "../model/ids.ts";
import { partsOfInput } from "../model/parts.ts";
import type { NewRecord, TurnOutcome } from "../model/record.ts";
import { NO_DIRTY_ENDS } from "../session/escalation.ts";
import { newRecord } from "../session/new-record.ts";
import type { Store } from "../store/store.ts";
import { type Deliveries, owe } from "./deliveries.ts";
import type { Answer, TurnInput } from "./options.ts";

export interface TurnEnd {
  readonly turn: Turn;
  readonly input: TurnInput | null;
  readonly outcome: Exclude<TurnOutcome, "interrupted">;
  readonly reason: string | null;
  readonly answer: Answer;
}

/** The answer, the turn's end and who is owed it are on disk together: there is no answered turn nobody is owed. */
export async function endTurn(
  store: Store,
  session: Session,
  deliveries: Deliveries,
  end: TurnEnd,
): Promise<void> {
  const { turn, input, answer } = end;
  // What a person stopped, the turn's own end closes, and says so.
  const records = end.outcome === "cancelled" ? [] : await leftOpen(store, session.id as SessionId);
  if (answer.kind === "silent") return turn.end(end.outcome, end.reason, records);
  const parts = partsOfInput(answer.parts);
  if (answer.kind === "reply") {
    records.push(newRecord(store.clock, "message.added", { turn: turn.id, role: "assistant", parts }));
  }
  const { record, owed } = owe(store.clock, { turn: turn.id, input, parts });
  await turn.end(end.outcome, end.reason, [...records, record]);
  deliveries.add(owed);
}

/** Calls the answer function did not end: nobody saw their end either (C4). Its messages end with the turn. */
async function leftOpen(store: Store, session: SessionId): Promise<NewRecord[]> {
  const open = await store.open(session, { what: ["call"] });
  if (open.length === 0) return [];
  const { records } = closeLeftOpen(store.clock, await openThings(store, session, { open }), {
    ...NO_DIRTY_ENDS,
    cause: "unknown",
  });
  return records.filter(({ kind }) => kind !== "recovered");
}

/** Each round something ended by itself between looking and writing; more than this is no race. */
const MAX_ROUNDS = 20;

/** Settles what is open as a dead owner's would be and gives the claim back: late writes are refused from here on (K1). True: a turn was interrupted by that. */
export async function cutOff(
  store: Store,
  session: Session,
  cause: string,
  { isAsked }: { readonly isAsked: boolean },
): Promise<boolean> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    try {
      const isInterrupted = await settleOpen(store, session, cause, { isAsked });
      await session.release();
      return isInterrupted;
    } catch (thrown) {
      if (!(thrown instanceof RefloatError && thrown.code === "E_NOT_OPEN")) throw thrown;
    }
  }
  throw new RefloatError("E_STORE_BUSY", { ms: 0 });
}

async function settleOpen(
  store: Store,
  session: Session,
  cause: string,
  { isAsked }: { readonly isAsked: boolean },
): Promise<boolean> {
  const id = session.id as SessionId;
  const row = await store.session(id);
  const things = await openThings(store, id, { open: await store.open(id, { what: CLOSED_BY_RECOVERY }) });
  const end = await findDirtyEnd(store, row, things, cause, { isAsked });
  const more = isAsked ? { asked: true } : {};
  const { records, recovered } = closeLeftOpen(store.clock, things, { ...end, cause }, more);
  if (records.length > 0) await store.append(id, { attempt: session.attempt }, records);
  return end.outcome !== "cancelled" && (recovered?.turns.length ?? 0) > 0; // what was asked to stop, nobody goes on with (L4)
}
