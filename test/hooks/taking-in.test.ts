/** What becomes of the events that hooks left in the inbox: whose they are, once each, and what they say where a transcript says nothing. */
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../support/cli.ts";
import { testRepository } from "../support/git-repository.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { claudeEvents, fakeAgent, hookedPlace } from "./hooked-place.ts";

const SESSION = "11111111-2222-4333-8444-555555555555";

describe("an agent that only its hooks tell of", () => {
  it("is live while its process lives, then interrupted in the call that began and never ended (K2, L1)", async () => {
    const place = hookedPlace();
    const [agent, events] = [fakeAgent(), claudeEvents(SESSION, place.workspace)];
    const { ancestors } = agent;
    place.tell("claude", "SessionStart", events.start, { ancestors });
    place.tell("claude", "UserPromptSubmit", events.prompt("migrate it"), { ancestors });
    place.tell("claude", "PreToolUse", events.before("t1", "echo one > a.txt"), { ancestors });
    place.tell("claude", "PostToolUse", events.after("t1", "echo one > a.txt"), { ancestors });
    place.tell("claude", "PreToolUse", events.before("t2", "echo two > b.txt; sleep 99"), { ancestors });
    expect(await place.sessions()).toMatchObject([{ agent: "claude", state: "live", supervised: false }]);
    expect(place.waiting()).toEqual([]);
    await agent.kill();
    place.write({ "a.txt": "one\n", "b.txt": "two\n" });
    expect(await place.sessions()).toMatchObject([
      { state: "interrupted", supervised: false, cause: "unknown" },
    ]);
    const calls = await place.calls();
    expect(calls.map(({ status }) => status)).toEqual(["done", "unknown-outcome"]);
    expect(calls[1]?.input).toMatchObject({ command: "echo two > b.txt; sleep 99" });
    const { files } = await place.inspected();
    expect(files["a.txt"]?.owner).toBe("session");
    expect(files["b.txt"]?.owner).toBe("session");
  });

  it("is the live session that a word of the moment goes to, though nobody has looked since it began (DESIGN 10)", async () => {
    const place = hookedPlace();
    const [agent, events] = [fakeAgent(), claudeEvents(SESSION, place.workspace)];
    const { ancestors } = agent;
    place.tell("claude", "UserPromptSubmit", events.prompt("rename it"), { ancestors });
    expect((await place.refloat(["op", "begin", "rename it"])).code).toBe(0);
    expect((await place.refloat(["decide", "style", "tabs", "--reason", "asked"])).code).toBe(0);
    expect(await place.sessions()).toMatchObject([{ agent: "claude", state: "live" }]);
    await agent.kill();
  });

  it("is not what handoff tells of while another was cut off: whoever asks goes on with that one", async () => {
    const place = hookedPlace();
    const [first, events] = [fakeAgent(), claudeEvents(SESSION, place.workspace)];
    place.tell("claude", "UserPromptSubmit", events.prompt("the old task"), { ancestors: first.ancestors });
    place.tell("claude", "PreToolUse", events.before("t1", "sleep 98"), { ancestors: first.ancestors });
    await first.kill();
    const other = SESSION.replace("1111", "9999");
    const [second, later] = [fakeAgent(), claudeEvents(other, place.workspace)];
    place.tell("claude", "UserPromptSubmit", later.prompt("the new task"), { ancestors: second.ancestors });
    const brief = (await place.refloat(["handoff"])).stdout;
    expect(brief).toContain("the old task");
    expect(brief).not.toContain("the new task");
    await second.kill();
  });

  it("has completed its turn by its end record, and is finished when its program says that it ended (L7)", async () => {
    const place = hookedPlace();
    const [agent, events] = [fakeAgent(), claudeEvents(SESSION, place.workspace)];
    const { ancestors } = agent;
    place.tell("claude", "UserPromptSubmit", events.prompt("do it"), { ancestors });
    place.tell("claude", "PreToolUse", events.before("t1", "echo one > a.txt"), { ancestors });
    place.tell("claude", "PostToolUse", events.after("t1", "echo one > a.txt"), { ancestors });
    place.tell("claude", "Stop", events.stop("Done."), { ancestors });
    expect(await place.sessions()).toMatchObject([{ state: "live" }]);
    place.tell("claude", "SessionEnd", events.end, { ancestors });
    expect(await place.sessions()).toMatchObject([{ state: "finished", cause: "clean" }]);
    const [session] = await place.sessions();
    const journal = await place.journal(session?.id);
    expect(journal.find(({ kind }) => kind === "turn.ended")?.body).toMatchObject({
      outcome: "completed",
      by: "agent",
    });
  });

  it("that ended in order in the middle of a call is interrupted, cause signal, and no turn of it completed (L7)", async () => {
    const place = hookedPlace();
    const [agent, events] = [fakeAgent(), claudeEvents(SESSION, place.workspace)];
    const { ancestors } = agent;
    place.tell("claude", "UserPromptSubmit", events.prompt("do it"), { ancestors });
    place.tell("claude", "PreToolUse", events.before("t1", "sleep 99"), { ancestors });
    place.tell("claude", "SessionEnd", events.end, { ancestors });
    expect(await place.sessions()).toMatchObject([{ state: "interrupted", cause: "signal" }]);
    expect((await place.calls()).map(({ status }) => status)).toEqual(["unknown-outcome"]);
  });

  it("without a process that can be told apart stays live with an unknown cause, never a guess (DESIGN 15)", async () => {
    const place = hookedPlace();
    const events = claudeEvents(SESSION, place.workspace);
    const none = { ancestors: [{ pid: 4_194_998, start: 5, comm: "node" }], pidNamespace: "pid:[1]" };
    place.tell("claude", "UserPromptSubmit", events.prompt("do it"), none);
    place.tell("claude", "PreToolUse", events.before("t1", "sleep 99"), none);
    for (let look = 0; look < 2; look++)
      expect(await place.sessions()).toMatchObject([{ state: "live", supervised: false, cause: null }]);
  });

  it("of a machine that was started anew since is interrupted, cause reboot", async () => {
    const place = hookedPlace();
    const events = claudeEvents(SESSION, place.workspace);
    const before = { boot: "00000000-1111-2222-3333-444444444444", ancestors: fakeAgent().ancestors };
    place.tell("claude", "UserPromptSubmit", events.prompt("do it"), before);
    place.tell("claude", "PreToolUse", events.before("t1", "sleep 99"), before);
    expect(await place.sessions()).toMatchObject([{ state: "interrupted", cause: "reboot" }]);
  });

  it("that was only opened and closed is no session", async () => {
    const place = hookedPlace();
    const [agent, events] = [fakeAgent(), claudeEvents(SESSION, place.workspace)];
    const { ancestors } = agent;
    place.tell("claude", "SessionStart", events.start, { ancestors });
    expect(await place.sessions()).toEqual([]);
    place.tell("claude", "SessionEnd", events.end, { ancestors });
    await agent.kill();
    expect(await place.sessions()).toEqual([]);
    expect(place.waiting()).toEqual([]);
  });
});

