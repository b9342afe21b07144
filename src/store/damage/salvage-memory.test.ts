import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { randomFrom } from "../../../test/support/random-from.ts";
import { fillStore, openTestStore, overwrite, pageAt, sizeOf } from "../../../test/support/salvage-store.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { CHUNK_BYTES } from "../../model/limits.ts";
import { salvageRows } from "./salvage.ts";

const MiB = 1024 * 1024;
const RECORDS = 500;
const CONTENTS = 25;
const CHUNKS_EACH = 8;

/** In a process of its own: what it takes to make 200 MB must not hide what it takes to read them. */
const WRITER = `
  const { createHash } = require("node:crypto");
  const [engine, path, contents, chunksEach, chunkBytes] = process.argv.slice(1);
  const db = new (require(engine).DatabaseSync)(path);
  const sha256 = (bytes) => createHash("sha256").update(bytes).digest();
  db.exec("PRAGMA synchronous = OFF");
  for (let i = 0; i < contents; i++) {
    const chunks = Array.from({ length: Number(chunksEach) }, (_, k) => Buffer.alloc(Number(chunkBytes), "chunk " + k + " of content " + i));
    for (const chunk of chunks) db.prepare("INSERT INTO chunks (hash, bytes, put_at_ms) VALUES (?, ?, 1)").run(sha256(chunk), chunk);
    const whole = Buffer.concat(chunks);
    db.prepare("INSERT INTO contents (hash, bytes, chunks, put_at_ms) VALUES (?, ?, ?, 1)").run(sha256(whole), whole.length, Buffer.concat(chunks.map(sha256)));
  }
  db.close();
`;

test("salvage of 200 MB holds keys and one row at a time, never the file (T5)", async () => {
  const path = join(temporaryFolder(), "store.db");
  const store = openTestStore(path, { create: true });
  fillStore(store, randomFrom(5), RECORDS);
  store.close();
  const engine = createRequire(import.meta.url).resolve("@photostructure/sqlite");
  execFileSync(process.execPath, [
    "-e",
    WRITER,
    engine,
    path,
    `${CONTENTS}`,
    `${CHUNKS_EACH}`,
    `${CHUNK_BYTES}`,
  ]);
  overwrite(path, pageAt(1), Buffer.alloc(4096));
  expect(sizeOf(path)).toBeGreaterThan(200 * MiB);

  const before = process.memoryUsage.rss();
  let most = before;
  const sample = (): void => {
    most = Math.max(most, process.memoryUsage.rss());
  };
  // Long stretches give no row; salvage lets the event loop turn in them.
  const sampling = setInterval(sample, 5);
  onTestFinished(() => clearInterval(sampling));
  let records = 0;
  let long = 0;
  for await (const row of salvageRows(path, `${path}-wal`)) {
    if (row.kind === "record") records++;
    if (row.kind === "content" && row.row.chunks.length === CHUNKS_EACH) long++;
    sample();
  }
  const grownMiB = Math.round((most - before) / MiB);
  console.log(`salvage of ${Math.round(sizeOf(path) / MiB)} MiB grew by ${grownMiB} MiB at most`);
  expect([records, long]).toEqual([RECORDS, CONTENTS]);
  // Less than the file: most of it is garbage not yet collected.
  expect(grownMiB).toBeLessThan(190);
});
