/** Reading: each call is one statement, or shares one (read-group.ts), so it sees whole commits only and leaves nothing open (driver 6). */
import type { RecordId, SessionId } from "../../model/ids.ts";
import { READ_PAGE_ROWS, SESSION_PAGE_ROWS } from "../../model/limits.ts";
import { type Rest, WAKING_FACTS } from "../contract/at-rest.ts";
import type {
  OpenFilter,
  OpenRow,
  OpenRowOf,
  RawRecord,
  RecordQuery,
  RefRow,
  SessionFilter,
  SessionRow,
} from "../contract/driver.ts";
import { type OneRead, ReadGroup } from "./read-group.ts";
import { RECORD_COLUMNS, sessionRows, toOpen, toRawRecord, toRef, toSession } from "./rows.ts";
import { UNENDED } from "./unended-sql.ts";
import type { PostgresRow, PostgresValue, Wire } from "./wire.ts";

const pageRows = (limit: number | undefined): number => Math.min(limit ?? READ_PAGE_ROWS, READ_PAGE_ROWS);

/** Reads that many callers ask at once, each answered from a statement it may share. */
export class Reader {
  readonly #wire: Wire;
  readonly #group: ReadGroup;

  constructor(wire: Wire) {
    this.#wire = wire;
    this.#group = new ReadGroup(wire, (read) => askAlone(wire, read));
  }

  async session(id: SessionId): Promise<SessionRow | null> {
    const [row] = await this.#group.ask({ kind: "session", session: id });
    return row ? toSession(row) : null;
  }

