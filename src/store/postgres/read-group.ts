/**
 * Reads of one tick form one statement, as changes of one tick form one commit group: whoever looks at five hundred sessions at
 * once costs the server what one look costs, and a network's delay is paid once for all of them. A read alone is sent as it
 * always was. Each statement sees one moment, so all its answers do (driver 6).
 */
import type { OpenFilter, RecordQuery } from "../contract/driver.ts";
import { sessionRows } from "./rows.ts";
import type { PostgresRow, Wire } from "./wire.ts";

export type OneRead =
  | { readonly kind: "session"; readonly session: string }
  /** Sessions whose ids begin so. */
  | { readonly kind: "beginning"; readonly prefix: string; readonly most: number }
  | { readonly kind: "open"; readonly session: string; readonly filter: OpenFilter }
  | { readonly kind: "records"; readonly query: RecordQuery };

/** A list of ten thousand sessions asks a few things of each; what is more goes into the next statement. */
const MAX_READS_PER_STATEMENT = 50_000;
/** What one statement answers at most, for memory's sake (T5): the server stops there, and the rest is asked again. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

interface WaitingRead {
  readonly read: OneRead;
  readonly key: string;
  readonly resolve: (rows: readonly PostgresRow[]) => void;
  readonly reject: (reason: unknown) => void;
}

export class ReadGroup {
  readonly #wire: Wire;
  readonly #alone: (read: OneRead) => Promise<readonly PostgresRow[]>;
  #waiting: WaitingRead[] = [];

  /** `alone`: how a read is asked that nobody shares a statement with. */
  constructor(wire: Wire, alone: (read: OneRead) => Promise<readonly PostgresRow[]>) {
    this.#wire = wire;
    this.#alone = alone;
  }

  ask(read: OneRead): Promise<readonly PostgresRow[]> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ read, key: JSON.stringify(read), resolve, reject });
      if (this.#waiting.length === 1) setImmediate(() => this.#flush());
    });
  }

  #flush(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    // Asked twice in one tick, it is read once.
    const byKey = new Map<string, WaitingRead[]>();
    for (const one of waiting) {
      const same = byKey.get(one.key);
      if (same) same.push(one);
      else byKey.set(one.key, [one]);
    }
    const groups = [...byKey.values()];
    for (let at = 0; at < groups.length; at += MAX_READS_PER_STATEMENT)
      void this.#send(groups.slice(at, at + MAX_READS_PER_STATEMENT));
  }

  async #send(groups: readonly (readonly WaitingRead[])[]): Promise<void> {
    const reads = groups.flatMap(([first]) => (first ? [first.read] : []));
    try {
      const [only] = reads;
      const answers = only && reads.length === 1 ? [await this.#alone(only)] : await this.#together(reads);
      for (const [i, answer] of answers.entries()) for (const { resolve } of groups[i] ?? []) resolve(answer);
      // More than fits into one answer: the first of the rest gets one of its own if it must.
      if (answers.length < groups.length) {
        const rest = groups.slice(answers.length);
        for (const part of answers.length === 0 ? [rest.slice(0, 1), rest.slice(1)] : [rest])
          void this.#send(part);
      }
    } catch (thrown) {
      for (const { reject } of groups.flat()) reject(thrown);
    }
  }

  /** Of the first so many: those whose answers are whole. */
  async #together(reads: readonly OneRead[]): Promise<readonly (readonly PostgresRow[])[]> {
    const rows = await this.#wire.ask(togetherSql(this.#wire.place.schema, reads), [
      JSON.stringify(reads.map(asked)),
      MAX_ANSWER_BYTES,
    ]);
    const answers = reads.map((): PostgresRow[] => []);
    for (const { n, found } of rows) answers[Number(n)]?.push(JSON.parse(String(found)) as PostgresRow);
    const last = rows.at(-1);
    return last && Number(last.so_far) > MAX_ANSWER_BYTES ? answers.slice(0, Number(last.n)) : answers;
  }
}

