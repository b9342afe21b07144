/** How the MCP server ends, what it says of its agent's end, and how it takes what no client sends. On the wire itself. */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it } from "vitest";
import { keptNotice, noticeFileOf } from "../../src/agents/inbox/notice-file.ts";
import { claudeEvents, fakeAgent, hookedPlace } from "../hooks/hooked-place.ts";
import { hookedHome } from "../hooks/recorder.ts";
import { deadOwner, ended, type JsonObject, type Place } from "../support/cli.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { scene } from "../support/two-faces.ts";

const INITIALIZE = {
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "wire", version: "1" } },
};

interface Wire {
  readonly child: ChildProcess;
  readonly over: ReturnType<typeof ended>;
  ask(id: number, message: Record<string, unknown>): Promise<JsonObject>;
  send(text: string): void;
}

async function wireTo(place: Place, env: Readonly<Record<string, string>> = {}): Promise<Wire> {
  const child = place.start(["mcp"], { env });
  const over = ended(child);
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const answers = new Map<unknown, JsonObject>();
  lines.on("line", (line) => {
    const message = JSON.parse(line) as JsonObject;
    answers.set(message.id, message);
  });
  const send = (text: string): void => {
    child.stdin?.write(text);
  };
  const wire: Wire = {
    child,
    over,
    send,
    ask: async (id, message) => {
      send(`${JSON.stringify({ jsonrpc: "2.0", id, ...message })}\n`);
      while (!answers.has(id)) await once(lines, "line");
      return answers.get(id) as JsonObject;
    },
  };
  await wire.ask(0, INITIALIZE);
  send(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
  await wire.ask(1, { method: "ping" });
  return wire;
}

async function recordsOf(place: Place, session: string): Promise<JsonObject[]> {
  return place.withStore(async (store) => [...(await store.raw.records({ session: session as never }))]);
}

/** Held by somebody who is dead, with a turn open: what a killed agent under `run` leaves. */
async function deadSession(place: Place): Promise<string> {
  return place.withStore(async (store) => {
    const session = await store.begin({ agent: "t", workspace: place.workspace, owner: deadOwner() });
    await session.turn("go");
    return session.id;
  });
}

describe("the end of an MCP connection", { timeout: 120_000 }, () => {
  it.each([
    ["end-of-input", (child: ChildProcess) => child.stdin?.end()],
    ["SIGINT", (child: ChildProcess) => child.kill("SIGINT")],
    ["SIGTERM", (child: ChildProcess) => child.kill("SIGTERM")],
  ])(
    "%s: exit code 0, and it is recorded in the mark's session; no claim is taken or renewed (K1)",
    async (how, end) => {
      const { place, repo } = scene();
      repo.commit("base");
      const id = await deadSession(place);
      const before = await place.withStore((store) => store.raw.session(id as never));
      const wire = await wireTo(place, { REFLOAT_SESSION: `${id}.1.random` });
      end(wire.child);
      expect(await wire.over).toMatchObject({ code: 0, signal: null, stderr: "" });
      const last = (await recordsOf(place, id)).at(-1);
      expect(last).toMatchObject({
        kind: "agent.disconnected",
        attempt: null,
        body: { channel: "mcp", how, client: "wire 1", attempt: 1 },
      });
      const after = await place.withStore((store) => store.raw.session(id as never));
      expect(after?.claim).toEqual(before?.claim);
    },
  );

  it("S1: recovery says when the agent let go, where nobody saw its end; its cause stays unknown (T1)", async () => {
    const { place, repo } = scene();
    repo.commit("base");
    const id = await deadSession(place);
    const wire = await wireTo(place, { REFLOAT_SESSION: `${id}.1.random` });
    wire.child.stdin?.end();
    await wire.over;
    const closed = (await recordsOf(place, id)).at(-1);
    await place.refloat(["settle", id, "--yes"]);
    const recovered = (await recordsOf(place, id)).find(({ kind }) => kind === "recovered");
    expect(recovered?.body.cause).toBe("unknown");
    expect(recovered?.body.evidence).toContain(
      `its agent's connection to refloat was closed at ${new Date(closed?.atMs).toISOString()}`,
    );
  });

  it("T1: what was asked in the same breath as the end is answered before it, each call once and in its order", async () => {
    const { place, repo } = scene();
    repo.write("a.txt", "a\n");
    repo.commit("base");
    repo.write("a.txt", "b\n");
    const child = place.start(["mcp"]);
    const over = ended(child);
    const call = (id: number, name: string) => ({
      id,
      method: "tools/call",
      params: { name, arguments: {} },
    });
    const asked = [
      { id: 0, ...INITIALIZE },
      { method: "notifications/initialized" },
      ...[call(1, "status"), call(2, "capture"), call(3, "status")],
    ];
    child.stdin?.end(asked.map((one) => `${JSON.stringify({ jsonrpc: "2.0", ...one })}\n`).join(""));
    const { code, stdout } = await over;
    const answers = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as JsonObject);
    expect([code, ...answers.map(({ id }) => id)]).toEqual([0, 0, 1, 2, 3]);
    expect(answers.every(({ result }) => result !== undefined && result.isError !== true)).toBe(true);
  });

  it("DESIGN 9: an agent that dies with its server is told of at the next start, though nobody asked refloat anything in between", async () => {
    const place = hookedPlace({ "a.txt": "a\n" });
    hookedHome(place.home);
    const wire = await wireTo(place);
    const agent = fakeAgent();
    const events = claudeEvents("11111111-2222-4333-8444-555555555555", place.workspace);
    const { ancestors } = agent;
    place.tell("claude", "UserPromptSubmit", events.prompt("change a.txt"), { ancestors });
    place.tell("claude", "PreToolUse", events.before("t1", "echo more >> a.txt; sleep 99"), { ancestors });
    place.write({ "a.txt": "a\nmore\n" });
    await agent.kill();
    wire.child.stdin?.end();
    expect((await wire.over).code).toBe(0);
    expect(keptNotice(noticeFileOf(place.home, place.workspace))).toMatchObject({
      kind: "due",
      text: expect.stringContaining("was cut off here"),
    });
  });

  it("K1: without a mark only the one live session of the workspace is told; of two nobody guesses which", async () => {
    const { place, repo } = scene();
    repo.commit("base");
    await place.withStore(async (store) => {
      const one = await store.begin({ agent: "one", workspace: place.workspace });
      const first = await wireTo(place);
      first.child.stdin?.end();
      await first.over;
      expect((await recordsOf(place, one.id)).map(({ kind }) => kind)).toContain("agent.disconnected");
      const two = await store.begin({ agent: "two", workspace: place.workspace });
      const second = await wireTo(place);
      second.child.stdin?.end();
      expect((await second.over).code).toBe(0);
      const kinds = (await recordsOf(place, two.id)).map(({ kind }) => kind);
      expect(kinds).not.toContain("agent.disconnected");
      for (const session of [one, two]) await session.finish();
    });
  });

  it("D6: a store that cannot be had at the end costs the record, not the clean end", async () => {
    const { place, repo } = scene();
    repo.commit("base");
    const wire = await wireTo(place, {
      REFLOAT_STORE: "postgres://nobody@127.0.0.1:9/none",
      REFLOAT_SESSION: "some.1.random",
    });
    wire.child.stdin?.end();
    expect(await wire.over).toMatchObject({ code: 0, stderr: expect.stringContaining("was not recorded") });
  });
});

