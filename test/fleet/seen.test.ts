/** A fleet seen from anywhere: machines, sessions, queues, counts; orders that reach another machine; clocks that are minutes apart (K2, K3). */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ended, type JsonObject, makePlace, type Place } from "../support/cli.ts";
import { testRepository } from "../support/git-repository.ts";
import { freshSchema } from "../support/postgres.ts";
import { until } from "./death.ts";

interface Machine {
  readonly place: Place;
  readonly env: Record<string, string>;
  json(...args: string[]): Promise<JsonObject>;
}

/** By an injected id; its clock so many minutes ahead of everybody's. */
function machine(id: string, url: string, minutes = 0): Machine {
  const place = makePlace();
  const repository = testRepository(place.workspace);
  repository.write("a.txt", "one\n");
  repository.git("add", "-A");
  repository.git("commit", "-q", "-m", "base", "--date", "2026-01-01T00:00:00Z");
  const offset = join(place.home, "offset.mjs");
  writeFileSync(offset, `const now = Date.now; Date.now = () => now() + ${minutes * 60_000};`);
  const env = {
    ...{ REFLOAT_STORE: url, REFLOAT_HOST_ID: id.padEnd(16, "0") },
    ...(minutes === 0 ? {} : { NODE_OPTIONS: `--import=${offset}` }),
  };
  return { place, env, json: async (...args) => (await place.json(args, { env })).json };
}

it("a worker is seen from another machine with its last sign of life, its session and its counts; a stop given there ends its agent here (K2)", async () => {
  const { url } = freshSchema();
  // Twenty minutes apart, both wrong: neither makes the other look dead.
  const [busy, other] = [machine("aaaa", url, 10), machine("bbbb", url, -10)];
  const { item } = await busy.json("queue", "add", "wait");
  await busy.json("queue", "add", "later", "--after", "2h");
  const worker = busy.place.start(
    ["worker", "--metrics", "0", "--", "sh", "-c", `touch ${busy.place.home}/ready; sleep 1000`],
    { env: busy.env },
  );
  let said = "";
  worker.stderr?.on("data", (piece: Buffer) => {
    said += piece;
  });
  await until(join(busy.place.home, "ready"));
  const fleet = await other.json("status", "--fleet");
  expect(fleet.hosts).toMatchObject([
    { host: busy.env.REFLOAT_HOST_ID, workers: 1, live: 1, lost: 0, strikes: 0 },
  ]);
  const seenMs = Date.parse(fleet.hosts[0].last_seen) - (Date.now() - 600_000);
  expect(Math.abs(seenMs), "by the clock of who looks").toBeLessThan(300_000);
  expect(fleet.queues).toMatchObject([{ waiting: 0, deferred: 1, taken: 1, oldest: null }]);
  const ids = async (host: string): Promise<string[]> =>
    (await other.json("sessions", "--all", "--host", host)).sessions.map((one: JsonObject) => one.id);
  expect([await ids("aaaa"), await ids("bbbb"), await ids("cccc")]).toEqual([[item], [], []]);
  expect((await other.json("sessions", "--all")).sessions).toMatchObject([{ id: item, state: "live" }]);
  const address = /metrics at (\S+)/.exec(said)?.[1] ?? "";
  const text = await (await fetch(address)).text();
  expect(text).toContain('refloat_worker_begun_total{what="item"} 1\n');
  expect(text).toContain('refloat_fleet_sessions{state="live"} 1\n');
  expect(text).toMatch(/refloat_queue_items\{repository="[0-9a-f]{24}",name="[^"]+",state="deferred"\} 1\n/);
  expect((await fetch(address.replace("/metrics", "/"))).status).toBe(404);
  const stopped = await other.json("stop", item, "--reason", "from there");
  expect(stopped).toMatchObject({ state: "finished" });
  expect((await other.json("suspend", item)).suspended).toBe(true);
  expect((await other.json("lift", item)).suspended).toBe(false);
  worker.kill("SIGTERM");
  expect((await ended(worker)).code).toBe(0);
  expect((await busy.json("queue", "list", "--ended")).items).toMatchObject([
    { state: "deferred" },
    { id: item, state: "failed" },
  ]);
}, 120_000);

it("on one machine with a store of its own the fleet is that machine; where nothing ever was it is nobody", async () => {
  const place = makePlace();
  testRepository(place.workspace).commit("base");
  expect((await place.json(["status", "--fleet"])).json).toMatchObject({ hosts: [], queues: [] });
  const child = place.start(["run", "--", "sh", "-c", `touch ${place.home}/ready; sleep 1000`]);
  await until(join(place.home, "ready"));
  const { json } = await place.json(["status", "--fleet"]);
  expect(json).toMatchObject({ hosts: [{ live: 1, workers: 0 }], counts: { live: 1 } });
  child.kill("SIGTERM");
  await ended(child);
}, 60_000);