type BranchName = "session" | "beginning" | "open" | "forward" | "backward";

const branchOf = (read: OneRead): BranchName => {
  if (read.kind !== "records") return read.kind;
  return read.query.order === "backward" ? "backward" : "forward";
};

function asked(read: OneRead, n: number): object {
  const branch = branchOf(read);
  if (read.kind === "session") return { n, branch, session: read.session };
  if (read.kind === "beginning") return { n, branch, session: read.prefix, most: read.most };
  if (read.kind === "open") {
    const { what, limit } = read.filter;
    return { n, branch, session: read.session, kinds: what, most: limit };
  }
  const { session, fromSeq, toSeq, kinds, limit } = read.query;
  return { n, branch, session, kinds, most: limit, from: fromSeq ?? 0, to: toSeq ?? Number.MAX_SAFE_INTEGER };
}

/** Rows come as JSON texts, so that branches with different columns are one statement; texts in them are exact. */
function togetherSql(s: string, reads: readonly OneRead[]): string {
  const branches = [...new Set(reads.map(branchOf))].sort();
  return `WITH asked AS MATERIALIZED (SELECT * FROM jsonb_to_recordset($1::text::jsonb)
      AS a (n int, branch text, session text, kinds jsonb, most int, "from" bigint, "to" bigint))
    SELECT n, found, so_far FROM (
      SELECT n, place, found, octet_length(found) AS bytes, sum(octet_length(found)) OVER (ORDER BY n, place) AS so_far
      FROM (${branches.map((branch) => `(${BRANCHES[branch](s)})`).join(" UNION ALL ")}) AS all_found) AS summed
    WHERE so_far - bytes <= $2::bigint ORDER BY n, place`;
}

const ofKinds = (column: string): string =>
  `(a.kinds IS NULL OR ${column} IN (SELECT jsonb_array_elements_text(a.kinds)))`;

const records = (s: string, direction: "ASC" | "DESC"): string => `
  SELECT a.n, ${direction === "ASC" ? "" : "-"}r.seq AS place, json_build_object('session', r.session, 'seq', r.seq, 'id', r.id,
      'kind', r.kind, 'attempt', r.attempt, 'at_ms', r.at_ms, 'body', r.body, 'spilled', encode(r.spilled, 'hex'),
      'forgotten', r.forgotten, 'checksum', r.checksum)::text AS found
    FROM asked a CROSS JOIN LATERAL (SELECT * FROM ${s}.records r
      WHERE r.session = a.session AND r.seq >= a."from" AND r.seq <= a."to" AND ${ofKinds("r.kind")}
      ORDER BY r.seq ${direction} LIMIT a.most) r
    WHERE a.branch = '${direction === "ASC" ? "forward" : "backward"}'`;

const BRANCHES: Readonly<Record<BranchName, (s: string) => string>> = {
  session: (s) => `SELECT a.n, 0::bigint AS place, row_to_json(h)::text AS found
    FROM asked a JOIN ${sessionRows(s)} h ON h.id = a.session WHERE a.branch = 'session'`,
  beginning: (
    s,
  ) => `SELECT a.n, row_number() OVER (PARTITION BY a.n ORDER BY h.id) AS place, row_to_json(h)::text AS found
    FROM asked a CROSS JOIN LATERAL (SELECT * FROM ${sessionRows(s)} h
      WHERE h.id >= a.session COLLATE "C" AND starts_with(h.id, a.session) ORDER BY h.id LIMIT a.most) h
    WHERE a.branch = 'beginning'`,
  open: (
    s,
  ) => `SELECT a.n, o.seq AS place, json_build_object('what', o.what, 'id', o.id, 'seq', o.seq)::text AS found
    FROM asked a CROSS JOIN LATERAL (SELECT * FROM ${s}.open o
      WHERE o.session = a.session AND ${ofKinds("o.what")} ORDER BY o.seq LIMIT a.most) o WHERE a.branch = 'open'`,
  forward: (s) => records(s, "ASC"),
  backward: (s) => records(s, "DESC"),
};
