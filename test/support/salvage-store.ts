/**
 * Real SQLite stores for the tests of salvage: the schema of migrations.ts, rows of all sizes, everything that
 * was written remembered, and ways to damage the files. Rows are inserted by plain SQL, so that a defect of the
 * driver cannot hide one of salvage.
 */
import { createHash } from "node:crypto";
import { closeSync, copyFileSync, existsSync, openSync, readSync, statSync, writeSync } from "node:fs";
import type { ContentHash, RecordId, SessionId } from "../../src/model/ids.ts";
import { CHUNK_BYTES } from "../../src/model/limits.ts";
import type { ContentRow, RawRecord } from "../../src/store/contract/driver.ts";
import { salvageRows } from "../../src/store/damage/salvage.ts";
import type { SalvagedRow, SalvageStats } from "../../src/store/damage/salvaged-row.ts";
import { openDatabase, type SqlDatabase, type SqliteValue } from "../../src/store/sqlite/load.ts";
import { MIGRATIONS, PAGE_BYTES } from "../../src/store/sqlite/migrations.ts";
import { chunksToBlob, fromRecord, hashToBlob, recordKey } from "../../src/store/sqlite/rows.ts";

const SEQS_PER_SESSION = recordKey(1, 0);
export const STORE_ID = "store-of-the-test";

export const keyOf = (row: { session: string; seq: number }): string => `${row.session} ${row.seq}`;
const sha256 = (bytes: Uint8Array): ContentHash =>
  createHash("sha256").update(bytes).digest("hex") as ContentHash;

export interface Written {
  readonly records: Map<string, RawRecord>;
  readonly chunks: Set<string>;
  readonly contents: Map<string, ContentRow>;
  readonly refs: Set<string>;
}

export interface TestStore {
  readonly path: string;
  readonly db: SqlDatabase;
  readonly written: Written;
  run(sql: string, ...values: SqliteValue[]): void;
  all(sql: string): Record<string, SqliteValue>[];
  /** Its next sequence number is one more than the last one written through this object. */
  addRecord(
    session: string,
    body: string,
    more?: { seq?: number; id?: string; spilled?: ContentHash },
  ): RawRecord;
  addContent(bytes: Buffer): ContentRow;
  addRef(hash: ContentHash, record: RawRecord, path: string | null): void;
  commit(work: () => void): void;
  /** Copies database and log as they are now, as a kill would leave them. */
  copyTo(path: string): void;
  close(): void;
}

export function openTestStore(path: string, options: { create: boolean }): TestStore {
  const db = openDatabase(path);
  db.exec("PRAGMA synchronous = OFF; PRAGMA wal_autocheckpoint = 0");
  if (options.create) {
    db.exec(`PRAGMA page_size = ${PAGE_BYTES}; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL`);
    for (const migration of MIGRATIONS) db.exec(migration.sql);
    db.prepare("INSERT INTO meta (key, value) VALUES ('store_id', ?)").run(STORE_ID);
  }
  const heads = new Map<string, number>();
  const written: Written = { records: new Map(), chunks: new Set(), contents: new Map(), refs: new Set() };
  const run = (sql: string, ...values: SqliteValue[]): void => void db.prepare(sql).run(...values);

  // Sessions are numbered in the order they are met, and found again in a store that was opened again.
  const sidFor = (session: string): number => {
    const [known] = db.prepare("SELECT n, seq FROM records WHERE session = ? LIMIT 1").all(session) as {
      n: number;
      seq: number;
    }[];
    if (known) return (known.n - known.seq) / SEQS_PER_SESSION;
    const [last] = db.prepare("SELECT coalesce(max(n), 0) AS n FROM records").all() as { n: number }[];
    return Math.floor((last?.n ?? 0) / SEQS_PER_SESSION) + 1;
  };

  return {
    path,
    db,
    written,
    run,
    all: (sql) => db.prepare(sql).all() as Record<string, SqliteValue>[],
    addRecord(session, body, more = {}) {
      const seq = more.seq ?? (heads.get(session) ?? 0) + 1;
      heads.set(session, seq);
      const row = testRecord(session, seq, body, more);
      run(
        "INSERT INTO records (n, session, seq, id, kind, attempt, at_ms, body, spilled, forgotten, checksum) VALUES (?,?,?,?,?,?,?,?,?,?,?)",
        recordKey(sidFor(session), seq),
        ...fromRecord(row),
      );
      written.records.set(keyOf(row), row);
      return row;
    },
    addContent(bytes) {
      const chunks: ContentHash[] = [];
      for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
        const chunk = bytes.subarray(at, at + CHUNK_BYTES);
        chunks.push(sha256(chunk));
        run(
          "INSERT OR IGNORE INTO chunks (hash, bytes, put_at_ms) VALUES (?, ?, 7)",
          hashToBlob(sha256(chunk)),
          chunk,
        );
        written.chunks.add(sha256(chunk));
      }
      const row: ContentRow = { hash: sha256(bytes), bytes: bytes.length, chunks };
      run(
        "INSERT OR IGNORE INTO contents (hash, bytes, chunks, put_at_ms) VALUES (?, ?, ?, 7)",
        hashToBlob(row.hash),
        row.bytes,
        chunksToBlob(chunks),
      );
      written.contents.set(row.hash, row);
      return row;
    },
    addRef(hash, record, refPath) {
      run(
        "INSERT INTO refs (hash, session, seq, path) VALUES (?, ?, ?, ?)",
        hashToBlob(hash),
        record.session,
        record.seq,
        refPath,
      );
      written.refs.add(JSON.stringify([hash, record.session, record.seq, refPath]));
    },
    commit(work) {
      db.exec("BEGIN IMMEDIATE");
      work();
      db.exec("COMMIT");
    },
    copyTo(to) {
      copyStore(path, to);
    },
    close: () => db.close(),
  };
}

