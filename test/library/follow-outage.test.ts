/** D3: whoever follows a session outlives an outage of its server, misses nothing and sees nothing twice. */
import { expect, onTestFinished, test } from "vitest";
import { openStore } from "../../src/app/store/open-store.ts";
import { RefloatError } from "../../src/model/errors.ts";
import { startServer } from "../support/postgres.ts";

test("D3: a server killed and started again under a follower: it says so, goes on by itself, and gives every record once and in order", async () => {
  const server = await startServer();
  onTestFinished(() => server.stop());
  const store = await openStore(server.url, { schema: "outage" });
  const session = await store.begin({ id: "s", agent: "a", workspace: "/w" });
  const seen: unknown[] = [];
  const troubles: string[] = [];
  const stop = new AbortController();
  const onTrouble = (error: { code: string }) => troubles.push(error.code);
  const following = (async () => {
    for await (const { kind, body } of store.follow("s", 1, { signal: stop.signal, onTrouble })) {
      if (kind === "test.step") seen.push(body.n);
      if (body.n === 3) return;
    }
  })();
  await session.record("test.step", { n: 1 });
  // The driver waits for half a minute by itself; here it gives up at once.
  const { version } = store.raw.driver;
  let isAway = false;
  Object.assign(store.raw.driver, {
    version: (of?: Parameters<typeof version>[0]) =>
      isAway
        ? Promise.reject(new RefloatError("E_STORE_UNREACHABLE", { url: "it", why: "away" }))
        : version(of),
  });
  isAway = true;
  await server.kill();
  await expect.poll(() => troubles.length, { timeout: 60_000 }).toBeGreaterThan(0);
  await server.start();
  isAway = false;
  await session.record("test.step", { n: 2 });
  await session.record("test.step", { n: 3 });
  await following;
  expect(seen).toEqual([1, 2, 3]);
  expect(new Set(troubles)).toEqual(new Set(["E_STORE_UNREACHABLE"]));
  stop.abort();
  await session.finish();
  await store.close();
});