describe("whose an event is", () => {
  it("two agents at once in one repository, one killed: each call has its own session, and only one is interrupted", async () => {
    const place = hookedPlace();
    const [one, other] = [fakeAgent(), fakeAgent()];
    const [first, second] = [
      claudeEvents(SESSION, place.workspace),
      claudeEvents("other-id-of-codex", place.workspace),
    ];
    place.tell("claude", "UserPromptSubmit", first.prompt("a"), one);
    place.tell("codex", "UserPromptSubmit", second.prompt("b"), other);
    place.tell("claude", "PreToolUse", first.before("t1", "echo a > a.txt; sleep 9"), one);
    place.tell("codex", "PreToolUse", second.before("c1", "echo b > b.txt; sleep 9"), other);
    place.write({ "a.txt": "a\n", "b.txt": "b\n" });
    await one.kill();
    const sessions = await place.sessions();
    expect(Object.fromEntries(sessions.map(({ agent, state }) => [agent, state]))).toEqual({
      claude: "interrupted",
      codex: "live",
    });
    const dead = sessions.find(({ agent }) => agent === "claude");
    expect((await place.calls(dead?.id)).map(({ input }) => input.command)).toEqual([
      "echo a > a.txt; sleep 9",
    ]);
    const { json } = await place.json(["inspect", dead?.id]);
    const owners = json.groups.flatMap(({ changes }: { changes: { path: string; owner: string }[] }) =>
      changes.map(({ path, owner }) => `${path} ${owner}`),
    );
    expect(owners).toContain("a.txt session");
    expect(owners).not.toContain("b.txt session");
  });

  it("an end that a dead process tells is none of a session whose own process lives, however its files come (K1, K2)", async () => {
    const place = hookedPlace();
    const [agent, events] = [fakeAgent(), claudeEvents(SESSION, place.workspace)];
    const dead = { ancestors: [{ pid: 4_194_000, start: 1, comm: "node" }], pidNamespace: null };
    place.tell("claude", "UserPromptSubmit", events.prompt("do it"), agent);
    place.tell("claude", "PreToolUse", events.before("t1", "echo one > a.txt; sleep 9"), agent);
    place.write({ "a.txt": "one\n" });
    expect(await place.sessions()).toMatchObject([{ state: "live" }]);
    const elsewhere = claudeEvents(SESSION, testRepository(temporaryFolder()).root);
    for (const told of [elsewhere, events]) {
      const cwd = told.end.cwd;
      place.tell("claude", "PostToolUse", told.after("t1", "echo one > a.txt; sleep 9"), { ...dead, cwd });
      place.tell("claude", "Stop", told.stop("Done."), { ...dead, cwd });
      place.tell("claude", "SessionEnd", told.end, { ...dead, cwd });
    }
    const [session, ...others] = await place.sessions();
    expect([session, ...others]).toMatchObject([{ state: "live", agent: "claude" }]);
    const { json } = await place.json(["inspect", session?.id]);
    expect(json.groups.filter(({ verdict }: { verdict: string }) => verdict === "safe")).toEqual([]);
    expect((await place.journal(session?.id)).map(({ kind }) => kind)).not.toContain("turn.ended");
    await agent.kill();
    expect(await place.sessions()).toMatchObject([{ state: "interrupted" }]);
    expect((await place.calls(session?.id)).map(({ status }) => status)).toEqual(["unknown-outcome"]);
  });

  it("who lives is told by the process that lives, and the next one is heard when that has ended the conversation (K2)", async () => {
    const place = hookedPlace();
    const [first, second, events] = [fakeAgent(), fakeAgent(), claudeEvents(SESSION, place.workspace)];
    place.tell("claude", "UserPromptSubmit", events.prompt("a"), first);
    place.tell("claude", "UserPromptSubmit", events.prompt("b"), second);
    place.tell("claude", "Stop", events.stop("b"), second);
    await place.sessions();
    place.tell("claude", "SessionEnd", events.end, second);
    expect(await place.sessions()).toMatchObject([{ state: "live" }]);
    await second.kill();
    expect(await place.sessions()).toMatchObject([{ state: "live" }]);
    const third = fakeAgent();
    place.tell("claude", "Stop", events.stop("a"), first);
    place.tell("claude", "SessionEnd", events.end, first);
    place.tell("claude", "UserPromptSubmit", events.prompt("c"), third);
    place.tell("claude", "Stop", events.stop("c"), third);
    place.tell("claude", "SessionEnd", events.end, third);
    expect(await place.sessions()).toMatchObject([{ state: "finished", cause: "clean" }]);
  });

  it("an agent that has another's id for its own is another session, where it works (K1)", async () => {
    const place = hookedPlace();
    const [one, other] = [fakeAgent(), fakeAgent()];
    const beside = testRepository(temporaryFolder()).root;
    const [here, there] = [claudeEvents(SESSION, place.workspace), claudeEvents(SESSION, beside)];
    place.tell("claude", "UserPromptSubmit", here.prompt("a"), one);
    place.tell("codex", "UserPromptSubmit", there.prompt("b"), { ...other, cwd: beside });
    place.tell("codex", "Stop", there.stop("b"), { ...other, cwd: beside });
    place.tell("codex", "PostToolUse", here.after("t1", "true"), { ...other, cwd: place.workspace });
    expect(await place.sessions()).toMatchObject([{ agent: "claude", state: "live" }]);
    const [session] = await place.sessions();
    const observed = (await place.journal(session?.id)).filter(({ kind }) => kind === "agent.observed");
    expect(observed.map(({ body }) => body.agent)).toEqual(["claude"]);
    expect(await place.sessions(beside)).toMatchObject([{ agent: "codex", workspace: beside }]);
  });

  it("a call in another work tree is that work tree's, the conversation's end is told in both", async () => {
    const place = hookedPlace();
    const [agent, events] = [fakeAgent(), claudeEvents(SESSION, place.workspace)];
    const beside = `${place.workspace}-beside`;
    place.repo.git("worktree", "add", "-q", "-b", "beside", beside);
    const there = claudeEvents(SESSION, beside);
    place.tell("claude", "UserPromptSubmit", events.prompt("a"), agent);
    place.tell("claude", "PreToolUse", events.before("t1", "true"), agent);
    place.tell("claude", "PostToolUse", events.after("t1", "true"), agent);
    place.tell("claude", "PreToolUse", there.before("t2", "sleep 9", { agent_id: "sub1" }), agent);
    await agent.kill();
    const sessions = await place.sessions();
    const [here, elsewhere] = [place.workspace, beside].map((root) =>
      sessions.find(({ workspace }) => workspace === root),
    );
    expect((await place.calls(here?.id)).map(({ input }) => input.command)).toEqual(["true"]);
    expect(elsewhere).toMatchObject({ state: "interrupted", agent: "claude" });
    const { json } = await place.json(["inspect", elsewhere?.id], { cwd: beside });
    expect(json.calls).toMatchObject([{ status: "unknown-outcome", input: { command: "sleep 9" } }]);
  });
});

