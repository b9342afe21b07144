/** DESIGN 11, the library card, line by line, by the package's own name and in a process of its own. */
import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { PACKAGE, type Printed, stranger } from "./stranger.ts";

const CARD = `
import { openStore, Held, RefloatError } from "refloat";
const workspace = process.argv[1];
const seen = {};
const store = await openStore();
const session = await store.begin({ id: "card-1", agent: "mine", workspace, goal: "the card" });
seen.session = [session.id, session.attempt, session.recovered];
seen.held = await store.begin({ id: "card-1", agent: "other", workspace }).catch((thrown) => [
  thrown instanceof Held, thrown instanceof RefloatError, thrown.code, typeof thrown.by, typeof thrown.since]);
const receipt = await session.enqueue("for later");
seen.receipt = [typeof receipt.id, typeof receipt.seq];
const turn = await session.turn("the input");
const message = turn.message("assistant");
message.write("Hel"); message.write("lo"); await message.end();
await turn.append({ role: "assistant", parts: [{ type: "text", text: "appended" }] });
const call = await turn.call({ id: "c1", tool: "read_file", input: { path: "a.txt" }, effect: "none" });
await call.result("one");
const failing = await turn.call({ tool: "deploy", input: {} });
await failing.failed(new Error("no way"));
const op = await session.operation("label", { paths: ["a.txt"] });
await op.end();
await session.decide("orm", { name: "none" }, { reason: "small", step: 2 });
const capture = await session.capture("by the card");
seen.capture = typeof capture;
await turn.end("completed");
const view = session.view("model");
seen.view = JSON.stringify(view).includes("Hello");
seen.people = JSON.stringify(session.view("people")).includes("appended");
for (const format of ["anthropic", "openai-chat", "openai-responses"])
  seen[format] = JSON.stringify(session.export(format)).includes("the input");
const records = [];
for await (const record of store.follow(session.id, 1)) {
  records.push(record);
  if (record.kind === "turn.ended") break;
}
seen.seqs = records.every(({ seq }, at) => seq === at + 1);
const said = records.find(({ kind }) => kind === "message.appended") ?? records.find(({ kind }) => kind.startsWith("message"));
await session.patch(said.id, { pinned: true });
await session.supersede(said.seq, "retry");
const next = await session.turn("again");
await next.call({ id: "open", tool: "deploy", input: { to: "staging" } });
seen.sessions = (await store.sessions({ workspace })).map(({ id, state }) => [id, state]);
seen.after = await session.continueTurn().then(() => "continued", (thrown) => thrown.code);
await next.end("failed");
await session.finish();
seen.late = await session.turn("too late").then(() => "taken", (thrown) => thrown.code);
seen.ended = (await store.sessions({ workspace })).map(({ id, state, cause }) => [id, state, cause]);
seen.recover = Array.isArray(await store.recover());
seen.forgotten = typeof (await store.forget({ session: "card-1" }));
await store.close();
console.log(JSON.stringify(seen));
`;

const DIES = `
import { openStore } from "refloat";
const store = await openStore(undefined, { thread: false });
const session = await store.begin({ id: "dies", agent: "mine", workspace: process.argv[1] });
const turn = await session.turn("work");
await turn.call({ id: "c1", tool: "deploy", input: { to: "staging" } });
process.kill(process.pid, "SIGKILL");
`;

const GOES_ON = `
import { openStore } from "refloat";
const store = await openStore(undefined, { thread: false });
const session = await store.begin({ id: "dies", agent: "mine", workspace: process.argv[1] });
const model = JSON.stringify(session.view("model"));
const request = session.export("anthropic");
const turn = await session.continueTurn();
await turn.end("completed");
await session.finish();
await store.close();
console.log(JSON.stringify({ attempt: session.attempt, recovered: session.recovered !== null, model, request }));
`;

/** Started where the package itself lies, so that its own name leads to what is built. */
function program(script: string, home: string, workspace: string): Printed {
  const words = ["--input-type=module", "-e", script, workspace];
  const env = { PATH: process.env.PATH, HOME: home, GIT_CONFIG_NOSYSTEM: "1" };
  return JSON.parse(
    execFileSync(process.execPath, words, { cwd: PACKAGE, env, encoding: "utf8" }),
  ) as Printed;
}

describe("the library card", () => {
  it("holds, each line of it, on a store of its own that the command line then reads", () => {
    const me = stranger();
    const seen = program(CARD, me.home, me.repo);
    expect(seen).toMatchObject({
      session: ["card-1", 1, null],
      held: [true, true, "E_HELD", "object", expect.any(String)],
      receipt: ["string", "number"],
      view: true,
      people: true,
      anthropic: true,
      "openai-chat": true,
      "openai-responses": true,
      seqs: true,
      sessions: [["card-1", "live"]],
      after: expect.stringMatching(/^E_/),
      late: expect.stringMatching(/^E_/),
      ended: [["card-1", "finished", "clean"]],
      recover: true,
    });
    expect(me.json(["show", "card-1"])).toMatchObject({ code: 0, json: { session: { state: "finished" } } });
  });

  it("after a SIGKILL in a call: recovered, the outcome unknown and never erased, no invented user message (C4, C7)", () => {
    const me = stranger();
    expect(() => program(DIES, me.home, me.repo)).toThrow();
    expect(me.json(["sessions"]).json.sessions).toMatchObject([
      { id: "dies", state: "interrupted", attempt: 1 },
    ]);
    expect(me.json(["inspect", "dies"]).json.calls).toMatchObject([
      { id: "c1", tool: "deploy", status: "unknown-outcome", effect: "unknown", check: expect.any(String) },
    ]);
    const seen = program(GOES_ON, me.home, me.repo);
    expect(seen).toMatchObject({ attempt: 2, recovered: true });
    expect(seen.model).toContain("c1");
    const users = seen.request.messages.filter(({ role, content }: Printed) => {
      return role === "user" && content.some(({ type }: Printed) => type === "text");
    });
    expect(users).toHaveLength(1);
    expect(me.json(["sessions"]).json.sessions).toMatchObject([
      { id: "dies", state: "finished", attempt: 2 },
    ]);
  });
});
