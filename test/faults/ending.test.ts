/** A program that ends by itself while its store's thread is in the middle of something. */
import { expect, test } from "vitest";
import { checkStore } from "../../dist/store/check.js";
import { child, open } from "../conformance/harness.ts";
import { sqlitePlace } from "../conformance/places.ts";

/** Enough for the end to fall into a call of the engine: without the gate about every fourth round did, fatally. */
const ROUNDS = 16;

test("T1, D1: a program that calls process.exit while its store's thread writes ends with the exit code it gave, never by a crash, and the store is whole", async () => {
  const place = sqlitePlace({ thread: true });
  const ends: (number | string)[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const ending = child(
      place,
      `setTimeout(() => process.exit(7), ${5 * round});
       for (let n = 0; ; n++) await store.putContent(Buffer.alloc(3_000_000, n));`,
    );
    ends.push(await ending.ended());
  }
  expect(ends).toEqual(ends.map(() => 7));
  expect((await checkStore(await open(place))).damage).toEqual([]);
});
