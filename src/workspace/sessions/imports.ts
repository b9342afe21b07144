/**
 * What came from elsewhere: of every session the records that an import brought, in one journal of the store's own. It is
 * written before they are there, no import can bring it, and it stays: a command that somebody else wrote does not become
 * the user's by lying here (T2).
 */
import { IMPORTS_SESSION, type SessionId } from "../../model/ids.ts";
import { bodyAs, type RecordKind } from "../../model/record.ts";
import { newRecord } from "../../session/new-record.ts";
import type { TakenRange } from "../../store/import.ts";
import type { Store } from "../../store/store.ts";
import { ensureSession } from "./capture-session.ts";

export async function markImported(
  store: Store,
  { session, fromSeq, toSeq, ids }: TakenRange,
): Promise<void> {
  await ensureSession(store, IMPORTS_SESSION, {
    agent: "refloat",
    workspace: "",
    goal: null,
    name: "imports",
  });
  const body = { session, from_seq: fromSeq, to_seq: toSeq, ids: [...ids] };
  await store.append(IMPORTS_SESSION, "anyone", [newRecord(store.clock, "session.imported", body)]);
}

export async function isImported(store: Store, session: SessionId, seq: number): Promise<boolean> {
  return (await importedRanges(store)).some((one) => one.session === session && isIn(one, seq));
}

/**
 * True: what says how a session began, what was started in it last, or where it is, came by an import: nobody here went on with it since.
 * Asked for many sessions, the imports are read once.
 */
export async function unresumedImports(store: Store): Promise<(session: SessionId) => Promise<boolean>> {
  const all = await importedRanges(store);
  return async (session) => {
    const ranges = all.filter((one) => one.session === session);
    if (ranges.length === 0) return false;
    const newest = [BEGUN, PLACED].map((kinds) =>
      store.records({ session, kinds, order: "backward", limit: 1 }),
    );
    return (await Promise.all(newest)).flat().some(({ seq }) => ranges.some((one) => isIn(one, seq)));
  };
}

const BEGUN = ["session.began", "agent.marked"] as const satisfies readonly RecordKind[];
const PLACED = ["session.moved", "agent.marked"] as const satisfies readonly RecordKind[];

/** Whether a record was laid upon its session by an import. */
export type LaidUpon = (record: { readonly seq: number; readonly id: string }) => boolean;

/**
 * What an import laid upon a session that was going on here: it is shown, and nothing is judged by it. Whoever wrote the file
 * could else end in it what was cut off here (L7, T2). A session that came from elsewhere from its first record on is told by
 * those who saw it, up to where it went on here.
 */
export async function laidUpon(store: Store): Promise<(session: SessionId) => LaidUpon> {
  const all = await importedRanges(store);
  return (session) => {
    const ranges = all.filter((one) => one.session === session).sort((a, b) => a.fromSeq - b.fromSeq);
    let cameTo = 0;
    for (const { fromSeq, toSeq } of ranges) if (fromSeq <= cameTo + 1) cameTo = Math.max(cameTo, toSeq);
    return ({ seq, id }) => seq > cameTo && ranges.some((one) => isIn(one, seq) && hasId(one, seq, id));
  };
}

/** A mark without ids is an older refloat's. */
const hasId = ({ fromSeq, ids }: TakenRange, seq: number, id: string): boolean =>
  ids.length === 0 || ids[seq - fromSeq] === id;

const isIn = ({ fromSeq, toSeq }: TakenRange, seq: number): boolean => fromSeq <= seq && seq <= toSeq;

const askedNow = new WeakMap<Store, Promise<TakenRange[]>>();

/** Asked for many sessions in one tick, they are read once: what is read for these is read no earlier. */
function importedRanges(store: Store): Promise<TakenRange[]> {
  const known = askedNow.get(store);
  if (known) return known;
  const reading = readRanges(store);
  askedNow.set(store, reading);
  setImmediate(() => askedNow.delete(store));
  return reading;
}

async function readRanges(store: Store): Promise<TakenRange[]> {
  if (!(await store.session(IMPORTS_SESSION))) return [];
  const ranges: TakenRange[] = [];
  for await (const record of store.journal(IMPORTS_SESSION, { kinds: ["session.imported"] })) {
    const body = bodyAs(record, "session.imported");
    if (!body) continue;
    const { from_seq: fromSeq, to_seq: toSeq, ids = [] } = body;
    ranges.push({ session: body.session as SessionId, fromSeq, toSeq, ids });
  }
  return ranges;
}
