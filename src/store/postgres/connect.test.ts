/** What the client library leaves behind when a connection breaks: nothing may outlive a store that is closed, or its process never ends. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { freshSchema } from "../../../test/support/postgres.ts";
import { postgresProxy } from "../../../test/support/postgres-proxy.ts";
import { systemClock } from "../../platform/clock.ts";
import { connectTo, inTurn } from "./connect.ts";
import { postgresPlace } from "./server-address.ts";
import { Wire } from "./wire.ts";

/** Looks, 50 ms apart, at whether the last connection is gone: a goodbye takes a moment. */
const LOOKS = 60;

test("statements that waited for a connection that broke are all answered, and no connection is left open behind the close (D4)", async () => {
  const { url } = freshSchema();
  const net = await postgresProxy(url);
  onTestFinished(() => net.close());
  const place = postgresPlace(net.url);
  const connect = await connectTo(place);
  const wire = new Wire({
    ...{ place, clock: systemClock, connections: 1 },
    connect: (many) => inTurn(connect(many), many),
  });
  await wire.ask("SELECT 0 AS n");
  net.cut();
  const asked = Array.from({ length: 6 }, (_, n) => wire.ask(`SELECT ${n} AS n`));
  await sleep(50);
  // Every connection is gone; the server is there.
  net.moveTo(url);
  net.heal();
  expect((await Promise.all(asked)).map(([row]) => row?.n)).toEqual([0, 1, 2, 3, 4, 5]);
  await wire.close();
  for (let looks = 0; looks < LOOKS && net.connections.open > 0; looks++) await sleep(50);
  expect(net.connections.open).toBe(0);
});
