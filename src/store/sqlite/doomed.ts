/**
 * Contents that erased records had named: which they are is written in the transaction that erases the names, and they go afterwards, a few in
 * each transaction. One that holds a gigabyte keeps nobody waiting for longer than a megabyte does, and a process that is killed in
 * between leaves a list that whoever erases or collects next goes on with.
 *
 * No grace here: the user ordered the bytes gone, and a put under way of the very same bytes is refused. Other
 * loose chunks are left to gc: somebody may be about to make a content of them.
 */
import { z } from "zod";
import { type ContentHash, parseHash } from "../../model/ids.ts";
import { crashPoint } from "../../platform/crash-point.ts";
import { randomId } from "../../platform/random.ts";
import type { GcResult } from "../contract/driver.ts";
import type { Connection } from "./connection.ts";
import { dropContentRow, dropLooseChunk, readContent } from "./contents.ts";
import { CHUNKS_PER_STEP } from "./gc.ts";
import { hashToBlob } from "./rows.ts";

/** Contents of one list, and so of one transaction, before its chunks. */
const CONTENTS_PER_LIST = 200;

const hashes = z.array(z.string().transform(parseHash));
const list = z.object({ contents: hashes, chunks: hashes });
type List = z.infer<typeof list>;

/** Inside the caller's transaction, which takes their names away. */
export function doom(db: Connection, unnamed: readonly ContentHash[]): void {
  const contents = [...new Set(unnamed)];
  for (let at = 0; at < contents.length; at += CONTENTS_PER_LIST)
    write(db, `doomed-${randomId()}`, { contents: contents.slice(at, at + CONTENTS_PER_LIST), chunks: [] });
}

/** One bounded transaction; null: nothing is left to go. */
export function dropDoomed(db: Connection): GcResult | null {
  // Who collects an ordinary store writes nothing for it.
  if (!next(db)) return null;
  db.exec("PRAGMA secure_delete = ON");
  try {
    const dropped = db.transaction(() => dropSome(db));
    crashPoint("forget.after-drop");
    return dropped;
  } finally {
    db.exec("PRAGMA secure_delete = FAST");
  }
}

function dropSome(db: Connection): GcResult | null {
  const found = next(db);
  if (!found) return null;
  const { key, doomed } = found;
  const now = doomed.chunks.slice(0, CHUNKS_PER_STEP);
  let bytes = 0;
  for (const chunk of now) bytes += dropLooseChunk(db, chunk);
  if (now.length > 0) {
    write(db, key, { ...doomed, chunks: doomed.chunks.slice(now.length) });
    return { contents: 0, bytes };
  }
  const chunks = new Set<ContentHash>();
  let contents = 0;
  for (const content of doomed.contents) {
    // Named again since, by somebody who had it, too: it stays.
    if (db.get("SELECT n FROM refs WHERE hash = ?", hashToBlob(content))) continue;
    for (const chunk of readContent(db, content)?.chunks ?? []) chunks.add(chunk);
    dropContentRow(db, content);
    contents++;
  }
  write(db, key, { contents: [], chunks: [...chunks] });
  return { contents, bytes };
}

function next(db: Connection): { readonly key: string; readonly doomed: List } | null {
  const row = db.get("SELECT key, value FROM meta WHERE key >= 'doomed-' AND key < 'doomed.' LIMIT 1");
  return row ? { key: String(row.key), doomed: list.parse(JSON.parse(String(row.value))) } : null;
}

function write(db: Connection, key: string, doomed: List): void {
  if (doomed.contents.length + doomed.chunks.length === 0) {
    db.run("DELETE FROM meta WHERE key = ?", key);
    return;
  }
  db.run(
    "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
    key,
    JSON.stringify(doomed),
  );
}
