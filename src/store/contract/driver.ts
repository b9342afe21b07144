/**
 * What a storage engine must do. Two drivers implement it (sqlite/, postgres/), one conformance suite
 * (test/conformance) holds both to it; everything above talks to `Store`, never to a driver.
 *
 * Numbered promises, cited where a driver keeps them:
 *  driver 1  `commit` is one transaction and one sync for the whole group; when it resolves, all of it is on disk (D1).
 *  driver 2  Each change of a group is all or nothing; a refused change leaves no trace and does not hurt the others.
 *  driver 3  Sequence numbers of a session are gapless and given inside the transaction (D3).
 *  driver 4  The fence, the id check, the open check and the content check happen inside that transaction (K1, D4, C1).
 *  driver 5  Journal row and projections (`open`, session row, references) change together or not at all.
 *  driver 6  Reads see whole commits only and leave no statement or transaction open when they return.
 */
import type { ContentHash, RecordId, SessionId } from "../../model/ids.ts";
import type { JsonObject } from "../../model/json.ts";
import type { Owner } from "../../model/owner.ts";
import type { OpenRef, OpenWhat } from "../../model/record.ts";
import type { Rest } from "./at-rest.ts";

/** A record on its way in: body already text, checked and bounded; large bodies already in the contents. */
export interface RawNewRecord {
  readonly id: RecordId;
  readonly kind: string;
  readonly atMs: number;
  /** JSON text; when `spilled` is set, the text of `{}` and the body is that content. */
  readonly body: string;
  readonly spilled: ContentHash | null;
  readonly opens: OpenRef | null;
  readonly closes: OpenRef | null;
  readonly needs: OpenRef | null;
  /** What it is part of: must be open, too. */
  readonly within: OpenRef | null;
  readonly contents: readonly ContentRef[];
  /** Merged over the session's facts (shallow; null deletes nothing, it sets null). */
  readonly facts: JsonObject | null;
  /** Refused with `sent` while this is open in its session; left out: nothing is in its way. */
  readonly unlessOpen?: OpenRef;
}

/** A record of a change with what the change says of it: under which attempt, and whether it is a forgotten one of an import. */
export interface StampedRecord {
  readonly record: RawNewRecord;
  readonly attempt: number | null;
  readonly isForgotten: boolean;
}

export interface ContentRef {
  readonly hash: ContentHash;
  readonly path: string | null;
}

export interface RawRecord {
  readonly session: SessionId;
  readonly seq: number;
  readonly id: RecordId;
  readonly kind: string;
  readonly attempt: number | null;
  readonly atMs: number;
  readonly body: string;
  readonly spilled: ContentHash | null;
  readonly isForgotten: boolean;
  /** CRC-32 as stored; `rowChecksum` of the fields above must equal it (D5). */
  readonly checksum: number;
}

/** Who writes: the holder of attempt n, or somebody without the claim (then only kinds `by: "anyone"`). */
export type Authority = { readonly attempt: number } | "anyone";

export interface AppendChange {
  readonly kind: "append";
  readonly session: SessionId;
  readonly by: Authority;
  readonly records: readonly RawNewRecord[];
  /** Refuse with `head-moved` unless the session's last sequence number is this (C5). */
  readonly expectHead?: number;
}

/** Takes the claim if it is still as seen; creates the session when `seen` is null. */
export interface TakeChange {
  readonly kind: "take";
  readonly session: SessionId;
  /** The claim the decision was made on. Null: the session must not exist yet. */
  readonly seen: { readonly attempt: number; readonly holder: string | null } | null;
  readonly owner: Owner;
  readonly nowMs: number;
  readonly thresholdMs: number;
  /** As of an append: what is recorded with the claim was decided on what the session held then. */
  readonly expectHead?: number;
  /** Appended under the new attempt, in the same transaction: `session.began`, `claim.taken`, settlements. */
  readonly records: readonly RawNewRecord[];
}

export interface ReleaseChange {
  readonly kind: "release";
  readonly session: SessionId;
  readonly attempt: number;
  readonly records: readonly RawNewRecord[];
}

