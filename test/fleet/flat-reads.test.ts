/** A store that many machines share is asked as often for five hundred sessions as for ten: counted on the wire, by a proxy. */
import { expect, onTestFinished, test } from "vitest";
import { openStore, type RefloatStore } from "../../src/app/store/open-store.ts";
import { addItem } from "../../src/fleet/queue.ts";
import type { RepositoryId } from "../../src/fleet/queue-place.ts";
import type { SessionId } from "../../src/model/ids.ts";
import { HEARTBEAT_INTERVAL_MS } from "../../src/model/limits.ts";
import { newRecord } from "../../src/session/new-record.ts";
import type { OpenStoreOptions } from "../../src/store/open-raw-store.ts";
import type { Store } from "../../src/store/store.ts";
import { deadOwner, elsewhereOwner, makePlace, type Place } from "../support/cli.ts";
import { testRepository } from "../support/git-repository.ts";
import { freshSchema, startServer } from "../support/postgres.ts";
import { type PostgresProxy, postgresProxy } from "../support/postgres-proxy.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const isRing = (statement: string): boolean => statement.includes("pg_notify");
const counted = ({ statements }: PostgresProxy): number => statements.filter((one) => !isRing(one)).length;

interface Fleet {
  readonly proxy: PostgresProxy;
  readonly place: Place;
  /** A store by the library, through the proxy. */
  open(options?: OpenStoreOptions): Promise<RefloatStore>;
}

async function fleet(): Promise<Fleet> {
  const server = await startServer();
  onTestFinished(() => server.stop());
  const proxy = await postgresProxy(server.url);
  onTestFinished(() => proxy.close());
  const open: Fleet["open"] = async (options) => {
    const store = await openStore(proxy.url, options);
    onTestFinished(() => store.close());
    return store;
  };
  return { proxy, place: makePlace(), open };
}

const REPOSITORY = "0123456789abcdef01234567" as RepositoryId;
/** An item that waits until then waits for good. */
const FAR_MS = 4_000_000_000_000;

/** Of four sessions one is cut off in a call, one was recovered and is suspended, one is held on another machine, one is finished. */
async function addSessions(store: RefloatStore, from: number, to: number): Promise<void> {
  const one = async (n: number): Promise<void> => {
    const owner = n % 4 === 2 ? elsewhereOwner() : deadOwner();
    const session = await store.begin({
      ...{ id: `s-${n}`, agent: "t", workspace: `/far/away/${n % 7}`, owner },
      captures: "off",
    });
    const turn = await session.turn("go");
    if (n % 4 === 3) {
      await turn.end("completed");
      await session.finish();
    } else await turn.call({ id: "c", tool: "x", input: {} });
    if (n % 4 === 1) await store.stop(session.id);
  };
  for (let at = from; at < to; at += 50)
    await Promise.all(Array.from({ length: Math.min(50, to - at) }, (_, i) => one(at + i)));
}

async function addItems({ raw }: RefloatStore, from: number, to: number): Promise<void> {
  for (let n = from; n < to; n++) {
    const item = { repository: REPOSITORY, name: "app", priority: n % 10, prompt: `${n}`, retries: null };
    await addItem(raw, { ...item, notBeforeMs: n % 2 === 0 ? null : FAR_MS, after: null });
  }
}

const LISTS = [
  ["sessions", "--all"],
  ["status", "--all"],
  ["claim", "status"],
  ["status", "--fleet"],
  ["queue", "list", "--all", "--ended"],
  // One look of a worker that finds nothing to do, its coming and its going.
  ["worker", "--until-idle", "--", "true"],
] as const;

