/**
 * The first origin (001): an agent that is cut off anywhere goes on where it was. Examples are copied, so each is killed with
 * SIGKILL at its awaits, before what is awaited is begun and right after, and started again as it stands.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, onTestFinished, test } from "vitest";
import { openStore } from "../../src/app/store/open-store.ts";
import type { SessionId } from "../../src/model/ids.ts";
import { until } from "../run/run-scene.ts";
import { ended, type Ran } from "../support/cli.ts";
import { freshSchema } from "../support/postgres.ts";
import { isFull, seed } from "../support/seed.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const ROOT = join(import.meta.dirname, "../..");
const HOOK = join(import.meta.dirname, "at-await.mjs");
/** Some dozens of processes, two at a time, on a machine that may be busy. */
const SWEEP_MS = 900_000;
type Env = Readonly<Record<string, string>>;

function start(example: string, env: Env, args: readonly string[] = []) {
  const child = spawn(process.execPath, ["--import", HOOK, join(ROOT, "examples", example), ...args], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, ...env },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

const run = (example: string, env: Env, args: readonly string[] = []): Promise<Ran> =>
  ended(start(example, env, args));

/** How many awaits a whole life has. */
async function awaitsOf(example: string, env: Env): Promise<number> {
  const AWAITS = join(temporaryFolder(), "awaits");
  const { code, stderr } = await run(example, { ...env, AWAITS });
  expect([code, stderr]).toEqual([0, ""]);
  return Number(readFileSync(AWAITS, "utf8"));
}

interface Place {
  readonly env: Env;
  readonly session: string;
  open(): ReturnType<typeof openStore>;
}

const SESSION = "agent-loop";

const onSqlite = (): Place => {
  const home = temporaryFolder();
  const open = () => openStore(join(home, "refloat.db"), { thread: false });
  return { env: { REFLOAT_HOME: home }, session: SESSION, open };
};

/** One store for all of them, each session by its own name: an address in the environment names no schema. */
const onPostgres = (): Place => {
  const { url, schema } = freshSchema();
  const env = { REFLOAT_STORE: url, REFLOAT_HOME: temporaryFolder() };
  return { env, session: schema, open: () => openStore(url) };
};

/** The whole story, whoever told it: asked once, each step once or looked into first, answered. */
async function checkAgentLoop(place: Place, when: string): Promise<void> {
  const store = await place.open();
  try {
    const [summary] = await store.sessions({ prefix: place.session });
    expect(summary, when).toMatchObject({ state: "finished", dirty_ends: expect.any(Number) });
    const session = await store.begin({ id: place.session, agent: "reader", workspace: "/w" });
    const { items } = session.view("people");
    const said = items.map((item) => (item.kind === "call" ? item.tool : item.role));
    expect(said[0], `${when}: nothing is done before somebody asked for it`).toBe("user");
    expect(
      said.filter((role) => role === "user"),
      `${when}: asked once`,
    ).toHaveLength(1);
    expect(
      said.filter((tool) => tool === "deploy"),
      `${when}: deployed once`,
    ).toHaveLength(1);
    const order = said.filter((tool) => ["read_file", "bash", "deploy"].includes(tool));
    expect([...new Set(order)], when).toEqual(["read_file", "bash", "deploy"]);
    const deploy = items.find((item) => item.kind === "call" && item.tool === "deploy");
    if (deploy?.kind === "call" && deploy.result?.isSynthetic) expect(said, when).toContain("deploy_status");
    const last = items.at(-1);
    expect(last, when).toMatchObject({ role: "assistant", state: "final" });
    expect(await store.raw.open(place.session as SessionId), `${when}: nothing is left open`).toEqual([]);
    await session.finish();
  } finally {
    await store.close();
  }
}

describe("agent-loop.mjs", () => {
  test.each<[string, () => Place, readonly string[]]>([
    ["SQLite", onSqlite, ["before", "during"]],
    ["PostgreSQL", onPostgres, ["before"]],
  ])(
    "origin 001.13: on %s, killed at its awaits: the next life goes on; it never acts without a task, never deploys twice, and answers (C1, C2, C4)",
    async (name, fresh, hows) => {
      const count = await awaitsOf("agent-loop.mjs", fresh().env);
      expect(count).toBeGreaterThan(10);
      const all = hows.flatMap((how) => Array.from({ length: count }, (_, i) => ({ how, at: i + 1 })));
      // Every one of them before what is awaited begins, on SQLite; of the others every second, all in the full sweep.
      const isTaken = ({ how, at }: (typeof all)[number]): boolean =>
        isFull || (name === "SQLite" && how === "before") || at % 2 === seed % 2;
      await inPairs(all.filter(isTaken), async ({ how, at }) => {
        const place = fresh();
        const when = `killed ${how} await ${at}`;
        const live = (env: Env): Promise<Ran> =>
          run("agent-loop.mjs", { ...place.env, ...env }, [place.session]);
        const first = await live({ KILL_AT: String(at), KILL_HOW: how });
        // The last await may be over before the kill reaches it.
        if (how === "before") expect(first.signal, when).toBe("SIGKILL");
        const second = await live({});
        expect([second.code, second.stderr], when).toEqual([0, ""]);
        expect(second.stdout, when).toContain("says: The tests pass and staging is deployed.");
        await checkAgentLoop(place, when);
      });
    },
    SWEEP_MS,
  );

  test("origin 001.13: killed again and again in its first lines, between taking the session and beginning its turn: the task waits, and is done once (C1)", async () => {
    const place = onSqlite();
    for (const at of ["3", "4", "5", "6", "3", "4", "5", "6"])
      expect((await run("agent-loop.mjs", { ...place.env, KILL_AT: at })).signal).toBe("SIGKILL");
    expect((await run("agent-loop.mjs", place.env)).code).toBe(0);
    await checkAgentLoop(place, "killed eight times");
  });

  test("origin 001.21: Ctrl-C in the middle of its deploy, three times: stopped, never counted, and the next life looks before it goes on (L2, L4)", async () => {
    const place = onSqlite();
    for (let round = 0; round < 3; round++) {
      const child = start("agent-loop.mjs", place.env);
      const end = ended(child);
      child.stdout.on("data", (text: Buffer) => {
        if (/calls deploy/.test(String(text))) child.kill("SIGINT");
      });
      const { code, stdout } = await end;
      expect([code, stdout.trim().split("\n").at(-1)]).toEqual([0, "stopped"]);
    }
    const store = await place.open();
    onTestFinished(() => store.close());
    expect((await store.sessions())[0]).toMatchObject({ state: "finished", cause: "signal", dirty_ends: 0 });
    const session = await store.begin({ id: "agent-loop", agent: "reader", workspace: "/w" });
    const said = session.view("people").items.map((item) => (item.kind === "call" ? item.tool : item.role));
    expect(said).toEqual(["user", "read_file", "bash", "deploy", "deploy_status", "deploy_status"]);
  });
});

test("workspace.mjs: what was left half done is judged, parked after a look at the plan, and taken back", async () => {
  const home = temporaryFolder();
  const { code, stdout, stderr } = await run("workspace.mjs", { HOME: home, REFLOAT_HOME: home });
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout.trimEnd().split("\n")).toEqual([
    "risky: limits.mjs",
    "unknown: notes.md",
    "would park limits.mjs",
    "would park notes.md",
    "done; the tree is clean",
    "taken back: done, 2 paths are changed again",
  ]);
}, 120_000);

