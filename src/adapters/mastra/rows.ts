/**
 * Rows of Mastra's tables, kept in sessions: each session has the rows of one thread, resource or run, and a change is which rows came
 * and which went. What an operation does is Mastra's own in-memory class's to say: it works on the rows it concerns, under the claims of their
 * sessions, and what differs afterwards is recorded. So pages, filters and merges are theirs to the letter.
 */
import { InMemoryDB } from "@mastra/core/storage";
import { z } from "zod";
import type { RefloatStore } from "../../app/store/open-store.ts";
import type { OwnRecordInput } from "../../conversation/own-records.ts";
import type { Session } from "../../conversation/session.ts";
import { RefloatError } from "../../model/errors.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import type { StoredRecord } from "../../model/record.ts";
import { randomId } from "../../platform/random.ts";
import { deleteSession, type HeldSessions } from "../shared/held-sessions.ts";

/** As Mastra's in-memory database names its maps. */
const TABLES = ["threads", "messages", "resources", "workflows"] as const;
export type MastraTable = (typeof TABLES)[number];
export type MastraRow = object;
export type MastraTables = Readonly<Record<MastraTable, ReadonlyMap<string, MastraRow>>>;

export const kindOf = (table: MastraTable): string => `mastra.${table}`;
const KINDS = TABLES.map(kindOf);

/** Sessions whose rows a process keeps at hand; each is only read on from where it was read last. */
const MAX_AT_HAND = 200;
/** Rows of one record: of a thread that is copied whole they are many. */
const MAX_ROWS = 100;
/** Fields of a row that are times: JSON has none. */
const TIMES = ["createdAt", "updatedAt"] as const;

const changeBody = z.looseObject({
  put: z.array(z.tuple([z.string(), z.looseObject({})])).default([]),
  gone: z.array(z.string()).default([]),
});

/** A session, what people see of it, and which rows are its own. */
export interface RowsPlace {
  readonly session: string;
  readonly name: string;
  readonly isHome: (table: MastraTable, row: MastraRow) => boolean;
}

interface AtHand {
  /** The last record taken: where it is another one now, the session was deleted and is a new one. */
  last: { readonly seq: number; readonly id: string } | null;
  readonly tables: Record<MastraTable, Map<string, MastraRow>>;
}

export class MastraRows {
  readonly store: RefloatStore;
  readonly held: HeldSessions;
  readonly #atHand = new Map<string, AtHand>();
  /** Changes are made of what is there: those of one session come one after the other. */
  readonly #tails = new Map<string, Promise<unknown>>();

  constructor(store: RefloatStore, held: HeldSessions) {
    this.store = store;
    this.held = held;
  }

  /** What `work` says of the rows of these sessions, as they are on disk. Needs no claim. */
  async look<T>(sessions: readonly string[], work: (db: InMemoryDB) => Promise<T>): Promise<T> {
    const db = new InMemoryDB();
    for (const session of sessions) fill(db, await this.read(session));
    return structuredClone(await work(db)); // the caller's to change
  }

