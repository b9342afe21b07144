/**
 * The store as the rest of the house knows it: records in, records out, claims, contents. One implementation
 * over any driver, so that both engines keep the same promises (conformance: test/conformance).
 */
import { untilAborted } from "../model/aborted.ts";
import { RefloatError } from "../model/errors.ts";
import { type ContentHash, parseId, type RecordId, type SessionId } from "../model/ids.ts";
import {
  DEFAULT_CLAIM_THRESHOLD_MS,
  DEFAULT_STORE_CAP_BYTES,
  MAX_RECORDS_PER_CHANGE,
  READ_PAGE_ROWS,
  SESSION_PAGE_ROWS,
} from "../model/limits.ts";
import type { NewRecord, StoredRecord } from "../model/record.ts";
import type { Clock } from "../platform/clock.ts";
import { crashPoint } from "../platform/crash-point.ts";
import { putContent, readContent, readWholeContent, type StoredContent } from "./content-store.ts";
import { CommitGroup } from "./contract/commit-group.ts";
import { hashOf } from "./contract/content-hash.ts";
import type {
  AppendChange,
  Authority,
  ChangeOutcome,
  Chunk,
  Driver,
  FirstOutcome,
  OpenFilter,
  OpenRow,
  OpenRowOf,
  RawNewRecord,
  RawRecord,
  RecordQuery,
  SessionFilter,
  SessionRow,
  StoreChange,
  TakeChange,
} from "./contract/driver.ts";
import { decodeBody, type EncodedRecord, encodeRecord } from "./contract/encode-record.ts";
import { rowChecksum } from "./contract/row-checksum.ts";
import type { SealingKey } from "./contract/seal.ts";
import { type FollowOptions, followSession } from "./follow.ts";
import { type RefusalSubject, refusalError } from "./refusal-error.ts";
import { sealedDriver } from "./sealed-driver.ts";
import { tellFirst, tellWritten } from "./tell-written.ts";

/** Every so many bytes of contents the store's size is looked at again; a look costs a few queries. */
const CAP_CHECK_BYTES = 32 * 1024 * 1024;
/** Sessions one call hands out; a store with more is paged by the caller. */
const MAX_SESSIONS = 100_000;
/** Each is looked for on the disk: a store of more has been used by more machines than one. */
const MAX_WORKSPACES = 10_000;

export interface AppendOutcome {
  readonly seqs: readonly number[];
  readonly head: number;
  readonly attempt: number;
  /** The same ids and bodies were there already (D4). */
  readonly isRepeat: boolean;
}

export interface JournalRange extends Pick<RecordQuery, "fromSeq" | "toSeq" | "kinds" | "order"> {
  /** Records in memory at once, at most READ_PAGE_ROWS: fewer where each may be megabytes. */
  readonly pageRows?: number;
}

type WithNew<Change> = Omit<Change, "records"> & { readonly records: readonly NewRecord[] };
/** Changes that are made together or not at all. */
export type NewCandidate = readonly (WithNew<AppendChange> | WithNew<TakeChange>)[];

/** The driver as it is, and the keys its contents are sealed by; the first seals. */
export interface StoreSealing {
  readonly bare: Driver;
  readonly keys: readonly SealingKey[];
}

export interface StoreOptions {
  readonly clock: Clock;
  /** Left out: contents lie open. */
  readonly keys?: readonly SealingKey[];
  readonly capBytes?: number;
}

export class Store {
  readonly driver: Driver;
  readonly sealing: StoreSealing;
  readonly clock: Clock;
  /** The threshold of the claims that this process takes: without a heartbeat for so long others may presume it lost (K2). */
  lostAfterMs = DEFAULT_CLAIM_THRESHOLD_MS;
  readonly #group: CommitGroup;
  readonly #capBytes: number;
  readonly #underWay = new Set<Promise<unknown>>();
  #bytesUntilCapCheck = 0;
  #closing: Promise<void> | null = null;

  constructor(driver: Driver, options: StoreOptions) {
    const { keys = [] } = options;
    this.sealing = { bare: driver, keys };
    this.driver = sealedDriver(driver, keys);
    this.clock = options.clock;
    this.#capBytes = options.capBytes ?? DEFAULT_STORE_CAP_BYTES;
    this.#group = new CommitGroup((group) => this.driver.commit(group));
  }