/** As text: nothing that walks through a value can print one this deep. */
const nested = (levels: number): string => `@${levels}@`;
const textOf = (payload: unknown): string =>
  JSON.stringify(payload).replace(
    /"@(\d+)@"/,
    (_, levels) => "[".repeat(Number(levels)) + "]".repeat(Number(levels)),
  );

describe("an event that cannot be taken in", () => {
  it("costs itself alone, is named by doctor, and what waits behind it is heard (D6)", async () => {
    const place = hookedPlace();
    const [agent, events] = [fakeAgent(), claudeEvents(SESSION, place.workspace)];
    place.tell("claude", "UserPromptSubmit", events.prompt("do it"), agent);
    const refused = place.tell("claude", "PreToolUse", events.before("t0", "true"), agent);
    writeFileSync(join(place.inbox, `${refused}.hook`), "refloat-hook 9\nbody\n\nend refloat-hook\n");
    place.tell("claude", "PreToolUse", events.before("t1", "sleep 9"), {
      ...{ ancestors: agent.ancestors, atMs: 8_640_000_000_000_001 },
    });
    expect(await place.sessions()).toMatchObject([{ state: "live" }]);
    expect(place.waiting()).toEqual([]);
    await agent.kill();
    await place.sessions();
    expect((await place.calls()).map(({ input }) => input.command)).toContain("sleep 9");
    const { json } = await place.json(["doctor"]);
    const named = json.findings.filter(({ check }: { check: string }) => check === "inbox-torn");
    expect(named).toHaveLength(1);
  });

  it.each([
    ["is nested deeper than a record may be", { nested: nested(1000) }],
    ["is nested deeper than anything can walk through", { nested: nested(200_000) }],
    [
      "has a command of words that every object has",
      { command: "git hasOwnProperty; toString -x; rm new.txt" },
    ],
  ])("whose input %s costs itself at most, and what waits behind it is heard (D6)", async (_what, input) => {
    const place = hookedPlace();
    const [agent, events] = [fakeAgent(), claudeEvents(SESSION, place.workspace)];
    place.tell("claude", "UserPromptSubmit", events.prompt("do it"), agent);
    const odd = { ...events.before("t0", "true"), tool_input: { command: "true", ...input } };
    place.tell("claude", "PreToolUse", {}, { ...agent, body: Buffer.from(textOf(odd)) });
    place.tell("claude", "PreToolUse", events.before("t1", "sleep 9"), agent);
    expect(await place.sessions()).toMatchObject([{ state: "live" }]);
    expect(place.waiting()).toEqual([]);
    await agent.kill();
    await place.sessions();
    expect((await place.calls()).map(({ input }) => input.command)).toContain("sleep 9");
  });
});