export function testRecord(
  session: string,
  seq: number,
  body: string,
  more: { id?: string; spilled?: ContentHash },
): RawRecord {
  const fields = {
    session: session as SessionId,
    seq,
    id: (more.id ?? `${session}-${seq}`) as RecordId,
    kind: "message.added",
    attempt: seq % 3 === 0 ? null : 1,
    atMs: 1_700_000_000_000 + seq,
    body,
    spilled: more.spilled ?? null,
    isForgotten: false,
  };
  return { ...fields, checksum: Number(fromRecord(fields).at(-1)) };
}

/** What `forget` does to a record, without what it does to the files afterwards. */
export function forgetRecord(store: TestStore, row: RawRecord): RawRecord {
  const fields = { ...row, body: '{"forgotten":true}', spilled: null, isForgotten: true };
  const erased: RawRecord = { ...fields, checksum: Number(fromRecord(fields).at(-1)) };
  store.run(
    "UPDATE records SET body = ?, spilled = NULL, forgotten = 1, checksum = ? WHERE session = ? AND seq = ?",
    erased.body,
    erased.checksum,
    row.session,
    row.seq,
  );
  store.run("DELETE FROM refs WHERE session = ? AND seq = ?", row.session, row.seq);
  store.written.records.set(keyOf(erased), erased);
  return erased;
}

/** Records of three sessions with bodies of 10 bytes to 300 KB, contents of none to several chunks, refs to them. */
export function fillStore(store: TestStore, random: (below: number) => number, records: number): void {
  const sizes = [10, 40, 200, 900, 3_000, 4_000, 4_100, 9_000];
  for (let begun = 0; begun < records; begun += 50) {
    store.commit(() => {
      for (let i = begun; i < Math.min(records, begun + 50); i++) {
        const size = i % 97 === 0 ? 20_000 + random(280_000) : (sizes[random(sizes.length)] ?? 10);
        const row = store.addRecord(`session-${random(3)}`, bodyOf(size, random));
        if (i % 10 === 0)
          store.addRef(
            store.addContent(bytesOf(random(30_000), random)).hash,
            row,
            i % 20 === 0 ? null : `src/file-${i}.ts`,
          );
      }
    });
  }
}

export function bodyOf(bytes: number, random: (below: number) => number): string {
  const word = ["ö", "text ", "\u{1f6a2}", "0123456789"][random(4)] ?? "";
  const text = `${random(1e9)}${word.repeat(Math.ceil(bytes / word.length))}`;
  return JSON.stringify({ text: text.slice(0, bytes).toWellFormed() });
}

export function bytesOf(length: number, random: (below: number) => number): Buffer {
  const bytes = Buffer.alloc(Math.ceil(length / 4) * 4);
  for (let at = 0; at < bytes.length; at += 4) bytes.writeUInt32LE(random(2 ** 32), at);
  return bytes.subarray(0, length);
}

export function copyStore(from: string, to: string): void {
  for (const suffix of ["", "-wal"]) if (existsSync(from + suffix)) copyFileSync(from + suffix, to + suffix);
}

export const pageAt = (page: number): number => (page - 1) * PAGE_BYTES;

export function overwrite(path: string, at: number, bytes: Uint8Array): void {
  const fd = openSync(path, "r+");
  writeSync(fd, bytes, 0, bytes.length, at);
  closeSync(fd);
}

export function flipBit(path: string, at: number, bit: number): void {
  const byte = Buffer.alloc(1);
  const fd = openSync(path, "r");
  readSync(fd, byte, 0, 1, at);
  closeSync(fd);
  overwrite(path, at, Buffer.of((byte[0] ?? 0) ^ (1 << bit)));
}

export const sizeOf = (path: string): number => statSync(path).size;

export interface Salvaged {
  readonly records: Map<string, RawRecord>;
  readonly chunks: Map<string, number>;
  readonly contents: Map<string, ContentRow>;
  readonly refs: Set<string>;
  readonly meta: Map<string, string>;
  readonly broken: Extract<SalvagedRow, { kind: "broken" }>[];
  /** Records, chunks and contents that came a second time: always a defect. */
  readonly repeats: string[];
  readonly stats: SalvageStats;
}

/** `walPath` undefined: the log beside the database. */
export async function salvageAll(path: string, walPath: string | null = `${path}-wal`): Promise<Salvaged> {
  const found = {
    records: new Map(),
    chunks: new Map(),
    contents: new Map(),
    refs: new Set<string>(),
    meta: new Map(),
    broken: [] as Salvaged["broken"],
    repeats: [] as string[],
  };
  const once = <V>(map: Map<string, V>, key: string, value: V): void => {
    if (map.has(key)) found.repeats.push(key);
    map.set(key, value);
  };
  const rows = salvageRows(path, walPath);
  for (;;) {
    const next = await rows.next();
    if (next.done) return { ...found, stats: next.value };
    const row = next.value;
    if (row.kind === "record") once(found.records, keyOf(row.row), row.row);
    else if (row.kind === "chunk") {
      if (sha256(row.bytes) !== row.hash)
        throw new Error(`a chunk that is not what its name says: ${row.hash}`);
      once(found.chunks, row.hash, row.bytes.length);
    } else if (row.kind === "content") once(found.contents, row.row.hash, row.row);
    else if (row.kind === "ref") found.refs.add(JSON.stringify([row.hash, row.session, row.seq, row.path]));
    else if (row.kind === "meta") found.meta.set(row.key, row.value);
    else found.broken.push(row);
  }
}
