/** Stores as processes that are gone have left them. Nobody in this process has opened them: their files can be spoilt. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { readMark } from "../../src/store/sqlite/mark.ts";
import { child, type Place } from "../conformance/harness.ts";
import { sqlitePlace } from "../conformance/places.ts";

export const inline = (): Place => sqlitePlace({ thread: false });

export const upTo = (count: number): number[] => Array.from({ length: count }, (_, value) => value);

const write = (session: string, count: number, padding: number): string => `
  const taken = await takeClaim(store, { session: "${session}", owner: selfOwner(), records: () => [] });
  for (let value = 0; value < ${count}; value++) {
    const body = { key: "x".repeat(${padding}), value, reason: null, step: null };
    await store.append("${session}", taken, [record("decided", body, "rec-" + String(value).padStart(4, "0"))]);
  }`;

/** Sessions "s" and "t" with so many records each, all of it copied into the database, and closed. */
export async function closedStore(records: number, padding = 0): Promise<Place> {
  const place = inline();
  const body = `{ ${write("s", records, padding)} } { ${write("t", 5, 0)} } await store.driver.gc(0); await store.close();`;
  expect(await child(place, body).ended()).toBe(0);
  return place;
}

/** Session "s", its records in the log only, its writer killed once the mark speaks of the last of them. */
export async function killedStore(records: number): Promise<Place> {
  const place = inline();
  const body = `await store.driver.gc(0); { ${write("s", records, 0)} } say("written"); setInterval(() => {}, 1000);`;
  const writer = child(place, body);
  await writer.said();
  const isMarked = (): boolean => readMark(place.url)?.heads.get("s") === records + 1;
  while (!isMarked()) await new Promise((resolve) => setTimeout(resolve, 20));
  await writer.kill();
  return place;
}

/** Name, mode and bytes of everything in the store's folder. */
export function everything(place: Place): unknown {
  const folder = dirname(place.url);
  return readdirSync(folder)
    .sort()
    .map((name) => [
      name,
      statSync(join(folder, name)).mode,
      readFileSync(join(folder, name)).toString("hex"),
    ]);
}
