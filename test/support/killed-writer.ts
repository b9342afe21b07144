/** A process that is killed, as by kill -9, in the middle of a transaction whose first pages are already in the log. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import type { RawRecord } from "../../src/store/contract/driver.ts";
import { fromRecord } from "../../src/store/sqlite/rows.ts";

/** With room for ten pages in memory, SQLite writes uncommitted ones to the log long before the commit. */
const WRITER = `
  const { DatabaseSync } = require(process.argv[1]);
  const db = new DatabaseSync(process.argv[2]);
  db.exec("PRAGMA cache_size = 10; PRAGMA wal_autocheckpoint = 0; BEGIN IMMEDIATE");
  const insert = db.prepare("INSERT INTO records (session, seq, id, kind, attempt, at_ms, body, spilled, forgotten, checksum) VALUES (?,?,?,?,?,?,?,?,?,?)");
  require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    for (const row of JSON.parse(line)) insert.run(...row);
    console.log("written");
  });
  globalThis.kept = [db, insert];
`;

export async function killWhileWriting(path: string, rows: readonly RawRecord[]): Promise<void> {
  const engine = createRequire(import.meta.url).resolve("@photostructure/sqlite");
  const child = spawn(process.execPath, ["-e", WRITER, engine, path], { stdio: ["pipe", "pipe", "inherit"] });
  try {
    child.stdin.write(`${JSON.stringify(rows.map(fromRecord))}\n`);
    const line = await Promise.race([firstLine(child), once(child, "exit").then(() => null)]);
    if (line !== "written") throw new Error("the writer died before it had written anything");
  } finally {
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  }
}

async function firstLine(child: ChildProcess): Promise<string | null> {
  if (!child.stdout) return null;
  for await (const line of createInterface({ input: child.stdout })) return line;
  return null;
}