  /** Durable when it resolves (D1). Throws what the refusal means: E_FENCED, E_ID_REUSED, E_NOT_OPEN, ... */
  append(
    session: SessionId,
    by: Authority,
    records: readonly NewRecord[],
    options: { expectHead?: number } = {},
  ): Promise<AppendOutcome> {
    return this.#whileOpen(async () => {
      assertBounded(records);
      const raw = await this.#encode(records, by);
      const outcome = await this.#commit({ kind: "append", session, by, records: raw, ...options });
      const attempt = by === "anyone" ? null : by.attempt;
      return tellWritten(session, attempt, records, appended({ session, attempt, ...options }, outcome));
    });
  }

  /** Takes the claim if it is still as seen. The outcome is the caller's to judge: losing a race is no error here. */
  take(
    change: Omit<TakeChange, "kind" | "records"> & { readonly records: readonly NewRecord[] },
  ): Promise<ChangeOutcome> {
    const attempt = (change.seen?.attempt ?? 0) + 1;
    return this.#whileOpen(async () => {
      parseId("session", change.session);
      const records = await this.#encode(change.records, { attempt });
      const outcome = await this.#commit({ ...change, kind: "take", records });
      return outcome.kind === "done"
        ? tellWritten(change.session, attempt, change.records, outcome)
        : outcome;
    });
  }

  /** The first candidate that can be made, whole, and no other, by its place: what many want, one gets (driver.ts). */
  first(candidates: readonly NewCandidate[]): Promise<FirstOutcome> {
    return this.#whileOpen(async () => {
      const encoded = candidates.map((changes) => Promise.all(changes.map((one) => this.#encodeChange(one))));
      const outcome = await this.driver.commitFirst(await Promise.all(encoded));
      crashPoint("append.before-ack");
      return tellFirst(candidates, outcome);
    });
  }

  async #encodeChange(change: NewCandidate[number]): Promise<AppendChange | TakeChange> {
    const by = change.kind === "append" ? change.by : { attempt: (change.seen?.attempt ?? 0) + 1 };
    return { ...change, records: await this.#encode(change.records, by) };
  }

  release(session: SessionId, attempt: number, records: readonly NewRecord[]): Promise<AppendOutcome> {
    return this.#whileOpen(async () => {
      const raw = await this.#encode(records, { attempt });
      const outcome = await this.#commit({ kind: "release", session, attempt, records: raw });
      return tellWritten(session, attempt, records, appended({ session, attempt }, outcome));
    });
  }

  renew(session: SessionId, attempt: number): Promise<void> {
    return this.#whileOpen(async () => {
      const outcome = await this.#commit({ kind: "renew", session, attempt, nowMs: this.clock.nowMs() });
      appended({ session, attempt }, outcome);
    });
  }

  session(id: SessionId): Promise<SessionRow | null> {
    return this.driver.readSession(id);
  }

  async sessions(filter: SessionFilter = {}): Promise<SessionRow[]> {
    const limit = Math.min(filter.limit ?? MAX_SESSIONS, MAX_SESSIONS);
    const found: SessionRow[] = [];
    let after = filter.after;
    while (found.length < limit) {
      const page = await this.driver.listSessions({
        ...filter,
        limit: Math.min(SESSION_PAGE_ROWS, limit - found.length),
        ...(after ? { after } : {}),
      });
      found.push(...page);
      after = page.at(-1)?.id;
      if (page.length < SESSION_PAGE_ROWS || after === undefined) break;
    }
    return found;
  }

  /** Every workspace that sessions are of: for who looks for those that are gone (W8). */
  workspaces(): Promise<readonly string[]> {
    return this.driver.listWorkspaces(MAX_WORKSPACES);
  }

  /** All of them, page by page: for what must leave none out. */
  async *everySession(filter: Pick<SessionFilter, "workspace"> = {}): AsyncGenerator<SessionRow> {
    let after: SessionId | undefined;
    do {
      const page = await this.driver.listSessions({ ...filter, ...(after === undefined ? {} : { after }) });
      yield* page;
      after = page.length < SESSION_PAGE_ROWS ? undefined : page.at(-1)?.id;
    } while (after !== undefined);
  }

  open(session: SessionId, filter?: OpenFilter): Promise<readonly OpenRow[]> {
    return this.driver.readOpen(session, filter);
  }

  /** By session, those without anything open left out: what many sessions have open costs few looks. */
  async openAmong(sessions: readonly SessionId[]): Promise<ReadonlyMap<SessionId, readonly OpenRow[]>> {
    const pages: Promise<readonly OpenRowOf[]>[] = [];
    for (let from = 0; from < sessions.length; from += READ_PAGE_ROWS)
      pages.push(this.driver.readOpenAmong(sessions.slice(from, from + READ_PAGE_ROWS)));
    const found = new Map<SessionId, OpenRow[]>();
    for (const { session, ...row } of (await Promise.all(pages)).flat()) {
      const rows = found.get(session);
      if (rows) rows.push(row);
      else found.set(session, [row]);
    }
    return found;
  }

  /** One page, at most READ_PAGE_ROWS. Damaged rows come out marked, never thrown (D5). */
  async records(query: RecordQuery): Promise<StoredRecord[]> {
    const rows = await this.driver.readRecords(query);
    const records: StoredRecord[] = [];
    for (const row of rows) records.push(await this.decode(row));
    return records;
  }

  async recordById(session: SessionId, id: RecordId): Promise<StoredRecord | null> {
    const row = await this.driver.readRecordById(session, id);
    return row ? this.decode(row) : null;
  }

  /** All records of a range, page by page. */
  async *journal(session: SessionId, range: JournalRange = {}): AsyncGenerator<StoredRecord> {
    const { pageRows = READ_PAGE_ROWS, ...only } = range;
    const limit = Math.min(pageRows, READ_PAGE_ROWS);
    let { fromSeq = 1, toSeq = Number.MAX_SAFE_INTEGER } = range;
    while (fromSeq <= toSeq) {
      const page = await this.records({ ...only, session, fromSeq, toSeq, limit });
      yield* page;
      const last = page.findLast(({ isDamaged }) => !isDamaged) ?? page.at(-1);
      if (!last || page.length < limit) return;
      // Of a damaged row not even its number is sure: it must not make this skip what follows or never end.
      if (range.order === "backward") toSeq = Math.min(toSeq, last.seq) - 1;
      else fromSeq = Math.max(fromSeq, last.seq) + 1;
    }
  }

  /** What is there from `fromSeq` on, then what comes, until the signal or the store's close ends it. A store that is away is waited for. */
  follow(
    session: SessionId,
    fromSeq = 1,
    how: AbortSignal | FollowOptions = {},
  ): AsyncGenerator<StoredRecord> {
    const options = how instanceof AbortSignal ? { signal: how } : how;
    return untilAborted(followSession(this, session, fromSeq, options), options.signal);
  }

  readonly isClosing = (): boolean => this.#closing !== null;

  /** A number that changes with every record of the session, and maybe others'. */
  version(session: SessionId): Promise<number> {
    return this.driver.version(session);
  }

  /** Until something of the session may have changed since that version; false: nothing did in `maxMs`. */
  changed(session: SessionId, version: number, maxMs: number): Promise<boolean> {
    return this.driver.waitForCommit(version, maxMs, session);
  }

  /** E_STORE_CAP when the contents have reached their cap: the caller then holds hashes only (T5). */
  async putContent(source: Uint8Array | AsyncIterable<Uint8Array>): Promise<StoredContent> {
    await this.assertRoom();
    const stored = await putContent(this.driver, this.clock, source);
    this.#bytesUntilCapCheck -= stored.bytes;
    return stored;
  }

  /** Small contents (a chunk at most each), together in one short transaction; the caller keeps a batch small. */
  async putContents(whole: readonly Uint8Array[]): Promise<StoredContent[]> {
    await this.assertRoom();
    const contents = whole.map((bytes) => ({ hash: hashOf(bytes), bytes }));
    await this.driver.putWhole(contents, this.clock.nowMs());
    for (const { bytes } of contents) this.#bytesUntilCapCheck -= bytes.byteLength;
    return contents.map(({ hash, bytes }) => ({ hash, bytes: bytes.byteLength }));
  }

  /** E_STORE_CAP when the contents have reached their cap. */
  async assertRoom(): Promise<void> {
    if (this.#bytesUntilCapCheck <= 0) await this.#checkCap();
  }

  /** A server is asked once per content: commits of other sessions would wait for all of them. */
  get putsInGroup(): boolean {
    return this.driver.kind === "sqlite" && this.sealing.keys.length === 0;
  }

  /**
   * Small contents for records that are appended right after this call: they are in the group before them, so one sync
   * serves both, and no record is on disk before a content it names (D1). The caller has asked for room.
   */
  putForNext(contents: readonly Chunk[]): Promise<void> {
    return this.#whileOpen(async () => {
      for (const { bytes } of contents) this.#bytesUntilCapCheck -= bytes.byteLength;
      await this.#commit({ kind: "put", contents, nowMs: this.clock.nowMs() });
    });
  }

  readContent(hash: ContentHash): AsyncGenerator<Uint8Array> {
    return readContent(this.driver, hash);
  }

  /** A low-level way in for import and salvage, which bring their own sequence numbers. */
  commitChange(change: StoreChange): Promise<ChangeOutcome> {
    return this.#whileOpen(() => this.#commit(change));
  }

  /** What was handed in before is still saved; everybody who closes waits for the same end. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await Promise.allSettled(this.#underWay);
    await this.driver.close();
  }

  #whileOpen<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closing) return Promise.reject(new RefloatError("E_CLOSED", { what: "store" }));
    const done = work();
    this.#underWay.add(done);
    const forget = (): boolean => this.#underWay.delete(done);
    done.then(forget, forget);
    return done;
  }

  async #checkCap(): Promise<void> {
    const bytes = await this.driver.bytesOnDisk();
    if (bytes >= this.#capBytes) throw new RefloatError("E_STORE_CAP", { cap: this.#capBytes });
    this.#bytesUntilCapCheck = Math.min(CAP_CHECK_BYTES, this.#capBytes - bytes);
  }

  async #commit(change: StoreChange): Promise<ChangeOutcome> {
    const outcome = await this.#group.add(change);
    crashPoint("append.before-ack");
    return outcome;
  }

  async #encode(records: readonly NewRecord[], by: Authority): Promise<RawNewRecord[]> {
    const encoded = records.map((record) => encodeRecord(record, by));
    return encoded.some(({ spill }) => spill)
      ? Promise.all(encoded.map((one) => this.spill(one)))
      : encoded.map(({ raw }) => raw);
  }

  /** Puts a large body into the contents; the record then names it. */
  async spill({ raw, spill }: EncodedRecord): Promise<RawNewRecord> {
    if (!spill) return raw;
    // The journal is exempt from the contents' cap: what is acknowledged is kept whatever else fills the store.
    const { hash } = await putContent(this.driver, this.clock, spill);
    return { ...raw, body: "{}", spilled: hash, contents: [...raw.contents, { hash, path: null }] };
  }

  async decode(row: RawRecord): Promise<StoredRecord> {
    const { session, seq, id, kind, attempt, atMs, isForgotten } = row;
    const body = rowChecksum(row) === row.checksum ? await this.#bodyOf(row) : null;
    if (body === null && row.spilled) {
      // Its body lies in the contents: if it was forgotten since the row was read, that is no damage.
      const [now] = await this.driver.readRecords({ session, fromSeq: seq, toSeq: seq });
      if (now?.isForgotten && !isForgotten) return this.decode(now);
    }
    return { session, seq, id, kind, attempt, atMs, isForgotten, body: body ?? {}, isDamaged: body === null };
  }

  async #bodyOf(row: RawRecord): Promise<ReturnType<typeof decodeBody>> {
    if (!row.spilled) return decodeBody(row.body);
    try {
      return decodeBody((await readWholeContent(this.driver, row.spilled)).toString("utf8"));
    } catch (thrown) {
      const isLost =
        thrown instanceof RefloatError &&
        (thrown.code === "E_NO_CONTENT" || thrown.code === "E_STORE_DAMAGED");
      if (isLost) return null; // a damaged body costs that record (D5)
      throw thrown;
    }
  }
}

function appended(asked: RefusalSubject, outcome: ChangeOutcome): AppendOutcome {
  if (outcome.kind === "done") return outcome;
  throw refusalError(asked, outcome.refusal);
}

/** Not for a taking of the claim: whatever a dead owner left open is settled in that one step, however much it is. */
function assertBounded(records: readonly NewRecord[]): void {
  const limit = MAX_RECORDS_PER_CHANGE;
  if (records.length > limit)
    throw new RefloatError("E_TOO_LARGE", { what: "The change", bytes: records.length, limit });
}