test("lists, and a worker's look, take as many statements for five hundred sessions as for ten, `sessions --all` five at most, over one connection", {
  timeout: 300_000,
}, async () => {
  const { proxy, place, open } = await fleet();
  const repository = testRepository(place.workspace);
  repository.write("a.txt", "one\n");
  repository.commit("base");
  const env = { REFLOAT_STORE: proxy.url };
  const found = new Map<number, number[]>();
  for (const [from, to] of [
    [0, 10],
    [10, 500],
  ] as const) {
    const store = await open();
    await addSessions(store, from, to);
    await addItems(store, from, Math.min(to, 100));
    // Its heartbeats would be counted, too.
    await store.close();
    const counts: number[] = [];
    for (const args of LISTS) {
      proxy.reset();
      expect((await place.refloat(args, { env })).code, args.join(" ")).toBe(0);
      counts.push(counted(proxy));
      expect(proxy.connections.most, args.join(" ")).toBeLessThanOrEqual(args[0] === "worker" ? 2 : 1);
    }
    found.set(to, counts);
  }
  console.log(JSON.stringify({ of: LISTS.map((args) => args.join(" ")), statements: [...found] }));
  expect(found.get(500)).toEqual(found.get(10));
  expect(found.get(500)?.[0]).toBeLessThanOrEqual(5);
});

test("`sessions --all` of ten thousand sessions takes five statements at most, and lists each of them", {
  timeout: 300_000,
}, async () => {
  const { proxy, place, open } = await fleet();
  const store = await open();
  await addSessions(store, 0, 100);
  // Its heartbeats would be counted, too.
  await store.close();
  // Copies of what the hundred left, as rows: beginning ten thousand by the library would take minutes.
  const sql = (await import("postgres")).default(proxy.url, { max: 1, onnotice: () => undefined });
  onTestFinished(() => sql.end());
  await sql.unsafe(`
    INSERT INTO refloat.sessions SELECT s.id || '-' || n, head, facts, attempt, owner, holder, acquired_at_ms, heartbeat_at_ms, threshold_ms
      FROM refloat.sessions s, generate_series(1, 99) AS n;
    INSERT INTO refloat.open SELECT o.session || '-' || n, seq, what, o.id FROM refloat.open o, generate_series(1, 99) AS n`);
  proxy.reset();
  const { code, json } = await place.json(["sessions", "--all"], { env: { REFLOAT_STORE: proxy.url } });
  expect([code, json.sessions.length]).toEqual([0, 10_000]);
  expect(counted(proxy)).toBeLessThanOrEqual(5);
});

/** Each cut off in a call, and its owner proved dead. */
async function addDead(
  store: RefloatStore,
  ids: readonly string[],
  workspaceOf: (id: string) => string,
): Promise<void> {
  const one = async (id: string): Promise<void> => {
    const began = {
      id,
      agent: "t",
      workspace: workspaceOf(id),
      owner: deadOwner(),
      captures: "off",
    } as const;
    const turn = await (await store.begin(began)).turn("go");
    await turn.call({ id: "c", tool: "x", input: {} });
  };
  await Promise.all(ids.map(one));
}

/** A folder of an agent's that is not there: it has to be looked whether that agent kept something. */
const AGENTS = { CODEX_HOME: "/no/such/folder" };

test("a recovery takes ten statements at most for sixty dead sessions as for two, whether or not agents keep something there, and the ring of its commits is not one per commit (K4)", {
  timeout: 300_000,
}, async () => {
  const { proxy, open } = await fleet();
  const counts: number[] = [];
  for (const agents of [{}, AGENTS]) {
    for (const dead of [2, 60]) {
      const schema = `s${counts.length}`;
      const store = await open({ env: { HOME: temporaryFolder(), ...agents }, schema });
      const ids = Array.from({ length: dead }, (_, n) => `s-${n}`);
      await addDead(store, ids, () => "/far/away");
      proxy.reset();
      expect((await store.recover()).length).toBe(dead);
      counts.push(counted(proxy));
      expect(proxy.statements.filter(isRing).length).toBeLessThan(Math.max(3, dead / 2));
    }
  }
  console.log(JSON.stringify({ of: "recovery of 2 and 60, without and with agents", statements: counts }));
  expect(counts[1]).toBe(counts[0]);
  expect(counts[3]).toBe(counts[2]);
  expect(Math.max(...counts)).toBeLessThanOrEqual(10);
});