export interface RenewChange {
  readonly kind: "renew";
  readonly session: SessionId;
  readonly attempt: number;
  readonly nowMs: number;
}

/** A session brought in from an export: exact sequence numbers, no fence; only onto the very end of what is there. */
export interface ImportChange {
  readonly kind: "import";
  readonly session: SessionId;
  /** The head the records continue; 0 creates the session. */
  readonly afterSeq: number;
  readonly attempt: number;
  readonly records: readonly (RawNewRecord & {
    readonly attempt: number | null;
    readonly isForgotten: boolean;
  })[];
}

/**
 * Contents of one chunk each, or empty, for a record of the same group or a later one to name: in the same transaction
 * where the engine can, else before it, never after. Never refused; not named by anybody they are harmless.
 */
export interface PutChange {
  readonly kind: "put";
  readonly contents: readonly Chunk[];
  readonly nowMs: number;
}

/** What changes a session. */
export type SessionChange = AppendChange | TakeChange | ReleaseChange | RenewChange | ImportChange;
export type StoreChange = SessionChange | PutChange;

export type Refusal =
  | { readonly kind: "fenced"; readonly current: number; readonly holder: Owner | null }
  | { readonly kind: "no-session" }
  | { readonly kind: "session-exists" }
  | { readonly kind: "claim-moved"; readonly claim: ClaimRow }
  | { readonly kind: "head-moved"; readonly head: number }
  | { readonly kind: "id-reused"; readonly id: string }
  | { readonly kind: "not-open"; readonly what: OpenWhat; readonly id: string }
  | { readonly kind: "already-open"; readonly what: OpenWhat; readonly id: string }
  | { readonly kind: "content-missing"; readonly hash: ContentHash }
  /** The session goes on in another store. */
  | { readonly kind: "sent" };

/** `seqs` has one number per record, in order. A repeat of the same ids and bodies is `done` with the old numbers (D4). */
export type ChangeOutcome =
  | {
      readonly kind: "done";
      readonly seqs: readonly number[];
      readonly head: number;
      readonly attempt: number;
      readonly isRepeat: boolean;
    }
  | { readonly kind: "refused"; readonly refusal: Refusal };

/** Changes that are made together or not at all. The first one's session must be there: who has it locked is working on it. */
export type Candidate = readonly SessionChange[];

/** `none`: each was refused; `isBusy`: or passed over, because somebody was just working on its first session. */
export type FirstOutcome =
  | { readonly kind: "done"; readonly place: number; readonly outcomes: readonly ChangeOutcome[] }
  | { readonly kind: "none"; readonly isBusy: boolean };

export interface ClaimRow {
  /** 0: never claimed. Only ever grows; it is the fencing token. */
  readonly attempt: number;
  readonly owner: Owner | null;
  readonly acquiredAtMs: number | null;
  readonly heartbeatAtMs: number | null;
  readonly thresholdMs: number;
}

/** Facts are computed from records by `factsOf` (store/contract/session-facts.ts) and merged by the driver. */
export interface SessionRow {
  readonly id: SessionId;
  readonly head: number;
  readonly facts: JsonObject;
  readonly claim: ClaimRow;
  /** The time of its last record: for people, never an order (D3). Left out: it has none, or nobody looked. */
  readonly lastAtMs?: number;
}

export interface SessionFilter {
  readonly workspace?: string;
  readonly name?: string;
  /** Ids that begin with this. */
  readonly prefix?: string;
  /** Only those that have not ended: what may live, or may be gone on with. */
  readonly isUnended?: true;
  /** Leaves out those at rest (at-rest.ts) that ended before this time: of ten thousand old ones no row is read. */
  readonly without?: { readonly rest: Rest; readonly endedBeforeMs: number };
  readonly limit?: number;
  /** Only sessions whose id sorts after this one (paging). */
  readonly after?: SessionId;
}

export interface OpenRow {
  readonly what: OpenWhat;
  readonly id: string;
  /** The record that opened it. */
  readonly seq: number;
}

