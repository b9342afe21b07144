/** What people reported against goose (facts of its issue tracker, by number), as tests of ours. */
import { setImmediate as turnOfLoop } from "node:timers/promises";
import { expect, test } from "vitest";
import { STREAM_FLUSH_BYTES, STREAM_FLUSH_INTERVAL_MS } from "../../src/model/limits.ts";
import { journalOf } from "../chaos/check-records.ts";
import { checkExports } from "../chaos/check-survivor.ts";
import { manualClock } from "../support/manual-clock.ts";
import { killedAt, killedWhenSaid, newStorePath, opened } from "./child.ts";

const WHO = { id: "s1", agent: "goose", workspace: "/w" };
const BEGIN = `const session = await store.begin({ id: "s1", agent: "goose", workspace: "/w" });`;

test("goose 1541, 1624: killed during a tool call and prompted again, the session loads, the call has a result that says its outcome is unknown, and every provider takes the conversation (C4, C6)", async () => {
  const path = newStorePath();
  await killedWhenSaid(
    path,
    `${BEGIN}
    const turn = await session.turn("restart the service");
    await turn.append({ role: "assistant", parts: "I will restart it." });
    await turn.call({ id: "call-1", tool: "bash", input: { command: "systemctl restart x" } });
    say("now");
    await forever();`,
  );
  const session = await (await opened(path)).begin(WHO);
  expect(session.recovered).toMatchObject({ calls: ["call-1"], messages: [] });
  const turn = await session.turn("what happened?");
  const [call] = session.view("model").items.filter((item) => item.kind === "call");
  expect(call).toMatchObject({
    effect: "unknown",
    result: {
      status: "unknown-outcome",
      isSynthetic: true,
      output: expect.stringContaining("may have happened"),
    },
  });
  expect(checkExports(session, "request")).toEqual([]);
  await turn.end("completed");
});

test("goose 7827: three tools begun and stopped during the third: the first two are complete, the third is cancelled, and all of it is on disk (C2, C8)", async () => {
  const path = newStorePath();
  await killedWhenSaid(
    path,
    `${BEGIN}
    const turn = await session.turn("do three things");
    for (const id of ["one", "two"]) {
      const call = await turn.call({ id, tool: "bash", input: { command: id } });
      await call.result(id + " done");
    }
    const third = await turn.call({ id: "three", tool: "bash", input: { command: "three" } });
    await third.cancelled("stopped by the user");
    await turn.end("cancelled", "stopped by the user");
    say("now");
    await forever();`,
  );
  const session = await (await opened(path)).begin(WHO);
  expect(session.recovered).toBeNull();
  const calls = session.view("people").items.filter((item) => item.kind === "call");
  expect(calls.map(({ id, result }) => [id, result?.status, result?.output])).toEqual([
    ["one", "done", "one done"],
    ["two", "done", "two done"],
    ["three", "cancelled", "stopped by the user"],
  ]);
  expect(checkExports(session, "history")).toEqual([]);
});

test("goose 7827, killed instead of stopped: the third call is not lost but unknown, and it is not run again by anybody (C4)", async () => {
  const path = newStorePath();
  await killedWhenSaid(
    path,
    `${BEGIN}
    const turn = await session.turn("do three things");
    for (const id of ["one", "two"]) await (await turn.call({ id, tool: "bash", input: id })).result(id);
    await turn.call({ id: "three", tool: "bash", input: "three" });
    say("now");
    await forever();`,
  );
  const session = await (await opened(path)).begin(WHO);
  const calls = session.view("people").items.filter((item) => item.kind === "call");
  expect(calls.map(({ id, result }) => [id, result?.status])).toEqual([
    ["one", "done"],
    ["two", "done"],
    ["three", "unknown-outcome"],
  ]);
});