/** What its agent's hooks told: a prompt, and a call that was open when it died. */
const hookedCall = (at: Store["clock"], id: string) => {
  const told = { agent: "codex", event: "PreToolUse", native_id: `n-${id}`, cwd: "/far/away", child: null };
  const call = {
    kind: "call",
    id: "h",
    tool: "shell",
    does: "execute",
    input: {},
    at: null,
    proof: "started",
  };
  const heard = [{ ...call, paths: [], edits: [], child: null }];
  return newRecord(at, "agent.observed", { ...told, heard, process: null, pid_namespace: null });
};

test("sessions whose hooks told something take five more statements each to recover: what they told is taken in one after the other", {
  timeout: 300_000,
}, async () => {
  const { proxy, open } = await fleet();
  const counts: number[] = [];
  for (const hooked of [0, 1, 6]) {
    const schema = `s${counts.length}`;
    const store = await open({ env: { HOME: temporaryFolder(), ...AGENTS }, schema });
    const ids = Array.from({ length: 10 }, (_, n) => `s-${n}`) as SessionId[];
    await addDead(store, ids, () => "/far/away");
    for (const id of ids.slice(0, hooked))
      await store.raw.append(id, "anyone", [hookedCall(store.raw.clock, id)]);
    proxy.reset();
    expect((await store.recover()).length).toBe(ids.length);
    counts.push(counted(proxy));
    const heard = await Promise.all(
      ids.map((id) => store.raw.records({ session: id, kinds: ["call.requested", "call.started"] })),
    );
    expect(heard.filter((calls) => calls.some(({ body }) => body.tool === "shell"))).toHaveLength(hooked);
  }
  console.log(
    JSON.stringify({ of: "recovery of 10, of which hooks told of 0, 1 and 6", statements: counts }),
  );
  const [none = 0, one = 0, six = 0] = counts;
  expect(none).toBeLessThanOrEqual(10);
  expect([one - none, six - one]).toEqual([5, 25]);
});

test("an append is one statement, and the heartbeats of all sessions of a process are one (D1, K2)", async () => {
  const { url, schema } = freshSchema();
  const proxy = await postgresProxy(url);
  onTestFinished(() => proxy.close());
  const timers: (() => void)[] = [];
  const { setInterval: real } = globalThis;
  // Only the heartbeat's timer, called by hand: nothing here waits half a minute.
  globalThis.setInterval = ((fn: () => void, ms: number) => {
    if (ms === HEARTBEAT_INTERVAL_MS) timers.push(fn);
    return real(fn, ms);
  }) as typeof setInterval;
  onTestFinished(() => {
    globalThis.setInterval = real;
  });
  const store = await openStore(proxy.url, { schema });
  onTestFinished(() => store.close());
  const sessions = await Promise.all(
    Array.from({ length: 200 }, (_, n) =>
      store.begin({ id: `b-${n}`, agent: "t", workspace: "/far/away", captures: "off" }),
    ),
  );
  const before = await store.raw.sessions();
  const turn = await sessions[0]?.turn("go");
  proxy.reset();
  for (let i = 0; i < 20; i++) await turn?.append({ role: "assistant", parts: `word ${i}` });
  expect(counted(proxy)).toBe(20);
  proxy.reset();
  for (const beat of timers) beat();
  const old = new Map(before.map(({ id, claim }) => [id, claim.heartbeatAtMs ?? 0]));
  const renewed = async (): Promise<number> =>
    (await store.raw.sessions()).filter(({ id, claim }) => (claim.heartbeatAtMs ?? 0) > (old.get(id) ?? 0))
      .length;
  await expect.poll(renewed, { timeout: 30_000 }).toBe(200);
  expect(proxy.statements.filter((one) => one.includes("append_2"))).toHaveLength(1);
});