export interface OpenRowOf extends OpenRow {
  readonly session: SessionId;
}

/** Left out: everything that is open. A queue of thousands is not read to find the call beside it. */
export interface OpenFilter {
  readonly what?: readonly OpenWhat[];
  readonly limit?: number;
}

export interface RecordQuery {
  readonly session: SessionId;
  /** Inclusive bounds. */
  readonly fromSeq?: number;
  readonly toSeq?: number;
  /** At most READ_PAGE_ROWS are returned. */
  readonly limit?: number;
  readonly order?: "forward" | "backward";
  readonly kinds?: readonly string[];
}

export interface ContentRow {
  readonly hash: ContentHash;
  readonly bytes: number;
  readonly chunks: readonly ContentHash[];
}

export interface RefRow extends ContentRef {
  readonly seq: number;
}

export interface Chunk {
  readonly hash: ContentHash;
  readonly bytes: Uint8Array;
}

export interface DriverInfo {
  readonly kind: "sqlite" | "postgres";
  /** Where it is, without a password. */
  readonly location: string;
  readonly storeId: string;
  readonly schema: number;
  readonly engine: string;
  readonly fileSystem: string | null;
  readonly sessions: number;
  readonly records: number;
  readonly contents: number;
  readonly contentBytes: number;
  /** Bytes on disk: database, log and all. */
  readonly bytes: number;
  /** Losses somebody accepted (D7), as they were written down. */
  readonly losses: readonly JsonObject[];
}

export interface GcResult {
  readonly contents: number;
  readonly bytes: number;
}

export interface ForgetChange {
  readonly session: SessionId;
  /** Records to erase, with the shape that stays. */
  readonly records: readonly { readonly seq: number; readonly body: string }[];
  /** Appended in the same transaction, by "anyone": that and why. */
  readonly note: RawNewRecord;
  /** Only for the room it takes: copies may stay in the files until that is used again. Left out: they go. */
  readonly isForRoom?: boolean;
}

/** Whoever wrote it says in its text what it is. */
export interface OrderRow {
  readonly id: string;
  readonly text: string;
}

/** A session to be removed whole, if its claim is still as seen. */
export interface DeleteChange {
  readonly session: SessionId;
  readonly seen: { readonly attempt: number; readonly holder: string | null };
  /** The fact, appended to a journal that is there, in the same transaction; null: none stays. */
  readonly note: { readonly session: SessionId; readonly record: RawNewRecord } | null;
}

export type DeleteOutcome =
  | { readonly kind: "deleted"; readonly result: GcResult & { readonly records: number } }
  /** It is gone, or its claim is another by now. */
  | { readonly kind: "moved" };

export interface Damage {
  readonly kind: "page" | "row" | "gap" | "content" | "projection";
  readonly where: string;
  readonly message: string;
}

