/**
 * The library card (DESIGN 11): one object that begins sessions, lists them, follows them, recovers what
 * dead owners left and closes. It wires the rooms below; it decides nothing itself.
 */
import type { BeginOptions } from "../../conversation/begin.ts";
import type { OwnRecord, OwnRecordsRange } from "../../conversation/own-records.ts";
import type { Session, TakeCapture } from "../../conversation/session.ts";
import { parseHash, parseId, type SessionId } from "../../model/ids.ts";
import type { OwnKind } from "../../model/own-kind.ts";
import type { StoredRecord } from "../../model/record.ts";
import type { Environment } from "../../platform/places.ts";
import { homeOfStore } from "../../platform/store-address.ts";
import type { RecoveredSession } from "../../recover/recover-sessions.ts";
import type { FindUnsettled, SessionSummary } from "../../session/describe.ts";
import type { StoredContent } from "../../store/content-store.ts";
import type { SessionFilter, SessionRow } from "../../store/contract/driver.ts";
import type { DeleteResult } from "../../store/delete-session.ts";
import type { FollowOptions } from "../../store/follow.ts";
import type { ForgetResult, ForgetSelector } from "../../store/forget.ts";
import { addressOf, knowsSession, type OpenStoreOptions, openRawStore } from "../../store/open-raw-store.ts";
import type { JournalRange, Store } from "../../store/store.ts";
import type { LookedTrees } from "../../workspace/trust/open-trusted.ts";
import type { FindActed } from "../../workspace/unsettled/held-unsettled.ts";
import { capturesFor } from "./captures-for.ts";
import type { DeleteOptions } from "./delete.ts";
import { assertMayLift, type RecoverySurroundings, recoveryFor } from "./recovery-for.ts";
import { sessionSteps } from "./session-steps.ts";

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

export async function openStore(url?: string, options: OpenStoreOptions = {}): Promise<RefloatStore> {
  const address = url ?? addressOf(options);
  if (options.acceptLoss) await assertMayAcceptLoss(address, options.env ?? process.env);
  const raw = await openRawStore(url, options);
  const captures = capturesFor(raw, address);
  const describe = describer(raw);
  const steps = sessionSteps(raw);
  const recoverWith = async (): Promise<RecoverySurroundings> => {
    const env = options.env ?? process.env;
    return { env, home: homeOfStore(address, env), ...(await captures.workspaces()) };
  };
  return {
    begin: async (begin) => {
      if (begin.lift !== undefined) await assertMayLift(begin.id ?? null);
      // Who only looks never begins one.
      const { beginSession } = await import("../../conversation/begin.ts");
      const session = await beginSession(raw, {
        takeCapture: capturer(raw, begin.workspace),
        openCaptures: (of) => captures.open(of, begin.workspace, begin.onCaptureFailed ?? (() => undefined)),
        recovery: recoveryFor(raw, begin, recoverWith),
        ...begin,
      });
      steps.begun();
      return session;
    },
    sessions: async (filter) => describe(await raw.sessions(filter)),
    session: async (id) => {
      const row = await raw.session(parseId<SessionId>("session", id));
      return row ? ((await describe([row]))[0] ?? null) : null;
    },
    records: (session: string, of: JournalRange | string | OwnKind = {}, range?: OwnRecordsRange) => {
      const id = parseId<SessionId>("session", session);
      const isOwn = typeof of === "string" || "schema" in of;
      return (isOwn ? recordsOf(raw, id, of, range) : raw.journal(id, of)) as AsyncGenerator<never>;
    },
    putContent: (source) => raw.putContent(source),
    readContent: (hash) => raw.readContent(parseHash(hash)),
    describe,
    recover: async () => {
      const { recover } = await import("../recovery/recover.ts");
      const { recoveredIn } = await import("../../recover/recover-sessions.ts");
      const { workspaceAt, ...how } = await recoverWith();
      return recoveredIn(await recover({ store: raw, ...how, where: { kind: "everywhere", workspaceAt } }));
    },
    stop: async (session, reason = "asked to stop") => {
      const { orderStop } = await import("../../conversation/order-stop.ts");
      return orderStop(raw, parseId<SessionId>("session", session), reason);
    },
    follow: (session, fromSeq, how) => raw.follow(parseId<SessionId>("session", session), fromSeq, how),
    forget: async (selector) => {
      const { forgetNow } = await import("./forget.ts");
      const env = options.env ?? process.env;
      return forgetNow({ store: raw, env, home: homeOfStore(address, env), selector });
    },
    delete: async (session, order = {}) => {
      const { deleteNow } = await import("./delete.ts");
      const env = options.env ?? process.env;
      const described = async (id: SessionId): Promise<SessionSummary | null> => {
        const row = await raw.session(id);
        return row ? ((await describe([row]))[0] ?? null) : null;
      };
      const home = homeOfStore(address, env);
      return deleteNow({ ...order, store: raw, env, home, session, describe: described });
    },
    close: async () => {
      await steps.stop();
      await captures.done();
      await raw.close();
    },
    home: homeOfStore(address, options.env ?? process.env),
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

/** T2: what was lost may be what speaks against whoever is judged. Asked of a store that cannot be opened yet. */
export async function assertMayAcceptLoss(address: string, env: Environment): Promise<void> {
  const { assertNotJudged } = await import("../../workspace/trust/judged-session.ts");
  await assertNotJudged(env, { session: (id) => knowsSession(address, id) }, "accept a loss");
}

/** The workspace's room is loaded when the first capture is asked for: a chat gateway never needs it. */
function capturer(raw: Store, place: string): TakeCapture {
  return async (session, note) => {
    const { takeCapture } = await import("../../workspace/captures/take-capture.ts");
    const { openTrusted } = await import("../../workspace/trust/open-trusted.ts");
    const env = process.env;
    const workspace = openTrusted(raw, place, env);
    const options = { env, session: session as SessionId, note, place, reason: "manual" as const };
    const { id, seq, capture } = await takeCapture(raw, workspace, options);
    return { id, seq, partial: capture.partial };
  };
}

/** What nobody has recorded yet is told as a recovery would; that room is loaded only where something died. */
function describer(raw: Store): RefloatStore["describe"] {
  const findUnsettled = unsettledFinder(raw);
  return async (rows, trees) => {
    const { describeRows } = await import("../../session/describe.ts");
    const summaries = await describeRows(raw, rows, (some) => findUnsettled(some, trees));
    if (!summaries.some(({ state }) => state === "interrupted" || state === "suspended")) return summaries;
    const { asFound } = await import("../../recover/survey-session.ts");
    return asFound(raw, rows, summaries);
  };
}

/** Only sessions that were captured, or are to be, are looked after; a store without any never loads the workspace's room. */
function unsettledFinder(
  raw: Store,
): (rows: readonly SessionRow[], trees?: LookedTrees) => ReturnType<FindUnsettled> {
  return async (rows, trees) => {
    const captured = rows.filter(
      ({ facts }) => facts.capture !== undefined || facts.owes_end_capture === true,
    );
    if (captured.length === 0) return new Set();
    const { unsettledAmong } = await import("../../workspace/unsettled/unsettled.ts");
    // Plans are read only of sessions whose tree is another by now.
    const findActed: FindActed = async (...about) =>
      (await import("../../acts/plans/session-acts.ts")).actedInName(...about);
    return unsettledAmong(raw, captured, process.env, findActed, trees);
  };
}