test("goose 7962: five hundred streamed deltas are one message after a reload, and a bounded number of writes, not five hundred (C3)", async () => {
  const path = newStorePath();
  const store = await opened(path);
  const session = await store.begin(WHO);
  const turn = await session.turn("tell me a story");
  const message = turn.message("assistant");
  const startedMs = performance.now();
  for (let i = 0; i < 500; i++) {
    message.write(`word ${i} `);
    await turnOfLoop();
  }
  await message.end();
  const flushes = 1 + Math.ceil((performance.now() - startedMs) / STREAM_FLUSH_INTERVAL_MS);
  await turn.end("completed");
  await session.release();

  const records = await journalOf(store.raw, "s1");
  const grew = records.filter(({ kind }) => kind === "message.grew");
  expect(500 * 9).toBeLessThan(STREAM_FLUSH_BYTES);
  expect(grew.length).toBeLessThanOrEqual(flushes);
  const again = await store.begin(WHO);
  const answers = again
    .view("people")
    .items.filter((item) => item.kind === "message" && item.role === "assistant");
  const whole = Array.from({ length: 500 }, (_, i) => `word ${i} `).join("");
  expect(answers).toMatchObject([{ state: "final", parts: [{ type: "text", text: whole }] }]);
});

test("goose 7962, killed while streaming: one message, cut off, with everything up to the last flush; not one per delta and not none (C3)", async () => {
  const path = newStorePath();
  await killedWhenSaid(
    path,
    `${BEGIN}
    const turn = await session.turn("tell me a story");
    const message = turn.message("assistant");
    for (let i = 0; i < 500; i++) message.write("word " + i + " ");
    await message.flushed();
    message.write("this came too late");
    say("now");
    await forever();`,
  );
  const session = await (await opened(path)).begin(WHO);
  const answers = session
    .view("people")
    .items.filter((item) => item.kind === "message" && item.role === "assistant");
  expect(answers).toHaveLength(1);
  const [answer] = answers;
  const text = JSON.stringify(answer?.kind === "message" ? answer.parts : []);
  expect(answer).toMatchObject({ state: "cut-off" });
  expect(text).toContain("word 0 word 1 ");
  expect(text).toContain("word 499 ");
  expect(checkExports(session, "history")).toEqual([]);
});

test("goose 7785: a message hidden in the store stays hidden when a client with an older copy saves: its write is refused, nothing is overwritten (C5)", async () => {
  const store = await opened(newStorePath());
  const stale = await store.begin({ ...WHO, liveness: () => ({ kind: "dead", because: "no-such-process" }) });
  const turn = await stale.turn("a secret");
  const { id } = await turn.append({ role: "assistant", parts: "the secret is swordfish" });
  await turn.end("completed");
  const copied = { head: stale.head, text: JSON.stringify(stale.view("model")) };
  expect(copied.text).toContain("swordfish");

  // Somebody else takes the session over and hides the message; the first client knows nothing of it.
  const other = await store.begin({ ...WHO, liveness: () => ({ kind: "dead", because: "no-such-process" }) });
  await other.patch(id, { hidden_from: ["model"] });
  await expect(
    stale.supersede(1, "compaction", { summary: "an old summary: swordfish" }),
  ).rejects.toMatchObject({
    code: "E_FENCED",
  });
  // Neither does an owner that decided on an older state overwrite what came since.
  await expect(other.supersede(1, "compaction", { expectHead: copied.head })).rejects.toMatchObject({
    code: "E_HEAD_MOVED",
  });
  await other.release();
  const again = await store.begin(WHO);
  expect(JSON.stringify(again.view("model"))).not.toContain("swordfish");
  expect(JSON.stringify(again.export("anthropic"))).not.toContain("swordfish");
  expect(JSON.stringify(again.view("people"))).toContain("swordfish");
});

/** Commits: the claim, the turn, the input, and then the one this is about. */
const WITHIN_THE_STEP = [
  "queue.before-take#2",
  "append.before-begin#4",
  "append.before-commit#4",
  "append.after-commit#4",
  "append.before-ack#4",
  "queue.after-take#2",
];

