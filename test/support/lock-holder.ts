/** A process that holds a store's write lock until it is let go, as one that was stopped in the middle of a commit does. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { onTestFinished } from "vitest";

const HOLDER = `
  const { DatabaseSync } = require(process.argv[1]);
  const db = new DatabaseSync(process.argv[2]);
  db.exec("BEGIN IMMEDIATE");
  console.log("held");
  process.stdin.resume().on("end", () => process.exit());
  globalThis.kept = db;
`;

/** The lock is held from here on; call it to let go. */
export async function holdLock(path: string): Promise<() => Promise<void>> {
  const engine = createRequire(import.meta.url).resolve("@photostructure/sqlite");
  const child = spawn(process.execPath, ["-e", HOLDER, engine, path], { stdio: ["pipe", "pipe", "inherit"] });
  const letGo = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  };
  onTestFinished(letGo);
  await once(child.stdout, "data");
  return letGo;
}
