/** Contents: chunk rows addressed by SHA-256, and the contents made of them (D1: put before the record that names them). */
import { z } from "zod";
import { type ContentHash, parseHash } from "../../model/ids.ts";
import { LOCK_WAIT_MS, UNNAMED_CONTENT_GRACE_MS } from "../../model/limits.ts";
import { crashPoint } from "../../platform/crash-point.ts";
import type { Chunk, ContentRow, GcResult } from "../contract/driver.ts";
import { CONTENT_COLUMNS, toContent } from "./rows.ts";
import type { PostgresRow, Wire } from "./wire.ts";

/** Chunks of one statement: its text, in hexadecimal, stays a few dozen MiB on both sides. */
const CHUNKS_PER_PUT = 16;
/** Looked at in one statement of gc, which locks nothing. */
const LOOKED_AT_PER_STEP = 2000;
/** One transaction of gc: others wait for its row locks no longer than this takes. */
const CONTENTS_PER_STEP = 500;
const CHUNKS_PER_STEP = 64;
/** Rewriting the whole table locks everybody out of it, so it must give back at least this part of it. */
const REWRITE_FRACTION = 0.25;
/** Below this, indexes and half-filled pages are most of the difference. */
const REWRITE_MIN_BYTES = 1024 * 1024;
const CONTENT_TABLES = ["chunks", "contents", "pieces"];

/** Returns the server's fsync setting: the caller decides whether that counts as saved. */
export async function putChunks(
  wire: Wire,
  chunks: readonly Chunk[],
  content: ContentRow | null,
  nowMs: number,
): Promise<string> {
  let at = 0;
  for (; chunks.length - at > CHUNKS_PER_PUT; at += CHUNKS_PER_PUT) {
    await put(wire, chunks.slice(at, at + CHUNKS_PER_PUT), null, nowMs);
    crashPoint("content.after-chunk");
  }
  if (content) crashPoint("content.before-row");
  return put(wire, chunks.slice(at), content, nowMs);
}

async function put(
  wire: Wire,
  chunks: readonly Chunk[],
  content: ContentRow | null,
  nowMs: number,
): Promise<string> {
  const hex = chunks.map(({ hash, bytes }) => ({ hash, bytes: Buffer.from(bytes).toString("hex") }));
  const request = JSON.stringify({ chunks: hex, content, nowMs });
  const [row] = await wire.ask(`SELECT ${wire.place.schema}.put_1($1) AS fsync`, [request], {
    isWrite: true,
  });
  return String(row?.fsync);
}

/** Returns the server's fsync setting, as a put does. */
export async function replaceChunk(wire: Wire, { hash, bytes }: Chunk): Promise<string> {
  const [row] = await wire.ask(
    `SELECT ${wire.place.schema}.reseal_1($1, $2) AS fsync`,
    [hash, Buffer.from(bytes).toString("hex")],
    { isWrite: true },
  );
  return String(row?.fsync);
}

/** What is answered as held stays held for the grace period, so that it need not be put again. */
export async function hasChunks(
  wire: Wire,
  hashes: readonly ContentHash[],
  nowMs: number,
): Promise<readonly ContentHash[]> {
  if (hashes.length === 0) return [];
  const [row] = await wire.ask(
    `SELECT ${wire.place.schema}.held_1($1, $2, $3) AS held`,
    [JSON.stringify(hashes), nowMs, nowMs - UNNAMED_CONTENT_GRACE_MS / 2],
    { isWrite: true },
  );
  const held = new Set(z.array(z.string()).parse(row?.held));
  return hashes.filter((hash) => held.has(hash));
}

export async function readContent(wire: Wire, hash: ContentHash): Promise<ContentRow | null> {
  const [row] = await wire.ask(
    `SELECT ${CONTENT_COLUMNS} FROM ${wire.place.schema}.contents WHERE hash = decode($1, 'hex')`,
    [hash],
  );
  return row ? toContent(row) : null;
}

export async function readChunk(wire: Wire, hash: ContentHash): Promise<Uint8Array | null> {
  const [row] = await wire.ask(
    `SELECT bytes FROM ${wire.place.schema}.chunks WHERE hash = decode($1, 'hex')`,
    [hash],
  );
  return row ? (row.bytes as Uint8Array) : null;
}