describe("exactly once", () => {
  it("whatever order the files come in, and however often the inbox is looked at, each is one record", async () => {
    const place = hookedPlace();
    const [agent, events] = [fakeAgent(), claudeEvents(SESSION, place.workspace)];
    place.tell("claude", "PostToolUse", events.after("t1", "true"), agent);
    place.tell("claude", "UserPromptSubmit", events.prompt("a"), agent);
    place.tell("claude", "PreToolUse", events.before("t1", "true"), agent);
    place.tell("claude", "PostToolUse", events.after("t1", "true"), agent);
    await Promise.all([place.sessions(), place.sessions(), place.sessions()]);
    const [session] = await place.sessions();
    const observed = (await place.journal(session?.id)).filter(({ kind }) => kind === "agent.observed");
    expect(new Set(observed.map(({ id }) => id)).size).toBe(observed.length);
    expect(observed.map(({ body }) => body.event).filter((name) => name === "UserPromptSubmit")).toHaveLength(
      1,
    );
    await agent.kill();
    expect((await place.sessions())[0]?.state).toBe("interrupted");
    expect((await place.calls()).map(({ status }) => status)).toEqual(["done"]);
    expect(readdirSync(place.inbox).filter((name) => name.endsWith(".hook"))).toEqual([]);
  });
});

