/** What is told of records older than those a story is told by whole (S3). Small limits stand for a long session. */
import { expect, it } from "vitest";
import type { SessionId } from "../../src/model/ids.ts";
import { readStory, type SessionStory, type StoryLimits } from "../../src/salvage/story/session-story.ts";
import { markImported } from "../../src/workspace/sessions/imports.ts";
import { makePlace } from "../support/cli.ts";

type Begun = Awaited<
  ReturnType<Parameters<Parameters<ReturnType<typeof makePlace>["withStore"]>[0]>[0]["begin"]>
>;

const NEWEST = 10;
const LIMITS: StoryLimits = { newest: NEWEST, older: 500 };

async function told(work: (session: Begun) => Promise<void>, limits = LIMITS): Promise<SessionStory> {
  const place = makePlace();
  return place.withStore(async (store) => {
    await work(await store.begin({ id: "s", agent: "tester", workspace: place.workspace }));
    const row = await store.raw.session("s" as SessionId);
    if (!row) throw new Error("it was begun");
    return readStory(store.raw, row, limits);
  });
}

async function decideOn(session: Begun): Promise<void> {
  for (let n = 0; n < NEWEST; n += 1) await session.decide(`key ${n}`, n);
}

it("turns and operations with how they ended, and calls that copied from outside with what came of them", async () => {
  const story = await told(async (session) => {
    const turn = await session.turn("go");
    const operation = await session.operation("Move");
    await (await turn.call({ id: "cp", tool: "sh", input: { command: "cp -r ../a ." } })).result({
      exit_code: 1,
    });
    await (await turn.call({ id: "ls", tool: "sh", input: { command: "ls" } })).result("ok");
    await operation.end();
    await session.operation("Tidy");
    await turn.end("failed");
    await decideOn(session);
  });
  expect(story.turns).toMatchObject([{ outcome: "failed" }]);
  expect(story.operations).toMatchObject([
    { label: "Move", state: "ended" },
    { label: "Tidy", state: "open" },
  ]);
  expect(story.calls).toMatchObject([{ id: "cp", result: { output: { exit_code: 1 } } }]);
  expect(story.decisions).toHaveLength(NEWEST);
  expect(story.isCutShort).toBe(false);
});

it("of messages the lines that mark operations alone, the agent's own, also where they came in pieces", async () => {
  const story = await told(async (session) => {
    const turn = await session.turn("# BEGIN: asked");
    await turn.append({ role: "assistant", parts: "I begin.\n# BEGIN: one\nNow." });
    await turn.append({ role: "user", parts: "# BEGIN: another's" });
    await turn.append({ role: "assistant", parts: "Nothing of it." });
    const stream = turn.message("assistant");
    for (const piece of ["So.\n# BEG", "IN: t", "wo\nand on"]) {
      stream.write(piece);
      await stream.flushed();
    }
    await stream.end();
    await turn.end("completed");
    await decideOn(session);
  });
  expect(story.marked.map(({ text }) => text)).toEqual(["# BEGIN: one", "# BEGIN: two"]);
  expect(story.messages).toEqual([]);
});

it("a message that began before and goes on is told whole", async () => {
  const story = await told(async (session) => {
    const turn = await session.turn("go");
    const stream = turn.message("assistant");
    stream.write("# BEGIN: long\n");
    await stream.flushed();
    await decideOn(session);
    stream.write("Its end.");
    await stream.end();
  });
  expect(story.messages.map(({ text }) => text)).toEqual(["# BEGIN: long\nIts end."]);
  expect(story.marked).toEqual([]);
});

it.each([
  ["as many as are looked at", 4, false],
  ["more than are looked at", 3, true],
])("%s: whether it is cut short", async (_, older, isCutShort) => {
  const story = await told(
    async (session) => {
      const turn = await session.turn("go");
      for (let n = 0; n < 3; n += 1) await turn.append({ role: "assistant", parts: "Going on." });
      await decideOn(session);
    },
    { newest: NEWEST, older },
  );
  expect(story.isCutShort).toBe(isCutShort);
});

it("L7: what an import was refused for is not taken from the records that came to have those numbers", async () => {
  const place = makePlace();
  const story = await place.withStore(async (store) => {
    const session = await store.begin({ id: "s", agent: "tester", workspace: place.workspace });
    const head = (await store.raw.session("s" as SessionId))?.head ?? 0;
    const range = { session: "s" as SessionId, fromSeq: head + 1, toSeq: head + 2 };
    await markImported(store.raw, { ...range, ids: ["theirs-1", "theirs-2"] });
    await session.operation("Move");
    const row = await store.raw.session("s" as SessionId);
    if (!row) throw new Error("it was begun");
    return readStory(store.raw, row);
  });
  expect(story.operations).toMatchObject([{ label: "Move", state: "open" }]);
});
