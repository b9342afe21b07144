/** Where stores can be: a file of SQLite (on this thread or on its own) and a schema of PostgreSQL. */
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";
import { openDatabase } from "../../dist/store/sqlite/load.js";
import { freshSchema } from "../support/postgres.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import type { Place } from "./harness.ts";

export function sqlitePlace(options: { thread: boolean }): Place {
  const folder = join(temporaryFolder(), "home");
  const url = join(folder, "refloat.db");
  return {
    url,
    options,
    // By another process: closing a descriptor of ours would drop the locks SQLite has on these files.
    rawBytes: async () => bytesIn(folder),
    damageChunk: async (hash) =>
      editSqlite(
        url,
        "UPDATE chunks SET bytes = CAST(X'00' || substr(bytes, 2) AS BLOB) WHERE hash = ?",
        Buffer.from(hash, "hex"),
      ),
    damageRow: async (session, seq) =>
      editSqlite(
        url,
        "UPDATE records SET body = replace(body, 'k', 'x') WHERE session = ? AND seq = ?",
        session,
        seq,
      ),
  };
}

/** `through`: the store is reached by another address of the same database; what a test does behind its back is not. */
export function postgresPlace(
  through: (url: string) => string = (url) => url,
  { url, schema } = freshSchema(),
): Place {
  const sql = <T>(work: (client: postgres.Sql) => Promise<T>): Promise<T> => {
    const client = postgres(url, { max: 1, onnotice: () => undefined });
    return work(client).finally(() => client.end());
  };
  return {
    url: through(url),
    options: { schema },
    rawBytes: () =>
      sql(async (client) => {
        await client`checkpoint`;
        const files = await client`
          select pg_read_binary_file(pg_relation_filepath(c.oid)) as bytes
          from pg_class c left join pg_class t on t.reltoastrelid = c.oid
          join pg_namespace n on n.oid in (c.relnamespace, t.relnamespace)
          where n.nspname = ${schema} and pg_relation_filepath(c.oid) is not null`;
        return Buffer.concat(files.map((row) => row.bytes as Uint8Array));
      }),
    damageChunk: (hash) =>
      sql(async (client) => {
        await client.unsafe(
          `update ${schema}.chunks set bytes = set_byte(bytes, 0, 255 - get_byte(bytes, 0)) where hash = decode($1, 'hex')`,
          [hash],
        );
      }),
    damageRow: (session, seq) =>
      sql(async (client) => {
        await client.unsafe(
          `update ${schema}.records set body = replace(body, 'k', 'x') where session = $1 and seq = $2`,
          [session, seq],
        );
      }),
  };
}

/** All at one moment: a log that its last closer removes between the list and the reading is looked for again. */
function bytesIn(folder: string): Buffer {
  for (let round = 0; ; round++) {
    const { status, stdout, stderr } = spawnSync("cat", filesIn(folder), { maxBuffer: 2 ** 28 });
    if (status === 0) return stdout;
    if (round >= 20) throw new Error(String(stderr));
  }
}

function filesIn(folder: string): string[] {
  return (
    readdirSync(folder, { withFileTypes: true })
      // A temporary file of the mark may be gone before it is read; it never holds more than the mark.
      .filter((entry) => entry.isFile() && !entry.name.startsWith(".tmp-"))
      .map((entry) => join(folder, entry.name))
  );
}

function editSqlite(path: string, statement: string, ...values: (string | number | Uint8Array)[]): void {
  const db = openDatabase(path);
  try {
    const edit = db.prepare(statement);
    const { changes } = edit.run(...values);
    if (Number(changes) !== 1) throw new Error(`changed ${changes} rows`);
  } finally {
    db.close();
  }
}