export interface Driver {
  readonly kind: "sqlite" | "postgres";
  commit(group: readonly StoreChange[]): Promise<readonly ChangeOutcome[]>;
  /**
   * Makes the first candidate that can be made, in the order given, whole, and no other: one transaction, one sync. A candidate whose first
   * session somebody else is working on is passed over with all others of that session, so that nobody waits and none overtakes in it.
   */
  commitFirst(candidates: readonly Candidate[]): Promise<FirstOutcome>;
  readSession(id: SessionId): Promise<SessionRow | null>;
  /** In the order of their ids; at most SESSION_PAGE_ROWS. */
  listSessions(filter: SessionFilter): Promise<readonly SessionRow[]>;
  /** The ids alone, in their order; at most SESSION_PAGE_ROWS: for who counts them, or tells ids apart. */
  listSessionIds(filter: SessionFilter): Promise<readonly SessionId[]>;
  /** Every workspace a session is of, each once, as the facts name it; at most so many. */
  listWorkspaces(limit: number): Promise<readonly string[]>;
  readRecords(query: RecordQuery): Promise<readonly RawRecord[]>;
  readRecordById(session: SessionId, id: RecordId): Promise<RawRecord | null>;
  /** In the order of their records. */
  readOpen(session: SessionId, filter?: OpenFilter): Promise<readonly OpenRow[]>;
  /** Of these sessions what is open in each, in the order of their records; of many it is one question. At most READ_PAGE_ROWS sessions. */
  readOpenAmong(sessions: readonly SessionId[]): Promise<readonly OpenRowOf[]>;
  /** The contents that records of this range name. */
  readRefs(session: SessionId, fromSeq: number, toSeq: number): Promise<readonly RefRow[]>;
  /** Stores chunks it does not hold yet, in one short transaction; then, if given, the content made of them. E_NO_CONTENT if a chunk of it is missing. */
  putChunks(chunks: readonly Chunk[], content: ContentRow | null, nowMs: number): Promise<void>;
  /**
   * Stores contents that are one chunk each, or empty, so that many small ones cost one short
   * transaction where the engine can. When it resolves, all of them are on disk; when it throws, some may be,
   * unnamed and harmless.
   */
  putWhole(contents: readonly Chunk[], nowMs: number): Promise<void>;
  /** Which of these chunks are already held. */
  hasChunks(hashes: readonly ContentHash[]): Promise<readonly ContentHash[]>;
  readContent(hash: ContentHash): Promise<ContentRow | null>;
  readChunk(hash: ContentHash): Promise<Uint8Array | null>;
  /** Pages through all chunks by hash, also those that no content is made of yet. */
  listChunks(after: ContentHash | null, limit: number): Promise<readonly ContentHash[]>;
  /** Puts other bytes under a chunk's hash, if it is there: sealed by another key, they hold the same. */
  replaceChunk(chunk: Chunk): Promise<void>;
  /** What was replaced or dropped is in none of the store's files when it resolves, as after `forget`. */
  clearFiles(): Promise<void>;
  /** Pages through all contents by hash. */
  listContents(after: ContentHash | null, limit: number): Promise<readonly ContentRow[]>;
  /** What `gc` would drop, and drops not. */
  unnamed(beforeMs: number): Promise<GcResult>;
  /** Drops contents no record names and nobody put since `beforeMs`; gives the space back to the disk. */
  gc(beforeMs: number): Promise<GcResult>;
  /** Erases bodies and the contents only they named; what was there cannot be read from the files afterwards. */
  forget(change: ForgetChange): Promise<GcResult>;
  /**
   * Removes a session's records, row, open things and the contents only they named; none of it can be read from the files afterwards. Also where it is
   * gone already: whoever removed it may not have come so far.
   */
  deleteSession(change: DeleteChange): Promise<DeleteOutcome>;
  /** What was begun here and may have been broken off: an erasing of several transactions names what it is about before the first. */
  orders(): Promise<readonly OrderRow[]>;
  /** Writes an order, or, with what it was seen to say, another text in its place; false: somebody was here first. Durable when it resolves. */
  putOrder(order: OrderRow, seen: string | null): Promise<boolean>;
  dropOrder(id: string): Promise<void>;
  /** A number that changes when anybody committed. With a session: with every record of that one, and maybe others'. Cheap: `follow` polls it. */
  version(session?: SessionId): Promise<number>;
  /**
   * Wakes on a commit by anybody (of that session, if one is given, where the engine tells them apart), or after `maxMs`. Resolves
   * early when the driver closes. False: nothing came.
   */
  waitForCommit(since: number, maxMs: number, session?: SessionId): Promise<boolean>;
  /** What the engine itself finds wrong with its files. Rows and contents are checked by `Store.check`. */
  checkEngine(): Promise<readonly Damage[]>;
  /** Writes a consistent copy to a new SQLite file at `path`, while others go on writing. Absent: `backupStore` copies row by row. */
  backup?(path: string): Promise<void>;
  /** Bytes on disk, as in `info`, without counting anything: asked while contents are put. */
  bytesOnDisk(): Promise<number>;
  info(): Promise<DriverInfo>;
  /** Stops waiting, finishes what is under way, gives everything back. */
  close(): Promise<void>;
}
