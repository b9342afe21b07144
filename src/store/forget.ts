/**
 * `forget`: erasing on the user's order (the one exception of D2). Bodies become their shape, contents only
 * they named go, and records of each session say that and why. A session somebody holds is refused: its
 * owner has the bodies in memory and would go on with them.
 *
 * What is to be erased is written down first (erase-order.ts), then it goes page by page, each in one transaction with a record that says so and
 * whether more follows: nobody waits for more than a page, and after a kill the rest is erased by whoever writes next (finish-erasures.ts).
 */
import { RefloatError } from "../model/errors.ts";
import type { RecordId, SessionId } from "../model/ids.ts";
import { encodeJson } from "../model/json.ts";
import type { NewRecord } from "../model/record.ts";
import { crashPoint } from "../platform/crash-point.ts";
import { randomId } from "../platform/random.ts";
import type { GcResult, SessionRow } from "./contract/driver.ts";
import { encodeRecord } from "./contract/encode-record.ts";
import { beginOrder, type ForgetOrdered } from "./erase-order.ts";
import {
  candidates,
  type ErasedPage,
  type ForgetSelector,
  type MeantOfSession,
  pages,
  selectorWords,
  survey,
  theOneGiven,
} from "./forget-selection.ts";
import { livenessOfHolder } from "./holder.ts";
import { describeOwner } from "./refusal-error.ts";
import type { Store } from "./store.ts";

export type { ForgetSelector } from "./forget-selection.ts";

export interface ForgetResult {
  readonly sessions: number;
  readonly records: number;
  readonly contents: number;
  readonly bytes: number;
  /** Sessions left alone because somebody holds them. */
  readonly held: readonly string[];
}

export async function forget(
  store: Store,
  asked: ForgetSelector,
  options: { dryRun?: boolean } = {},
): Promise<ForgetResult> {
  const selector = theOneGiven(asked);
  const sessions: MeantOfSession[] = [];
  const held: string[] = [];
  let records = 0;
  for await (const row of candidates(store, selector)) {
    const { session, upTo, withStory, isErased, ...found } = await survey(store, row, selector);
    // Of a session that is erased already, copies may be left in the store's files: those are cleared again.
    if (found.records === 0 && !(isErased && "session" in selector)) continue;
    if (isHeld(row)) {
      if ("session" in selector) throw heldError(row);
      held.push(row.id);
      continue;
    }
    sessions.push({ session, upTo, withStory });
    records += found.records;
  }
  if (options.dryRun || sessions.length === 0)
    return { sessions: sessions.length, records, contents: 0, bytes: 0, held };
  const order: ForgetOrdered = { what: "forget", selector, sessions };
  const { end } = await beginOrder(store, order);
  const done = await end(() => forgetOrdered(store, order));
  return { ...done, held: [...held, ...done.held] };
}

/** Also of what is erased in part: erased records are passed over. Sessions that somebody has taken since are left, and named. */
export async function forgetOrdered(
  store: Store,
  { selector, sessions }: ForgetOrdered,
  how: "first" | "again" = "first",
): Promise<ForgetResult> {
  const total = { sessions: 0, records: 0, contents: 0, bytes: 0, held: [] as string[] };
  for (const meant of sessions) {
    const done = await erasePages(store, meant, selector, how);
    if (done.isHeld) total.held.push(meant.session);
    else total.sessions++;
    total.records += done.records;
    total.contents += done.contents;
    total.bytes += done.bytes;
  }
  crashPoint("forget.before-clear");
  // What goes for its room is not to be hidden: that is used again, and given back by `gc`.
  if (!("heldBy" in selector)) await store.driver.clearFiles();
  return total;
}

interface PagesErased {
  readonly records: number;
  readonly contents: number;
  readonly bytes: number;
  readonly isHeld: boolean;
}

async function erasePages(
  store: Store,
  meant: MeantOfSession,
  selector: ForgetSelector,
  how: "first" | "again",
): Promise<PagesErased> {
  const total = { records: 0, contents: 0, bytes: 0 };
  for await (const page of pages(store, meant, selector)) {
    const row = await store.session(meant.session);
    if (!row) break;
    // Whoever was killed had come to the end of this one.
    if (how === "again" && page.records.length === 0 && !(await isUnderWay(store, meant.session))) break;
    if (isHeld(row)) return { ...total, isHeld: true };
    const freed = await erasePage(store, meant.session, page, noteOf(store, selector, page));
    total.records += page.records.length;
    total.contents += freed.contents;
    total.bytes += freed.bytes;
  }
  return { ...total, isHeld: false };
}

async function isUnderWay(store: Store, session: SessionId): Promise<boolean> {
  const [last] = await store.records({ session, kinds: ["forgotten"], order: "backward", limit: 1 });
  return last?.body.under_way === true;
}

/** One transaction. The files are cleared once, when all of it is erased. */
export async function erasePage(
  store: Store,
  session: SessionId,
  page: ErasedPage,
  note: NewRecord,
): Promise<GcResult> {
  const freed = await store.driver.forget({
    session,
    records: page.records.map(({ seq, shape }) => ({ seq, body: encodeJson(shape) })),
    isForRoom: true,
    note: { ...encodeRecord(note, "anyone").raw, facts: page.facts },
  });
  crashPoint("forget.after-page");
  return freed;
}

export function isHeld(row: SessionRow): boolean {
  const { liveness } = livenessOfHolder(row);
  return liveness !== null && liveness.kind !== "dead";
}

export function heldError({ id: session, claim }: SessionRow): RefloatError {
  const by = claim.owner ? describeOwner(claim.owner) : "";
  return new RefloatError("E_HELD", { session, by, since: "now" });
}

export function noteOf(store: Store, selector: ForgetSelector, { records, isLast }: ErasedPage): NewRecord {
  const body = {
    ...{ records: records.length, contents: 0, selector: selectorWords(selector) },
    reason: selector.reason ?? "by order of the user",
    ...(isLast ? {} : { under_way: true }),
  };
  return { id: randomId() as RecordId, kind: "forgotten", atMs: store.clock.nowMs(), body };
}