test(
  "origin 001.13: resume-after-kill.mjs, killed at every await and started again, shows what it promises",
  async () => {
    const count = await awaitsOf("resume-after-kill.mjs", {});
    const kills = Array.from({ length: count }, (_, i) => i + 1);
    await inPairs(kills, async (at) => {
      const TMPDIR = temporaryFolder();
      const first = await run("resume-after-kill.mjs", { TMPDIR, KILL_AT: String(at) });
      expect(first.signal, `await ${at}`).toBe("SIGKILL");
      const again = await run("resume-after-kill.mjs", { TMPDIR });
      expect([again.code, again.stderr], `await ${at}`).toEqual([0, ""]);
      expect(again.stdout, `await ${at}`).toContain("The session: finished, attempt 2, cause clean");
    });
  },
  SWEEP_MS,
);

test(
  "origin 001.13: gateway/server.mjs, killed at every await: what has a receipt is answered, the answer arrives, twice only if it says so, and it ends when told (C1, T1)",
  async () => {
    const whole = await gatewayLife({});
    expect(whole.awaits).toBeGreaterThan(10);
    const kills = Array.from({ length: whole.awaits }, (_, i) => i + 1);
    await inPairs(kills, async (at) => {
      const { sent, code } = await gatewayLife({ KILL_AT: String(at) });
      const answers = sent.map(({ text }) => text);
      expect(answers.at(-1), `await ${at}`).toContain("Did 1 steps.");
      const plain = sent.filter(({ mayBeDuplicate }) => !mayBeDuplicate);
      expect(plain.length, `await ${at}: twice only if it says so`).toBeLessThanOrEqual(1);
      expect(code, `await ${at}`).toBe(0);
    });
  },
  SWEEP_MS,
);