export async function listChunks(
  wire: Wire,
  after: ContentHash | null,
  limit: number,
): Promise<readonly ContentHash[]> {
  const rows = await wire.ask(
    `SELECT encode(c.hash, 'hex') AS hash FROM ${wire.place.schema}.chunks c WHERE c.hash > decode($1, 'hex') ORDER BY c.hash LIMIT $2`,
    [after ?? "", limit],
  );
  return rows.map(({ hash }) => parseHash(String(hash)));
}

export async function listContents(
  wire: Wire,
  after: ContentHash | null,
  limit: number,
): Promise<readonly ContentRow[]> {
  const rows = await wire.ask(
    `SELECT ${CONTENT_COLUMNS} FROM ${wire.place.schema}.contents c WHERE c.hash > decode($1, 'hex') ORDER BY c.hash LIMIT $2`,
    [after ?? "", limit],
  );
  return rows.map(toContent);
}

/** What the steps of gc would drop in all. Reads only. */
export async function unnamed(wire: Wire, beforeMs: number): Promise<GcResult> {
  const { schema } = wire.place;
  const [row] = await wire.ask(
    `WITH going AS MATERIALIZED (SELECT c.hash FROM ${schema}.contents c WHERE c.put_at_ms < $1
       AND NOT EXISTS (SELECT FROM ${schema}.refs WHERE refs.hash = c.hash))
     SELECT (SELECT count(*) FROM going) AS contents, coalesce(sum(octet_length(k.bytes)), 0) AS bytes
     FROM ${schema}.chunks k WHERE k.put_at_ms < $1
       AND NOT EXISTS (SELECT FROM ${schema}.contents c WHERE c.hash = k.hash AND NOT EXISTS (SELECT FROM going WHERE going.hash = c.hash))
       AND NOT EXISTS (SELECT FROM ${schema}.pieces p WHERE p.chunk = k.hash AND NOT EXISTS (SELECT FROM going WHERE going.hash = p.content))`,
    [beforeMs],
    { attemptMs: null },
  );
  return { contents: Number(row?.contents), bytes: Number(row?.bytes) };
}

/**
 * Looked for in a statement of its own, page by page in the order of hashes, so that nobody's row is locked while the rest of the store is
 * looked through, and nothing is looked at twice; `drop_contents` and `drop_chunks` look at each again under its lock.
 */
export async function collect(wire: Wire, beforeMs: number): Promise<GcResult> {
  const { schema } = wire.place;
  // Contents first: what they were made of is loose only then.
  const { contents } = await collectAll(wire, beforeMs, {
    table: "contents",
    isGoing: `NOT EXISTS (SELECT FROM ${schema}.refs WHERE refs.hash = c.hash)`,
    drop: `SELECT ${schema}.drop_contents(ARRAY(SELECT decode(e, 'hex') FROM jsonb_array_elements_text($1::text::jsonb) AS e), $2) AS contents, 0 AS bytes`,
    perStep: CONTENTS_PER_STEP,
  });
  const { bytes } = await collectAll(wire, beforeMs, {
    table: "chunks",
    isGoing: `NOT EXISTS (SELECT FROM ${schema}.contents WHERE contents.hash = c.hash)
      AND NOT EXISTS (SELECT FROM ${schema}.pieces WHERE pieces.chunk = c.hash)`,
    // Who puts one again renews its time: asked of the row once it is locked.
    drop: `SELECT 0 AS contents, freed AS bytes FROM ${schema}.drop_chunks(ARRAY(SELECT c.hash FROM ${schema}.chunks c
      WHERE c.hash IN (SELECT decode(e, 'hex') FROM jsonb_array_elements_text($1::text::jsonb) AS e) AND c.put_at_ms < $2
      ORDER BY c.hash FOR UPDATE))`,
    perStep: CHUNKS_PER_STEP,
  });
  await giveSpaceBack(wire);
  return { contents, bytes };
}

interface Collected {
  readonly table: "contents" | "chunks";
  readonly isGoing: string;
  readonly drop: string;
  readonly perStep: number;
}