  /** A session's own is its head: it moves with that session's records alone, however many others write. */
  async version(session?: SessionId): Promise<number> {
    if (session === undefined) return readVersion(this.#wire);
    return (await this.session(session))?.head ?? 0;
  }

  async open(session: SessionId, filter: OpenFilter = {}): Promise<readonly OpenRow[]> {
    return (await this.#group.ask({ kind: "open", session, filter })).map(toOpen);
  }

  async openAmong(sessions: readonly SessionId[]): Promise<readonly OpenRowOf[]> {
    const ofEach = sessions.map(async (session) =>
      (await this.open(session)).map((row) => ({ session, ...row })),
    );
    return (await Promise.all(ofEach)).flat();
  }

  async sessions({ prefix, limit, ...rest }: SessionFilter): Promise<readonly SessionRow[]> {
    const most = Math.min(limit ?? SESSION_PAGE_ROWS, SESSION_PAGE_ROWS);
    if (prefix === undefined || Object.keys(rest).length > 0)
      return listSessions(this.#wire, { prefix, ...rest, limit: most } as SessionFilter);
    return (await this.#group.ask({ kind: "beginning", prefix, most })).map(toSession);
  }

  async records(query: RecordQuery): Promise<readonly RawRecord[]> {
    const limit = pageRows(query.limit);
    return (await this.#group.ask({ kind: "records", query: { ...query, limit } })).map(toRawRecord);
  }
}

function askAlone(wire: Wire, read: OneRead): Promise<readonly PostgresRow[]> {
  const { schema } = wire.place;
  switch (read.kind) {
    case "session":
      return wire.ask(`SELECT * FROM ${sessionRows(schema)} AS held WHERE id = $1`, [read.session]);
    case "beginning":
      return wire.ask(
        `SELECT * FROM ${sessionRows(schema)} AS held WHERE id >= $1 AND starts_with(id, $1) ORDER BY id LIMIT $2`,
        [read.prefix, read.most],
      );
    case "open": {
      const { what, limit } = read.filter;
      const ofKinds = what ? "AND what IN (SELECT jsonb_array_elements_text($3::text::jsonb))" : "";
      return wire.ask(
        `SELECT what, id, seq FROM ${schema}.open WHERE session = $1 ${ofKinds} ORDER BY seq LIMIT $2`,
        [read.session, limit ?? null, ...(what ? [JSON.stringify(what)] : [])],
      );
    }
    case "records":
      return askRecords(wire, read.query);
    default:
      return read satisfies never;
  }
}

function askRecords(wire: Wire, query: RecordQuery): Promise<readonly PostgresRow[]> {
  const values: PostgresValue[] = [
    query.session,
    query.fromSeq ?? 0,
    query.toSeq ?? Number.MAX_SAFE_INTEGER,
    pageRows(query.limit),
  ];
  const ofKinds = query.kinds ? "AND kind IN (SELECT jsonb_array_elements_text($5::text::jsonb))" : "";
  if (query.kinds) values.push(JSON.stringify(query.kinds));
  const direction = query.order === "backward" ? "DESC" : "ASC";
  return wire.ask(
    `SELECT ${RECORD_COLUMNS} FROM ${wire.place.schema}.records
       WHERE session = $1 AND seq >= $2 AND seq <= $3 ${ofKinds} ORDER BY seq ${direction} LIMIT $4`,
    values,
  );
}

async function listSessions(wire: Wire, filter: SessionFilter): Promise<readonly SessionRow[]> {
  const { where, values } = sessionsWhere(wire, filter);
  const rows = await wire.ask(`SELECT * FROM ${sessionRows(wire.place.schema)} AS held ${where}`, values);
  return rows.map(toSession);
}

export async function listSessionIds(wire: Wire, filter: SessionFilter): Promise<readonly SessionId[]> {
  const { where, values } = sessionsWhere(wire, filter);
  const rows = await wire.ask(`SELECT id FROM ${wire.place.schema}.sessions AS held ${where}`, values);
  return rows.map(({ id }) => id as SessionId);
}

function sessionsWhere(
  wire: Wire,
  filter: SessionFilter,
): { readonly where: string; readonly values: readonly PostgresValue[] } {
  const values: PostgresValue[] = [];
  const given = (value: PostgresValue): string => `$${values.push(value)}`;
  const where = [`id > ${given(filter.after ?? "")}`];
  // The column holds the JSON text of the fact.
  if (filter.workspace !== undefined)
    where.push(`facts->>'"workspace"' = ${given(JSON.stringify(filter.workspace))}`);
  if (filter.name !== undefined) where.push(`facts->>'"name"' = ${given(JSON.stringify(filter.name))}`);
  if (filter.prefix !== undefined) {
    const prefix = given(filter.prefix);
    // The first half is what the index can do.
    where.push(`id >= ${prefix}`, `starts_with(id, ${prefix})`);
  }
  if (filter.isUnended) where.push(UNENDED);
  if (filter.without) {
    const { rest, endedBeforeMs } = filter.without;
    where.push(`(${atRest(wire.place.schema, rest, given(endedBeforeMs))}) IS NOT TRUE`);
  }
  const limit = given(Math.min(filter.limit ?? SESSION_PAGE_ROWS, SESSION_PAGE_ROWS));
  return { where: `WHERE ${where.join(" AND ")} ORDER BY id LIMIT ${limit}`, values };
}

/** Of a row that is called `held` (at-rest.ts). The column holds JSON texts. */
function atRest(schema: string, rest: Rest, beforeMs: string): string {
  const fact = (name: string): string => `nullif(held.facts->>'"${name}"', 'null')`;
  const left = (name: string): string => `(${fact("left")}::jsonb->>'${name}')::double precision`;
  return [
    "held.owner IS NULL",
    `${fact("ended_at_ms")}::double precision < ${beforeMs}::double precision`,
    ...WAKING_FACTS[rest].map((name) => `${fact(name)} IS NULL`),
    ...(rest === "left-nothing"
      ? [
          `((${fact("capture")} IS NULL AND ${fact("owes_end_capture")} IS NULL)
             OR (${left("attempt")} = held.attempt AND ${left("changes")} = 0))`,
        ]
      : []),
    `NOT EXISTS (SELECT FROM ${schema}.open WHERE open.session = held.id)`,
  ].join(" AND ");
}

export async function listWorkspaces(wire: Wire, limit: number): Promise<readonly string[]> {
  const rows = await wire.ask(
    `SELECT DISTINCT facts->>'"workspace"' AS workspace FROM ${wire.place.schema}.sessions LIMIT $1`,
    [limit],
  );
  // The column holds the JSON text of the fact; a session of none has null there.
  const names = rows.flatMap(({ workspace }) =>
    typeof workspace === "string" ? [JSON.parse(workspace)] : [],
  );
  return names.filter((name): name is string => typeof name === "string").sort();
}

export async function readRecordById(
  wire: Wire,
  session: SessionId,
  id: RecordId,
): Promise<RawRecord | null> {
  const [row] = await wire.ask(
    `SELECT ${RECORD_COLUMNS} FROM ${wire.place.schema}.records WHERE session = $1 AND id = $2`,
    [session, id],
  );
  return row ? toRawRecord(row) : null;
}

export async function readRefs(
  wire: Wire,
  session: SessionId,
  fromSeq: number,
  toSeq: number,
): Promise<readonly RefRow[]> {
  const rows = await wire.ask(
    `SELECT encode(hash, 'hex') AS hash, seq, path FROM ${wire.place.schema}.refs
       WHERE session = $1 AND seq >= $2 AND seq <= $3 ORDER BY refs.seq, n`,
    [session, fromSeq, toSeq],
  );
  return rows.map(toRef);
}

/** Grows with every commit by anybody, and only becomes visible with it. */
async function readVersion(wire: Wire): Promise<number> {
  const [row] = await wire.ask(`SELECT sum(n) AS version FROM ${wire.place.schema}.commits`);
  return Number(row?.version);
}
