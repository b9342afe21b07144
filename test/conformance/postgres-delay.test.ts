/** A network that takes 50 ms each way to the server, a tenth of a second for a round trip: the whole suite with REFLOAT_SWEEP=full, else claims, where who waits for whom shows most. */
import { afterAll, beforeAll, describe, inject } from "vitest";
import { type PostgresProxy, postgresProxy } from "../support/postgres-proxy.ts";
import { isFull } from "../support/seed.ts";
import { claimLaws } from "./claims.ts";
import { describeStore } from "./describe-store.ts";
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

const NAME = "PostgreSQL behind 50 ms each way";
if (isFull) describeStore(NAME, far);
else
  describe(NAME, () => {
    describe("claims", () => claimLaws(far));
  });
