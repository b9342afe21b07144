/** A network with 50 ms each way to the server: claims, and with REFLOAT_SWEEP=full what is open, as a sample of the suite; the rest waits as long and shows no more. */
import { afterAll, beforeAll, describe, inject } from "vitest";
import { type PostgresProxy, postgresProxy } from "../support/postgres-proxy.ts";
import { isFull } from "../support/seed.ts";
import { claimLaws } from "./claims.ts";
import { openLaws } from "./open-things.ts";
import { postgresPlace } from "./places.ts";

let proxy: PostgresProxy;
beforeAll(async () => {
  proxy = await postgresProxy(inject("postgresUrl"), { delayMs: 50 });
});
afterAll(() => proxy?.close());

const far = () =>
  postgresPlace((url) => {
    const slow = new URL(url);
    slow.port = new URL(proxy.url).port;
    return slow.href;
  });

describe("PostgreSQL behind 50 ms", () => {
  describe("claims", () => claimLaws(far));
  if (isFull) describe("open things and sessions", () => openLaws(far));
});
