/**
 * The library card (DESIGN 11): one object that begins sessions, lists them, follows them, recovers what dead owners left and
 * closes. It decides nothing itself: what is looked at beside the store (a workspace, a dead agent's words) is handed in, by refloat
 * all of it (open-store.ts), by the core nothing (open-core.ts).
 */
import type { BeginOptions } from "../../conversation/begin.ts";
import type { OwnRecord, OwnRecordsRange } from "../../conversation/own-records.ts";
import type { Session } from "../../conversation/session.ts";
import { parseHash, parseId, type SessionId } from "../../model/ids.ts";
import type { OwnKind } from "../../model/own-kind.ts";
import type { StoredRecord } from "../../model/record.ts";
import type { RecoveredSession } from "../../recover/recover-sessions.ts";
import type { SessionSummary } from "../../session/describe.ts";
import type { StoredContent } from "../../store/content-store.ts";
import type { SessionFilter, SessionRow } from "../../store/contract/driver.ts";
import type { DeleteResult } from "../../store/delete-session.ts";
import type { FollowOptions } from "../../store/follow.ts";
import type { ForgetResult, ForgetSelector } from "../../store/forget.ts";
import type { JournalRange, Store } from "../../store/store.ts";
import type { LookedTrees } from "../../workspace/trust/open-trusted.ts";

export interface DeleteOptions {
  /** Also one that somebody holds, or that left work unsettled: what is held of that goes, too. */
  readonly force?: boolean;
  /** Why: the fact that the session was there and was removed stays, with its id. Left out: nothing of it stays. */
  readonly keepFact?: string;
}

export interface RefloatStore {
  begin(options: BeginOptions): Promise<Session>;
  sessions(filter?: SessionFilter): Promise<SessionSummary[]>;
  /** One session by its id; null: there is none. */
  session(id: string): Promise<SessionSummary | null>;
  /** What a session's journal holds, in order or from its end backwards, whoever holds it; of these kinds only, if given. */
  records(session: string, query?: JournalRange): AsyncGenerator<StoredRecord>;
  /** What was recorded of one kind of your own (`session.record`), by its schema where `ownKind` made it. */
  records(session: string, kind: string, range?: OwnRecordsRange): AsyncGenerator<OwnRecord>;
  records<Out>(
    session: string,
    kind: OwnKind<unknown, Out>,
    range?: OwnRecordsRange,
  ): AsyncGenerator<OwnRecord<Out>>;
  /** Holds bytes under their SHA-256. Collected by `gc` after an hour unless a record names it (`session.record(..., { contents })`). */
  putContent(source: Uint8Array | AsyncIterable<Uint8Array>): Promise<StoredContent>;
  /** The bytes, piece by piece, each verified; E_NO_CONTENT when the store does not hold them. */
  readContent(hash: string): AsyncGenerator<Uint8Array>;
  /** The same of rows already read. `trees`: of one look that only reads, in which others look, too. */
  describe(rows: readonly SessionRow[], trees?: LookedTrees): Promise<SessionSummary[]>;
  /** Settles every session whose owner is gone and that left something open. Safe to call from several processes at once. */
  recover(): Promise<RecoveredSession[]>;
  /** Asks a session to stop, whoever holds it: what waits is dropped, its owner ends the turn (L4). The dropped inputs' ids. */
  stop(session: string, reason?: string): Promise<string[]>;
  /** What is there from `fromSeq` on, then what comes. It outlives outages of the store by itself and goes on where it was. */
  follow(session: string, fromSeq?: number, how?: AbortSignal | FollowOptions): AsyncGenerator<StoredRecord>;
  forget(selector: ForgetSelector): Promise<ForgetResult>;
  /**
   * Removes a session whole: its records, its row and the contents only it named; of it stays nothing but, with `keepFact`, that and why.
   * One that somebody holds, or that left work nobody has settled, is refused unless `force`.
   */
  delete(session: string, options?: DeleteOptions): Promise<DeleteResult>;
  close(): Promise<void>;
  /** The folder beside it on this machine: where processes leave what a survivor may need. */
  readonly home: string;
  /** The store itself: records, contents, claims. */
  readonly raw: Store;
}

/** What the card asks of rooms beside the store's. */
export interface CardRooms extends Pick<RefloatStore, "describe" | "recover" | "forget" | "delete"> {
  /** Adds to what a caller gave what his sessions need of them. */
  begin(options: BeginOptions): Promise<BeginOptions>;
  begun(): void;
  /** Resolves when nothing of theirs is under way any more. */
  done(): Promise<void>;
}

export function cardOf(raw: Store, home: string, rooms: CardRooms): RefloatStore {
  const idOf = (session: string): SessionId => parseId<SessionId>("session", session);
  return {
    begin: async (given) => {
      const begin = await rooms.begin(given);
      // Who only looks never begins one.
      const { beginSession } = await import("../../conversation/begin.ts");
      const session = await beginSession(raw, begin);
      rooms.begun();
      return session;
    },
    sessions: async (filter) => rooms.describe(await raw.sessions(filter)),
    session: async (id) => {
      const row = await raw.session(idOf(id));
      return row ? ((await rooms.describe([row]))[0] ?? null) : null;
    },
    records: (session: string, of: JournalRange | string | OwnKind = {}, range?: OwnRecordsRange) => {
      const isOwn = typeof of === "string" || "schema" in of;
      const found = isOwn ? recordsOf(raw, idOf(session), of, range) : raw.journal(idOf(session), of);
      return found as AsyncGenerator<never>;
    },
    putContent: (source) => raw.putContent(source),
    readContent: (hash) => raw.readContent(parseHash(hash)),
    describe: rooms.describe,
    recover: rooms.recover,
    stop: async (session, reason = "asked to stop") => {
      const { orderStop } = await import("../../conversation/order-stop.ts");
      return orderStop(raw, idOf(session), reason);
    },
    follow: (session, fromSeq, how) => raw.follow(idOf(session), fromSeq, how),
    forget: rooms.forget,
    delete: rooms.delete,
    close: async () => {
      await rooms.done();
      await raw.close();
    },
    home,
    raw,
  };
}

/** Who never asks for records of his own kinds never loads what reads them. */
async function* recordsOf(
  raw: Store,
  session: SessionId,
  kind: string | OwnKind,
  range?: OwnRecordsRange,
): AsyncGenerator<OwnRecord<unknown>> {
  const { ownRecords } = await import("../../conversation/own-records.ts");
  yield* ownRecords(raw, session, kind, range);
}
