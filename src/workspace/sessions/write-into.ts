/**
 * How a command of a moment writes into a session that somebody else holds for hours (K1, K5). It takes no claim:
 *  - under a mark it writes under the attempt the mark names; the store refuses it when that attempt is over, in the
 *    transaction that writes, as it would refuse the owner: a leftover cannot speak for the attempt after it;
 *  - outside of any mark under the attempt that is live at that moment, with `from: outside` in the record;
 *  - where none lives, into the session named `manual`, claimed for the moment of the write.
 */
import { RefloatError } from "../../model/errors.ts";
import type { SessionId } from "../../model/ids.ts";
import type { NewRecord } from "../../model/record.ts";
import { selfOwner } from "../../platform/identity.ts";
import type { Environment } from "../../platform/places.ts";
import { Held, takeClaim } from "../../session/claims.ts";
import { parseMark } from "../../session/leftovers.ts";
import { newRecord } from "../../session/new-record.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import type { Store } from "../../store/store.ts";
import { manualSession, targetSession } from "./capture-session.ts";

/** Others write to `manual` for milliseconds each; a longer wait means that one of them hangs. */
const MANUAL_WAIT_MS = 10_000;
const LOOK_AGAIN_MS = 20;
/** The live session may end between the look and the write, and another begin. */
const MAX_ROUNDS = 5;

export interface WriteWhere {
  readonly root: string;
  readonly place: string;
  readonly env: Environment;
}

export interface WrittenRecord {
  readonly session: SessionId;
  readonly attempt: number;
  readonly seq: number;
  readonly from: WrittenFrom;
}

/** `mark`: a process of the session itself said so (T2: its own claim). */
export type WrittenFrom = "mark" | "outside" | "manual";

/** `record` may look into the session first: what it ends must be open there. */
export type MakeRecord = (session: SessionId, from: WrittenFrom) => NewRecord | Promise<NewRecord>;

export async function writeInto(store: Store, where: WriteWhere, make: MakeRecord): Promise<WrittenRecord> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const row = await targetSession(store, where.root, where.place, where.env);
    if (!row) return writeIntoManual(store, where.root, make);
    try {
      return await writeUnder(store, row, where.env, make);
    } catch (thrown) {
      const isOver = thrown instanceof RefloatError && thrown.code === "E_FENCED";
      if (!isOver || attemptInMark(where.env) !== null) throw thrown;
    }
  }
  throw new RefloatError("E_STORE_BUSY", { ms: 0 });
}

async function writeUnder(
  store: Store,
  row: SessionRow,
  env: Environment,
  make: MakeRecord,
): Promise<WrittenRecord> {
  const marked = attemptInMark(env);
  const from = marked === null ? "outside" : "mark";
  const attempt = marked ?? row.claim.attempt;
  const { seqs } = await store.append(row.id, { attempt }, [await make(row.id, from)]);
  return { session: row.id, attempt, seq: seqs[0] ?? 0, from };
}

const attemptInMark = (env: Environment): number | null =>
  env.REFLOAT_SESSION ? (parseMark(env.REFLOAT_SESSION)?.attempt ?? null) : null;

async function writeIntoManual(store: Store, root: string, make: MakeRecord): Promise<WrittenRecord> {
  const session = await manualSession(store, root);
  const untilMs = store.clock.monotonicMs() + MANUAL_WAIT_MS;
  for (;;) {
    try {
      const { attempt } = await takeClaim(store, {
        session,
        owner: selfOwner("refloat"),
        records: () => [],
      });
      return await writeAndRelease(store, session, attempt, make);
    } catch (thrown) {
      if (!(thrown instanceof Held) || store.clock.monotonicMs() > untilMs) throw thrown;
      await store.clock.sleep(LOOK_AGAIN_MS);
    }
  }
}

async function writeAndRelease(
  store: Store,
  session: SessionId,
  attempt: number,
  make: MakeRecord,
): Promise<WrittenRecord> {
  const released = newRecord(store.clock, "claim.released", { attempt });
  try {
    const { seqs } = await store.release(session, attempt, [await make(session, "manual"), released]);
    return { session, attempt, seq: seqs[0] ?? 0, from: "manual" };
  } catch (thrown) {
    await store.release(session, attempt, [released]).catch(() => undefined); // why it failed is the news
    throw thrown;
  }
}
