/** Through a pooler in transaction mode that keeps no prepared statement: it is found out, and said in the address. The whole suite both ways with REFLOAT_SWEEP=full, else what writes and waits. */
import { afterAll, beforeAll, describe, inject } from "vitest";
import { type Pooler, startPooler } from "../support/pgbouncer.ts";
import { isFull } from "../support/seed.ts";
import { claimLaws } from "./claims.ts";
import { describeStore } from "./describe-store.ts";
import { followLaws } from "./following.ts";
import { journalLaws } from "./journal.ts";
import { postgresPlace } from "./places.ts";

let pooler: Pooler;
beforeAll(async () => {
  pooler = await startPooler(inject("postgresUrl"), inject("postgresPrograms"));
});
afterAll(() => pooler?.stop());

const through = (url: string): string => {
  const pooled = new URL(url);
  pooled.port = new URL(pooler.url).port;
  return pooled.href;
};

const prepared = () => postgresPlace(through);
if (isFull) describeStore("PostgreSQL through a pooler, with prepared statements", prepared);
else
  describe("PostgreSQL through a pooler, with prepared statements", () => {
    describe("journal", () => journalLaws(prepared));
  });

const unprepared = () => postgresPlace((url) => `${through(url)}?prepare=false&connections=1`);
const UNPREPARED = "PostgreSQL through a pooler, without prepared statements and on one connection";
if (isFull) describeStore(UNPREPARED, unprepared);
else
  describe(UNPREPARED, () => {
    describe("journal", () => journalLaws(unprepared));
    describe("claims", () => claimLaws(unprepared));
    describe("follow", () => followLaws(unprepared));
  });