describe("what no client sends", { timeout: 120_000 }, () => {
  it("unknown methods are answered as such, and lines that are no messages cost nobody the connection", async () => {
    const { place, repo } = scene();
    repo.commit("base");
    const wire = await wireTo(place);
    for (const [id, method] of ["no/such", "server/discover", "sampling/createMessage"].entries()) {
      const { error } = await wire.ask(100 + id, { method, params: {} });
      expect(error.code).toBe(-32601);
    }
    const deep = "[".repeat(100_000);
    for (const text of ["\n\n", "{\n", "null\n", "[]\n", "\u0000\u0001\n", "\ufeff{}\n", `${deep}\n`])
      wire.send(text);
    wire.send(Buffer.from([0xff, 0xfe, 0x0a]).toString("latin1"));
    for (const params of [
      null,
      7,
      [],
      { name: 1 },
      { name: "status", arguments: "x" },
      { name: "status", arguments: [1] },
    ]) {
      const answer = await wire.ask(200 + String(JSON.stringify(params)).length, {
        method: "tools/call",
        params,
      });
      expect(answer.error ?? answer.result?.isError, JSON.stringify(params)).toBeTruthy();
    }
    const { result } = await wire.ask(900, {
      method: "tools/call",
      params: { name: "status", arguments: {} },
    });
    expect(result.structuredContent.schema).toBe("refloat.status/1");
    wire.child.stdin?.end();
    expect((await wire.over).code).toBe(0);
  });

  it("the protocol's SDK is loaded by this command and by no other: theirs start as before", async () => {
    const { place, repo } = scene();
    repo.commit("base");
    const list = join(temporaryFolder(), "loaded");
    // The program's files are no modules: each is a script that its loader has compiled (src/platform/load-program.ts).
    const script = `import { appendFileSync } from "node:fs"; import { syncBuiltinESMExports } from "node:module"; import vm from "node:vm"; vm.Script = class extends vm.Script { constructor(code, at) { super(code, at); appendFileSync(${JSON.stringify(list)}, at.filename + "\\n"); } }; syncBuiltinESMExports();`;
    const node = ["--import", `data:text/javascript,${encodeURIComponent(script)}`];
    const loads = async (args: readonly string[]): Promise<boolean> => {
      await place.refloat([...args], { node });
      // It is copied into the program: which of its files have it, they say themselves.
      const files = existsSync(list) ? readFileSync(list, "utf8").split("\n").slice(0, -1) : [];
      return [...new Set(files)].some((path) =>
        /@(?:modelcontext|agentclient)protocol\//.test(readFileSync(path, "utf8")),
      );
    };
    for (const args of [["--version"], ["status"], ["help", "all"], ["op", "list"], ["run", "--", "true"]])
      expect(await loads(args), args.join(" ")).toBe(false);
    expect(await loads(["mcp"])).toBe(true);
  });
});
