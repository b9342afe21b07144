/**
 * A few lines of library code in a process of their own, to be killed while they wait or at a crash point.
 * They see `openStore`, `store`, `say(text)` and `forever()`; what they say is returned.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished } from "vitest";
import { openStore, type RefloatStore } from "../../src/app/store/open-store.ts";
import { BUILT } from "../chaos/run-writer.ts";
import type { FreshStore } from "../support/both-stores.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** A new store's path in a folder of its own. */
export const newStorePath = (): string => join(temporaryFolder(), "refloat.db");

const PROLOGUE = `
  import { writeSync } from "node:fs";
  const { openStore } = await import(process.argv[2]);
  const say = (text) => writeSync(3, text + "\\n");
  const forever = () => new Promise(() => setInterval(() => undefined, 1000));
  const store = await openStore(process.argv[3], JSON.parse(process.argv[4]));
`;

/** Where a store is: the path of a file, or an address with what opening it needs (a schema of PostgreSQL). */
export type Place = string | FreshStore;

const urlOf = (place: Place): string => (typeof place === "string" ? place : place.url);
const openingOf = (place: Place) => (typeof place === "string" ? {} : place.open);

/** Runs until it says "now", then dies by SIGKILL; or dies by the signal it sends itself. */
export async function killedWhenSaid(
  path: Place,
  body: string,
  by: NodeJS.Signals = "SIGKILL",
): Promise<string[]> {
  const child = start(path, body, {});
  let said = "";
  for await (const text of child.ledger) {
    said += text;
    if (said.endsWith("now\n")) child.process.kill("SIGKILL");
  }
  expect(await child.ended, "ended by our kill").toEqual([null, by]);
  return said.trim().split("\n");
}

/** Dies by SIGKILL at the crash point, in the middle of what it does. */
export async function killedAt(path: Place, point: string, body: string): Promise<string[]> {
  const child = start(path, body, { REFLOAT_CRASH_AT: point });
  let said = "";
  for await (const text of child.ledger) said += text;
  expect(await child.ended, `killed at ${point}`).toEqual([null, "SIGKILL"]);
  return said.trim().split("\n");
}

function start(place: Place, body: string, env: Record<string, string>) {
  const folder = temporaryFolder();
  const program = join(folder, "program.mjs");
  writeFileSync(program, PROLOGUE + body);
  const built = pathToFileURL(join(BUILT, "index.js")).href;
  const child = spawn(process.execPath, [program, built, urlOf(place), JSON.stringify(openingOf(place))], {
    stdio: ["ignore", "inherit", "inherit", "pipe"],
    env: { ...process.env, ...env },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const ledger = child.stdio[3] as Readable;
  ledger.setEncoding("utf8");
  return { process: child, ledger: ledger as AsyncIterable<string>, ended: once(child, "exit") };
}

/** The store opened in this process, closed when the test is over. */
export async function opened(
  place: Place,
  options: Parameters<typeof openStore>[1] = {},
): Promise<RefloatStore> {
  const store = await openStore(urlOf(place), { thread: false, ...openingOf(place), ...options });
  onTestFinished(() => store.close());
  return store;
}
