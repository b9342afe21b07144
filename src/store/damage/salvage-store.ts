/**
 * A new store out of a damaged one (D5): every row that proves itself, the projections computed again, what
 * is missing written down. The damaged files keep their bytes under another name. What a kill leaves between
 * two steps of putting the new one in place; none of it opens as an empty or a shorter store:
 *   1. new store built beside it            the damaged store as it was, and a stray file
 *   2. database renamed to `.damaged-*`     no store: E_STORE_MISSING, because its log or mark is still there
 *   3. log renamed likewise                 the same, because of the mark (one is made if there was none)
 *   4. new store linked to the name         the new store; its mark speaks of the old one: E_STORE_TAIL_LOST
 *   5. mark renamed likewise                the new store
 * After 2 and 3 the same command goes on from the renamed files.
 */
import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { RefloatError } from "../../model/errors.ts";
import type { Clock } from "../../platform/clock.ts";
import { linkDurable, removeDurable, replaceDurable, writeDurable } from "../../platform/durable-file.ts";
import { pidsWithOpen } from "../../platform/open-files.ts";
import { removeTemporary } from "../../platform/private-file.ts";
import { randomId } from "../../platform/random.ts";
import { copyPrivately } from "../../platform/scratch.ts";
import { markPath } from "../../platform/store-address.ts";
import type { SealingKey } from "../contract/seal.ts";
import { Connection } from "../sqlite/connection.ts";
import { type Mark, readMark } from "../sqlite/mark.ts";
import { buildEmptyStore } from "../sqlite/open-file.ts";
import { type LostRows, rebuildProjections } from "../sqlite/rebuild.ts";
import { chunksToBlob, createSession, fromRecord, hashToBlob, recordKey, sidOf } from "../sqlite/rows.ts";
import { salvageRows } from "./salvage.ts";
import type { SalvagedRow } from "./salvaged-row.ts";

const LOCKED =
  "its body is sealed by a key that was not given; what it began or ended is not known. Salvage again with the key";

/** Rows per transaction while filling the new store. */
const BATCH_ROWS = 500;

export interface SalvageResult {
  readonly store: string;
  /** Where the damaged database is now; null when the new store was written elsewhere. */
  readonly kept: string | null;
  readonly records: number;
  readonly contents: number;
  readonly lost: readonly LostRows[];
  readonly broken: readonly string[];
  /** Sessions whose end is known from the note beside the store (D7); null: there is none, so a lost end cannot be seen. */
  readonly endsKnown: number | null;
  /** Sessions there are. */
  readonly sessions: number;
}

/** `to`: writes the new store there and leaves the damaged one alone; left out: puts it in its place. */
export async function salvageStore(
  path: string,
  options: { to?: string; clock: Clock; keys?: readonly SealingKey[] },
): Promise<SalvageResult> {
  if (options.to !== undefined && existsSync(options.to))
    throw new RefloatError("E_EXISTS", { path: options.to });
  if (options.to === undefined) assertUnused(path);
  const target = options.to ?? path;
  const draft = `${target}.draft-${randomId()}`;
  const temporary = `${target}.salvage-${randomId()}`;
  try {
    const source = sourceOf(path);
    const found = await fill(draft, source, options);
    copyPrivately(draft, temporary); // another inode: the connection that filled the draft may live on (connection 4)
    if (options.to !== undefined) linkDurable(temporary, options.to);
    const kept = options.to === undefined ? swap(temporary, path, source.db, options.clock) : null;
    return { ...found, store: target, kept };
  } finally {
    removeTemporary(temporary);
    for (const suffix of ["", "-wal", "-shm"]) removeTemporary(draft + suffix);
  }
}

function assertUnused(path: string): void {
  const pids = pidsWithOpen(path);
  if (pids && pids.length > 0) throw new RefloatError("E_STORE_IN_USE", { path, pids: pids.join(", ") });
}

async function fill(
  draft: string,
  source: Source,
  { clock, keys = [] }: { clock: Clock; keys?: readonly SealingKey[] },
): Promise<Omit<SalvageResult, "store" | "kept">> {
  buildEmptyStore(draft);
  const made = storeIdIn(draft);
  const db = new Connection(draft);
  const broken: string[] = [];
  try {
    const rows = salvageRows(source.db, source.wal);
    for (;;) {
      const batch: SalvagedRow[] = [];
      while (batch.length < BATCH_ROWS) {
        const next = await rows.next();
        if (next.done) break;
        batch.push(next.value);
      }
      if (batch.length === 0) break;
      db.transaction(() => {
        for (const row of batch) insert(db, row, broken);
      });
    }
    const id = db.text(SELECT_STORE_ID);
    // Without its own id the store cannot tell whose note it is: then it is the one beside it.
    const isItsOwn = source.mark !== null && (id === made || id === source.mark.store);
    const marked = isItsOwn ? (source.mark?.heads ?? null) : null;
    const lost = rebuildProjections(db, {
      ...{ nowMs: clock.nowMs(), marked: marked ?? new Map(), keys },
      onLocked: (session, seq) => broken.push(`record ${seq} of ${session}: ${LOCKED}`),
    });
    db.get("PRAGMA wal_checkpoint(TRUNCATE)");
    return {
      endsKnown: marked?.size ?? null,
      sessions: db.number("SELECT count(*) FROM sessions"),
      records: db.number("SELECT count(*) FROM records WHERE kind <> 'rows.lost'"),
      contents: db.number("SELECT count(*) FROM contents"),
      lost,
      broken,
    };
  } finally {
    db.close();
  }
}

