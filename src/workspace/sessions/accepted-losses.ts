/**
 * Records that are known to be gone for good (D5, D7), and those of them that the user has accepted: what is lost stays lost and
 * stays told, but from his order on it is history. `doctor` is quiet about it, and `prove` proves the rest.
 */
import { LOSSES_SESSION, type SessionId } from "../../model/ids.ts";
import { bodyAs } from "../../model/record.ts";
import { newRecord } from "../../session/new-record.ts";
import type { Store } from "../../store/store.ts";
import { ensureSession } from "./capture-session.ts";

export interface LostRange {
  readonly session: string;
  /** Sequence numbers, both of them lost. */
  readonly from: number;
  readonly to: number;
}

export type IsAccepted = (loss: LostRange) => boolean;

const keyOf = ({ session, from, to }: LostRange): string => JSON.stringify([session, from, to]);

export async function acceptedLosses(store: Store): Promise<IsAccepted> {
  const accepted = new Set<string>();
  if (await store.session(LOSSES_SESSION))
    for await (const record of store.journal(LOSSES_SESSION, { kinds: ["loss.accepted"] })) {
      const loss = bodyAs(record, "loss.accepted");
      if (loss) accepted.add(keyOf(loss));
    }
  return (loss) => accepted.has(keyOf(loss));
}

/** Ends of journals that the store's note, or a log that was cut off, has shown to be gone. */
export async function lostEnds(store: Store): Promise<LostRange[]> {
  const { losses } = await store.driver.info();
  return losses.map(({ session, found, expected }) => ({
    session: String(session),
    from: Number(found) + 1,
    to: Number(expected),
  }));
}

/** Everything that is known to be lost, accepted or not, each range once. */
async function knownLosses(store: Store): Promise<LostRange[]> {
  const known = new Map((await lostEnds(store)).map((loss) => [keyOf(loss), loss]));
  for await (const { id } of store.everySession())
    for (const loss of await lostRows(store, id)) known.set(keyOf(loss), loss);
  return [...known.values()];
}

async function lostRows(store: Store, session: SessionId): Promise<LostRange[]> {
  const records = await store.records({ session, kinds: ["rows.lost"] });
  const ranges = records.flatMap((record) => bodyAs(record, "rows.lost")?.ranges ?? []);
  return ranges.map(([from, to]) => ({ session, from, to }));
}

/** By the user's order; what he accepted before is not written again. */
export async function acceptLosses(store: Store): Promise<LostRange[]> {
  const isAccepted = await acceptedLosses(store);
  const fresh = (await knownLosses(store)).filter((loss) => !isAccepted(loss));
  if (fresh.length === 0) return [];
  await ensureSession(store, LOSSES_SESSION, { agent: "refloat", workspace: "", goal: null, name: "losses" });
  const records = fresh.map((loss) => newRecord(store.clock, "loss.accepted", { ...loss }));
  await store.append(LOSSES_SESSION, "anyone", records);
  return fresh;
}