test.each(WITHIN_THE_STEP)(
  "goose 9042: an input promoted while the running turn is cancelled, killed at %s, is in the conversation or in the queue, never in neither and never in both (C1)",
  async (point) => {
    const path = newStorePath();
    const said = await killedAt(
      path,
      point,
      `${BEGIN}
    const turn = await session.turn("the first question");
    const receipt = await session.enqueue("the better question");
    say("promoting");
    await turn.cancelFor(receipt);
    await forever();`,
    );
    const session = await (await opened(path)).begin(WHO);
    expect(said).toEqual(["promoting"]);
    const inQueue = (await session.queue()).filter(({ parts }) =>
      JSON.stringify(parts).includes("the better"),
    );
    const inTalk = session.view("people").items.filter((item) => JSON.stringify(item).includes("the better"));
    expect(inQueue.length + inTalk.length).toBe(1);
    const records = await journalOf((await opened(path)).raw, "s1");
    const first = records.find(({ kind, body }) => kind === "turn.ended" && body.outcome === "cancelled");
    expect(inTalk.length === 1, "cancelled if and only if replaced").toBe(first !== undefined);
  },
);

test("goose 12133: killed after a tool's result and before the answer, the turn goes on from the result, without a user message nobody wrote (C7)", async () => {
  const path = newStorePath();
  await killedWhenSaid(
    path,
    `${BEGIN}
    const turn = await session.turn("how many files are there?");
    const call = await turn.call({ id: "count", tool: "bash", input: { command: "ls | wc -l" } });
    await call.result("17");
    say("now");
    await forever();`,
  );
  const session = await (await opened(path)).begin(WHO);
  expect(session.recovered).toMatchObject({ calls: [], turns: [expect.any(String)] });
  const turn = await session.continueTurn();
  const view = session.view("model");
  expect(view.items.filter((item) => item.kind === "message" && item.role === "user")).toHaveLength(1);
  expect(view.items.at(-1)).toMatchObject({
    kind: "call",
    id: "count",
    result: { output: "17", isSynthetic: false },
  });
  expect(checkExports(session, "request")).toEqual([]);
  await turn.append({ role: "assistant", parts: "There are 17." });
  await turn.end("completed");
});

test("goose 9938: a call that arrives after the turn was cancelled, or after the session was taken over, is refused before its tool could run (C2, K1)", async () => {
  const store = await opened(newStorePath());
  const session = await store.begin({
    ...WHO,
    liveness: () => ({ kind: "dead", because: "no-such-process" }),
  });
  const turn = await session.turn("do it");
  await turn.end("cancelled");
  await expect(turn.call({ id: "late", tool: "bash", input: "rm" })).rejects.toMatchObject({
    code: "E_NOT_OPEN",
  });
  const next = await session.turn("do something else");
  await store.begin({ ...WHO, liveness: () => ({ kind: "dead", because: "no-such-process" }) });
  await expect(next.call({ id: "later", tool: "bash", input: "rm" })).rejects.toMatchObject({
    code: "E_FENCED",
  });
  const started = (await journalOf(store.raw, "s1")).filter(({ kind }) => kind === "call.started");
  expect(started).toEqual([]);
});

test("goose 7472: several records in one second while the clock steps back an hour stay in the order they were written, for readers, views and a new start (D3)", async () => {
  const clock = manualClock(1_700_000_000_000);
  const path = newStorePath();
  const store = await opened(path, { clock });
  const session = await store.begin(WHO);
  const turn = await session.turn("0");
  for (let i = 1; i <= 6; i++) {
    await turn.append({ role: i % 2 ? "assistant" : "user", parts: String(i) });
    if (i === 3) clock.step(-3_600_000);
  }
  await turn.end("completed");
  await session.release();
  const records = await journalOf(store.raw, "s1");
  expect(records.map(({ seq }) => seq)).toEqual(records.map((_, i) => i + 1));
  expect(records.some(({ atMs }, i) => atMs < (records[i - 1]?.atMs ?? 0))).toBe(true);
  const again = await store.begin(WHO);
  const texts = again
    .view("model")
    .items.map((item) => (item.kind === "message" ? item.parts[0]?.text : null));
  expect(texts).toEqual(["0", "1", "2", "3", "4", "5", "6"]);
});