  /** Of each session all or nothing; of several those first that something comes to: a kill between them loses no row. */
  async change<T>(
    places: readonly RowsPlace[],
    isNeeded: (table: MastraTable, key: string) => boolean,
    work: (db: InMemoryDB) => Promise<T>,
  ): Promise<T> {
    const sorted = places.toSorted((a, b) => (a.session < b.session ? -1 : 1)); // who needs two waits in the same order as all others
    return this.#alone(
      sorted.map(({ session }) => session),
      () => this.#claimed(sorted, [], (sessions) => this.#carryOut(sorted, sessions, isNeeded, work)),
    );
  }

  /** Nothing of it is left. */
  async drop(session: string): Promise<void> {
    await this.#alone([session], async () => {
      await this.held.release(session);
      await deleteSession(this.store, session);
      this.#atHand.delete(session);
    });
  }

  async sessions(prefix: string): Promise<string[]> {
    const found = await this.store.sessions({ prefix });
    return found.map(({ id }) => id).toReversed(); // as they were begun
  }

  /** Without reading: whether this process has seen the row there. */
  hasAtHand(session: string, table: MastraTable, key: string): boolean {
    return this.#atHand.get(session)?.tables[table].has(key) ?? false;
  }

  /** Of a table that has one row in each of these sessions the row, without the rest of them. */
  async ofEach(sessions: readonly string[], table: MastraTable): Promise<MastraRow[]> {
    const rows: MastraRow[] = [];
    for (const session of sessions) {
      const row = await this.#newest(session, table);
      if (row) rows.push(row);
    }
    return rows;
  }

  newId(): string {
    return randomId();
  }

  async #newest(session: string, table: MastraTable): Promise<MastraRow | null> {
    if (this.#atHand.has(session)) return [...(await this.read(session))[table].values()][0] ?? null;
    const newest = { kinds: [kindOf(table)], order: "backward", pageRows: 1 } as const;
    for await (const record of this.store.records(session, newest)) {
      const rows = new Map<string, MastraRow>();
      take(rows, record);
      return [...rows.values()][0] ?? null;
    }
    return null;
  }

  async read(session: string): Promise<MastraTables> {
    const known = this.#atHand.get(session);
    const isSame = known !== undefined && (await this.#readOn(session, known));
    const now = isSame ? known : nothing();
    if (!isSame) await this.#readOn(session, now);
    this.#atHand.delete(session);
    this.#atHand.set(session, now);
    const oldest = this.#atHand.size > MAX_AT_HAND ? this.#atHand.keys().next() : null;
    if (oldest && !oldest.done) this.#atHand.delete(oldest.value);
    return now.tables;
  }

  /** False: it is another session than the one that was read. */
  async #readOn(session: string, known: AtHand): Promise<boolean> {
    const before = known.last;
    let isSame = before === null;
    for await (const record of this.store.records(session, { kinds: KINDS, fromSeq: before?.seq ?? 1 })) {
      if (!isSame && record.id !== before?.id) return false;
      isSame = true;
      if (known.last !== null && record.seq <= known.last.seq) continue; // two looks at once
      const table = TABLES.find((one) => kindOf(one) === record.kind);
      if (table) take(known.tables[table], record);
      known.last = { seq: record.seq, id: record.id };
    }
    return isSame;
  }

  async #carryOut<T>(
    places: readonly RowsPlace[],
    sessions: readonly Session[],
    isNeeded: (table: MastraTable, key: string) => boolean,
    work: (db: InMemoryDB) => Promise<T>,
  ): Promise<T> {
    const db = new InMemoryDB();
    for (const { session } of places) fill(db, structuredClone(only(await this.read(session), isNeeded)));
    const before = written(db, places);
    const result = await work(db);
    const after = written(db, places);
    const changes = places.map((_, at) => {
      const [was, is] = [before[at] ?? new Map(), after[at] ?? new Map()];
      return { session: sessions[at], ...differing(was, is) };
    });
    for (const { session, records } of changes.toSorted((a, b) => Number(a.isLess) - Number(b.isLess)))
      if (records.length > 0) await session?.recordAll(records);
    return result;
  }

  #claimed<T>(
    [place, ...rest]: readonly RowsPlace[],
    sessions: readonly Session[],
    work: (sessions: readonly Session[]) => Promise<T>,
  ): Promise<T> {
    if (!place) return work(sessions);
    return this.held.use(place.session, place.name, (session) =>
      this.#claimed(rest, [...sessions, session], work),
    );
  }

  async #alone<T>(sessions: readonly string[], work: () => Promise<T>): Promise<T> {
    const before = sessions.map((session) => this.#tails.get(session));
    const done = Promise.all(before).then(work);
    const tail: Promise<unknown> = done
      .catch(() => undefined) // the caller has the error
      .then(() => {
        for (const session of sessions) if (this.#tails.get(session) === tail) this.#tails.delete(session);
      });
    for (const session of sessions) this.#tails.set(session, tail);
    return done;
  }
}

const nothing = (): AtHand => ({
  last: null,
  tables: { threads: new Map(), messages: new Map(), resources: new Map(), workflows: new Map() },
});

function fill(db: InMemoryDB, tables: MastraTables): void {
  for (const table of TABLES)
    for (const [key, row] of tables[table]) (db[table] as Map<string, MastraRow>).set(key, row);
}

function only(tables: MastraTables, isNeeded: (table: MastraTable, key: string) => boolean): MastraTables {
  const some = nothing().tables;
  for (const table of TABLES)
    for (const [key, row] of tables[table]) if (isNeeded(table, key)) some[table].set(key, row);
  return some;
}

/** Of each place its rows, each as the text it would be kept as, by table and key. */
function written(db: InMemoryDB, places: readonly RowsPlace[]): Map<string, string>[] {
  const shares = places.map(() => new Map<string, string>());
  for (const table of TABLES)
    for (const [key, row] of db[table] as Map<string, MastraRow>) {
      const share = shares[places.findIndex(({ isHome }) => isHome(table, row))];
      if (!share)
        throw new RefloatError("E_BAD_RECORD", { kind: kindOf(table), why: `nobody says whose "${key}" is` });
      share.set(`${table} ${key}`, JSON.stringify(row));
    }
  return shares;
}

/** What makes the one of the other, a record for each table and so many rows. */
function differing(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): { readonly records: OwnRecordInput[]; readonly isLess: boolean } {
  const put = [...after].filter(([key, row]) => before.get(key) !== row);
  const gone = [...before.keys()].filter((key) => !after.has(key));
  const records = TABLES.flatMap((table) => {
    const of = (whole: string): boolean => whole.startsWith(`${table} `);
    const keyIn = (whole: string): string => whole.slice(table.length + 1);
    const rows = put
      .filter(([key]) => of(key))
      .map(([key, row]): Json[] => [keyIn(key), JSON.parse(row) as Json]);
    const keys = gone.filter(of).map(keyIn);
    const bodies: JsonObject[] = keys.length > 0 ? [{ gone: keys }] : [];
    for (let at = 0; at < rows.length; at += MAX_ROWS) bodies.push({ put: rows.slice(at, at + MAX_ROWS) });
    return bodies.map((body) => ({ kind: kindOf(table), body }));
  });
  return { records, isLess: gone.length > 0 };
}

/** Forgotten ones have nothing to take. */
function take(rows: Map<string, MastraRow>, { body, isForgotten }: StoredRecord): void {
  const change = isForgotten ? null : changeBody.safeParse(body).data;
  if (!change) return;
  for (const key of change.gone) rows.delete(key);
  for (const [key, row] of change.put) rows.set(key, withTimes(row));
}

function withTimes(row: Record<string, unknown>): MastraRow {
  const times = TIMES.flatMap((field) => {
    const said = row[field];
    return typeof said === "string" ? [[field, new Date(said)] as const] : [];
  });
  return { ...row, ...Object.fromEntries(times) };
}
