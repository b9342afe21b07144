/** The whole suite through a pooler in transaction mode that keeps no prepared statement: it is found out, and said in the address. */
import { afterAll, beforeAll, describe, inject } from "vitest";
import { type Pooler, startPooler } from "../support/pgbouncer.ts";
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

describeStore("PostgreSQL through a pooler, with prepared statements", () => postgresPlace(through));

const unprepared = () => postgresPlace((url) => `${through(url)}?prepare=false&connections=1`);
describe("PostgreSQL through a pooler, without prepared statements and on one connection", () => {
  describe("journal", () => journalLaws(unprepared));
  describe("claims", () => claimLaws(unprepared));
  describe("follow", () => followLaws(unprepared));
});