async function collectAll(
  wire: Wire,
  beforeMs: number,
  { table, isGoing, drop, perStep }: Collected,
): Promise<GcResult> {
  const total = { contents: 0, bytes: 0 };
  for (let after: string | null = ""; after !== null; ) {
    const rows: readonly PostgresRow[] = await wire.ask(
      `SELECT encode(c.hash, 'hex') AS hash, c.put_at_ms < $2 AND ${isGoing} AS going
         FROM (SELECT * FROM ${wire.place.schema}.${table} c WHERE c.hash > decode($1, 'hex')
           ORDER BY c.hash LIMIT ${LOOKED_AT_PER_STEP}) AS c ORDER BY c.hash`,
      [after, beforeMs],
      { attemptMs: null },
    );
    const found = rows.filter(({ going }) => going === true).map(({ hash }) => String(hash));
    for (let at = 0; at < found.length; at += perStep) {
      const [dropped] = await wire.ask(drop, [JSON.stringify(found.slice(at, at + perStep)), beforeMs], {
        isWrite: true,
        attemptMs: null,
      });
      total.contents += Number(dropped?.contents);
      total.bytes += Number(dropped?.bytes);
    }
    after = rows.length < LOOKED_AT_PER_STEP ? null : String(rows.at(-1)?.hash);
  }
  return total;
}

/**
 * A plain VACUUM makes the space usable again; only a rewrite gives it back to the disk. What counts is what the
 * table holds without need, not what this gc freed: an earlier rewrite may have had to keep it.
 */
async function giveSpaceBack(wire: Wire): Promise<void> {
  const { schema } = wire.place;
  const [row] = await wire.ask(
    `SELECT pg_total_relation_size($1::text::regclass) AS held,
            (SELECT coalesce(sum(octet_length(bytes)), 0) FROM ${schema}.chunks) AS needed`,
    [`${schema}.chunks`],
    { attemptMs: null },
  );
  const [held, needed] = [Number(row?.held), Number(row?.needed)];
  const idle = held - needed;
  if (idle >= REWRITE_MIN_BYTES && idle >= REWRITE_FRACTION * held) {
    await rewriteTables(wire, CONTENT_TABLES);
    return;
  }
  for (const table of CONTENT_TABLES) await wire.maintain(`VACUUM ${schema}.${table}`);
}

/**
 * Rewriting tables, so that what was deleted is out of their files (T5, D2). PostgreSQL keeps a deleted row for as long
 * as any transaction of the database began before the deletion was committed: its VACUUM then copies the row
 * along and says nothing. So we wait for those transactions first, as its own concurrent index builds do.
 */
const POLL_MS = 50;

/** `kept`: somebody's older transaction did not end in time, so deleted rows may still be in the files. */
type RewriteOutcome = "clean" | "kept";

export async function rewriteTables(wire: Wire, tables: readonly string[]): Promise<RewriteOutcome> {
  const isClear = await olderTransactionsEnd(wire);
  // With ANALYZE: the planner's statistics hold samples of what was in the columns.
  for (const table of tables) await wire.maintain(`VACUUM (FULL, ANALYZE) ${wire.place.schema}.${table}`);
  return isClear ? "clean" : "kept";
}

const names = z.array(z.object({ name: z.string() }));

/**
 * Every transaction holds a lock on its own virtual id, and who holds it may be read without any privilege. Of the server's
 * own workers one that vacuums keeps nothing; one that analyzes does, as long as its table takes.
 */
async function runningTransactions(wire: Wire): Promise<readonly string[]> {
  const rows = await wire.ask(
    `SELECT l.virtualtransaction AS name FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
       WHERE l.locktype = 'virtualxid' AND l.granted AND a.datname = current_database()
         AND l.pid <> pg_backend_pid()
         AND (a.backend_type = 'autovacuum worker' AND a.query LIKE 'autovacuum: VACUUM %'
              AND a.query NOT LIKE '%ANALYZE%') IS NOT TRUE`,
  );
  return names.parse(rows).map(({ name }) => name);
}

async function olderTransactionsEnd(wire: Wire): Promise<boolean> {
  const older = new Set(await runningTransactions(wire));
  for (let waitedMs = 0; older.size > 0; waitedMs += POLL_MS) {
    if (waitedMs >= LOCK_WAIT_MS) return false;
    await wire.pause(POLL_MS);
    const running = new Set(await runningTransactions(wire));
    for (const name of older) if (!running.has(name)) older.delete(name);
  }
  return true;
}