const SELECT_STORE_ID = "SELECT value FROM meta WHERE key = 'store_id'";

function storeIdIn(path: string): string | null {
  const db = new Connection(path);
  try {
    return db.text(SELECT_STORE_ID);
  } finally {
    db.close();
  }
}

function insert(db: Connection, row: SalvagedRow, broken: string[]): void {
  switch (row.kind) {
    case "record": {
      const sid = sidOf(db, row.row.session) ?? createSession(db, row.row.session);
      db.run(
        "INSERT INTO records (n, session, seq, id, kind, attempt, at_ms, body, spilled, forgotten, checksum) VALUES (?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT DO NOTHING",
        recordKey(sid, row.row.seq),
        ...fromRecord(row.row),
      );
      return;
    }
    case "chunk":
      db.run(
        "INSERT INTO chunks (hash, bytes, put_at_ms) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
        hashToBlob(row.hash),
        row.bytes,
        row.putAtMs,
      );
      return;
    case "content": {
      const hash = hashToBlob(row.row.hash);
      db.run(
        "INSERT INTO contents (hash, bytes, chunks, put_at_ms) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
        hash,
        row.row.bytes,
        chunksToBlob(row.row.chunks),
        row.putAtMs,
      );
      if (row.row.chunks.length > 1)
        for (const chunk of row.row.chunks)
          db.run(
            "INSERT INTO pieces (chunk, content) VALUES (?, ?) ON CONFLICT DO NOTHING",
            hashToBlob(chunk),
            hash,
          );
      return;
    }
    case "ref":
      insertRef(db, row);
      return;
    case "meta":
      db.run("UPDATE meta SET value = ? WHERE key = ?", row.value, row.key);
      return;
    case "broken":
      broken.push(`${row.page === null ? "log" : `page ${row.page}`}: ${row.why}`);
      return;
    default:
      row satisfies never;
  }
}

/** A ref is not proved by itself: it counts where its record and its content were. */
function insertRef(db: Connection, row: Extract<SalvagedRow, { kind: "ref" }>): void {
  const hash = hashToBlob(row.hash);
  if (!row.hasRecord || !db.get("SELECT n FROM contents WHERE hash = ?", hash)) return;
  if (
    db.get(
      "SELECT n FROM refs WHERE hash = ? AND session = ? AND seq = ? AND path IS ?",
      hash,
      row.session,
      row.seq,
      row.path,
    )
  )
    return;
  db.run(
    "INSERT INTO refs (hash, session, seq, path) VALUES (?, ?, ?, ?)",
    hash,
    row.session,
    row.seq,
    row.path,
  );
}

interface Source {
  readonly db: string;
  readonly wal: string;
  /** How far sessions had come; null: that is not known. */
  readonly mark: Mark | null;
}

/** The store's own files, or those an earlier salvage had renamed when it was killed. */
function sourceOf(path: string): Source {
  const own = { db: path, wal: `${path}-wal`, mark: readMark(path) };
  if (existsSync(path)) return own;
  const prefix = `${basename(path)}.damaged-`;
  const kept = readdirSync(dirname(path)).filter(
    (name) => name.startsWith(prefix) && !/-(?:wal|mark)$/.test(name),
  );
  const newest = kept.sort().at(-1);
  if (newest === undefined) return own;
  const db = join(dirname(path), newest);
  return { db, wal: existsSync(`${db}-wal`) ? `${db}-wal` : own.wal, mark: own.mark ?? readMark(db) };
}

function swap(temporary: string, path: string, source: string, clock: Clock): string {
  const stamp = new Date(clock.nowMs()).toISOString().replace(/[:.]/g, "-");
  const kept = source === path ? `${path}.damaged-${stamp}` : source;
  if (!existsSync(markPath(path))) writeDurable(markPath(path), "{}\n");
  if (existsSync(path)) replaceDurable(path, kept);
  if (existsSync(`${path}-wal`)) replaceDurable(`${path}-wal`, `${kept}-wal`);
  removeDurable(`${path}-shm`);
  linkDurable(temporary, path);
  replaceDurable(markPath(path), `${kept}-mark`);
  return kept;
}