interface Sent {
  readonly text: string;
  readonly mayBeDuplicate: boolean;
}

/** A person sends one message until it has a receipt; the server is started again whenever it died; then it is told to end. */
async function gatewayLife(
  env: Env,
): Promise<{ sent: readonly Sent[]; code: number | null; awaits: number }> {
  const sent: Sent[] = [];
  const platform = await platformFor(sent);
  const AWAITS = join(temporaryFolder(), "awaits");
  const home = temporaryFolder();
  const place = {
    REFLOAT_HOME: home,
    REFLOAT_STORE: join(home, "refloat.db"),
    AWAITS,
    PORT: "0",
    ...platform.env,
  };
  const chat = { isSent: false };
  let over = await liveOnce(start("gateway/server.mjs", { ...place, ...env }), sent, chat);
  for (let lives = 1; over.signal === "SIGKILL" && lives < 3; lives++)
    over = await liveOnce(start("gateway/server.mjs", place), sent, chat);
  platform.close();
  return { sent, code: over.code, awaits: over.code === 0 ? Number(readFileSync(AWAITS, "utf8")) : 0 };
}

async function platformFor(sent: Sent[]): Promise<{ env: Env; close(): void }> {
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request) body += piece;
    const { parts, mayBeDuplicate } = JSON.parse(body);
    const text = parts.map((part: { text?: string }) => part.text ?? "").join("");
    sent.push({ text, mayBeDuplicate: mayBeDuplicate === true });
    response.end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    env: { PLATFORM: `http://127.0.0.1:${port}/` },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** One life of the server: when it is ready it gets the message that has no receipt yet, and is told to end when the answer is there. */
async function liveOnce(
  life: ReturnType<typeof start>,
  sent: readonly Sent[],
  chat: { isSent: boolean },
): Promise<Ran> {
  const end = ended(life);
  const over = end.then(() => null);
  const port = await Promise.race([portOf(life), over]);
  if (port !== null && !chat.isSent) chat.isSent = await send(port);
  if (chat.isSent) await Promise.race([until(() => sent.length > 0 || life.signalCode !== null), over]);
  life.kill("SIGTERM");
  return end;
}

async function portOf(life: ReturnType<typeof start>): Promise<number> {
  for await (const line of createInterface({ input: life.stdout })) return Number(JSON.parse(line).port);
  return new Promise(() => undefined); // it died before it was ready
}

/** True: it has a receipt. */
async function send(port: number): Promise<boolean> {
  const message = { session: "chat-1", id: "m1", text: "work 1", route: { kind: "webhook" } };
  try {
    const body = JSON.stringify(message);
    return (await fetch(`http://127.0.0.1:${port}/messages`, { method: "POST", body })).status === 202;
  } catch (thrown) {
    if (thrown instanceof TypeError) return false; // the connection died with the server
    throw thrown;
  }
}

/** Two at a time: a life is mostly waiting. */
async function inPairs<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  const worker = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all([worker(), worker()]);
}