it("D4: told by two entries of ours (the user's and a repository's shared one, a plugin's), each event is on record once", async () => {
  const place = hookedPlace();
  const agent = fakeAgent();
  const events = claudeEvents(SESSION, place.workspace);
  const twice = (event: string, payload: JsonObject): void => {
    for (const _entry of [1, 2]) place.tell("claude", event, payload, { ancestors: agent.ancestors });
  };
  twice("SessionStart", events.start);
  twice("UserPromptSubmit", events.prompt("make it work"));
  twice("PreToolUse", events.before("t1", "make"));
  twice("PostToolUse", events.after("t1", "make"));
  twice("Stop", events.stop("Made."));
  const [session] = await place.sessions();
  const told = (await place.journal(session?.id)).filter(({ kind }) => kind === "agent.observed");
  expect(told.map(({ body }) => body.event)).toEqual([
    ...["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"],
  ]);
  expect(place.waiting()).toEqual([]);
});

it("S1, D4: a closed session without a transcript that its agent goes on with, by the same words, is live again, and its second turn is told", async () => {
  const place = hookedPlace();
  const events = claudeEvents(SESSION, place.workspace);
  const first = fakeAgent();
  const tell = (by: typeof first, event: string, payload: JsonObject): string =>
    place.tell("claude", event, payload, { ancestors: by.ancestors });
  tell(first, "UserPromptSubmit", events.prompt("go on"));
  tell(first, "Stop", events.stop("Done."));
  tell(first, "SessionEnd", events.end);
  await first.kill();
  expect(await place.sessions()).toMatchObject([{ state: "finished" }]);
  const second = fakeAgent();
  tell(second, "SessionStart", { ...events.start, source: "resume" });
  tell(second, "UserPromptSubmit", events.prompt("go on"));
  tell(second, "PreToolUse", events.before("t9", "make all"));
  expect(await place.sessions()).toMatchObject([{ state: "live" }]);
  await second.kill();
  expect(await place.sessions()).toMatchObject([{ state: "interrupted" }]);
  const { json } = await place.json(["show"]);
  expect(json.turns).toMatchObject([{ outcome: "completed" }, { outcome: "interrupted" }]);
  expect(json.calls).toMatchObject([{ tool: "Bash" }]);
});
