/** A fleet seen from anywhere: machines, sessions, queues, counts; orders that reach another machine; clocks that are minutes apart (K2, K3). */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openStore } from "../../src/app/store/open-store.ts";
import { ended, type JsonObject, makePlace, type Place } from "../support/cli.ts";
import { testRepository } from "../support/git-repository.ts";
import { ANN } from "../support/left-session.ts";
import { freshSchema } from "../support/postgres.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { until } from "./death.ts";
import { type Host, startHost } from "./host.ts";

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

interface Cloned extends Host {
  readonly work: string;
  /** Of the store. */
  readonly address: string;
}

/** Two machines of namespaces, each with a clone, on a store of their own; `more` is what else stands in its address. */
function twoHosts(more = ""): readonly Cloned[] {
  const { url, schema } = freshSchema();
  const origin = testRepository(temporaryFolder());
  origin.write("a.txt", "one\n");
  origin.commit("base");
  return ["here", "there"].map((name) => {
    const address = `${url}?schema=${schema}${more}`;
    const host = startHost(name, address);
    const work = join(host.disk, "work");
    host.git(host.disk, "clone", "-q", origin.root, work);
    return { ...host, work, address };
  });
}

const LOOKED_MS = 100;

async function stateOf(host: Cloned, session: string): Promise<string> {
  return (await host.json(["show", session], { cwd: host.work })).json.session.state;
}

it.each([
  ["by NOTIFY", ""],
  ["by looking, where a machine has one connection and listens to nobody", "&connections=1"],
])(
  "a session that is live on one machine is suspended, lifted and stopped from another, and its agent ends where it runs, %s (K1, L4)",
  async (_how, more) => {
    const [here, there] = twoHosts(more) as [Cloned, Cloned];
    const ready = join(here.work, ".git/ready");
    const running = here.start(["run", "--", "sh", "-c", `touch ${ready}; sleep 1000; touch ${ready}-past`], {
      cwd: here.work,
      env: ANN,
    });
    const gone = ended(running);
    await until(ready);
    const at = { cwd: there.work };
    const { sessions } = (await there.json(["sessions", "--all"], at)).json;
    expect(sessions).toMatchObject([{ state: "live" }]);
    const { id } = sessions[0];
    expect((await there.json(["suspend", id, "--reason", "from there"], at)).json.suspended).toBe(true);
    // What runs goes on; what is suspended is that anybody goes on with it by himself.
    expect([await stateOf(there, id), running.exitCode]).toEqual(["live", null]);
    expect((await here.json(["lift", id], { cwd: here.work })).json.suspended).toBe(false);
    const stopped = (await there.json(["stop", id, "--reason", "from there"], at)).json;
    expect(stopped, JSON.stringify(stopped)).toMatchObject({ state: "finished", cause: "signal" });
    expect((await gone).signal, "its supervisor ended by itself").toBe(null);
    expect(existsSync(`${ready}-past`), "its agent did not come to its end").toBe(false);
    const store = await openStore(there.address, { thread: false });
    onTestFinished(() => store.close());
    const kinds: string[] = [];
    for await (const { kind } of store.raw.journal(id)) kinds.push(kind);
    const order = ["session.suspended", "session.lifted", "stop.asked", "agent.exited"];
    expect(kinds.filter((kind) => order.includes(kind))).toEqual(order);
  },
  120_000,
);

it("a session that is suspended from another machine while it is live there is taken up by no worker after its machine died, until somebody lifts it (L2)", async () => {
  const [dead, next] = twoHosts() as [Cloned, Cloned];
  const policy = (host: Host): string => {
    const file = join(host.disk, "p.json");
    writeFileSync(file, '{"lost_after": "4s", "look": "100ms", "backoff": "0ms"}');
    return file;
  };
  const { item } = (await dead.json(["queue", "add", "wait"], { cwd: dead.work })).json;
  const ready = join(dead.disk, "ready");
  const first = dead.start(
    ["worker", "--policy", policy(dead), "--", "sh", "-c", `touch ${ready}; sleep 1000`],
    { cwd: dead.work, env: ANN },
  );
  await until(ready);
  const at = { cwd: next.work, env: ANN };
  expect(await stateOf(next, item)).toBe("live");
  expect((await next.json(["suspend", item], at)).json.suspended).toBe(true);
  const gone = ended(first);
  first.kill("SIGKILL");
  await gone;
  const words = ["worker", "--until-idle", "--policy", policy(next), "--", "true"];
  for (let looks = 0; (await stateOf(next, item)) !== "suspended"; looks++) {
    if (looks > 600) throw new Error("its machine's death is not seen");
    await new Promise((resolve) => setTimeout(resolve, LOOKED_MS));
  }
  const left = await next.refloat(words, at);
  expect([left.code, /begins item|goes on with/.test(left.stderr)], left.stderr).toEqual([0, false]);
  expect(await stateOf(next, item)).toBe("suspended");
  expect((await next.json(["lift", item], at)).json.suspended).toBe(false);
  const done = await next.refloat(words, at);
  expect(done.code, done.stderr).toBe(0);
  expect((await next.json(["queue", "list", "--ended"], at)).json.items).toMatchObject([
    { id: item, state: "done" },
  ]);
}, 180_000);
