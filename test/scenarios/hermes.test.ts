/** What people reported against hermes (facts of its issue tracker, by number), as tests of ours. */
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import type { RecordId, SessionId } from "../../src/model/ids.ts";
import { selfOwner } from "../../src/platform/identity.ts";
import { journalOf } from "../chaos/check-records.ts";
import { BUILT } from "../chaos/run-writer.ts";
import { killedWhenSaid, newStorePath, opened } from "./child.ts";

type Answer =
  | { readonly kind: "ready" | "released" }
  | { readonly kind: "won"; readonly attempt: number; readonly recovered: { calls: string[] } | null }
  | { readonly kind: "held"; readonly by: string }
  | { readonly kind: "error"; readonly why: string };

interface Claimer {
  readonly name: string;
  order(order: { kind: "claim"; id: string } | { kind: "done" }): void;
  answer(): Promise<Answer>;
}

async function startClaimer(path: string, name: string): Promise<Claimer> {
  const built = pathToFileURL(join(BUILT, "index.js")).href;
  const child: ChildProcess = spawn(
    process.execPath,
    [join(import.meta.dirname, "claimer.mjs"), built, path, name],
    { stdio: ["pipe", "inherit", "inherit", "pipe"] },
  );
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines = createInterface({ input: child.stdio[3] as Readable })[Symbol.asyncIterator]();
  const claimer: Claimer = {
    name,
    order: (order) => void (child.stdin as Writable).write(`${JSON.stringify(order)}\n`),
    answer: async () => {
      const { value, done } = await lines.next();
      if (done) throw new Error(`${name} is gone`);
      return JSON.parse(value) as Answer;
    },
  };
  expect(await claimer.answer()).toEqual({ kind: "ready" });
  return claimer;
}

/** An owner that was: this process's pid with another start time is proof of death. */
const deadOwner = () => ({ ...selfOwner("the dead"), started: 1 });

test("hermes 45456, 87372: two processes claim one session at once, a hundred times, new, given back or left by a dead owner: exactly one gets it, the other is told who has it, and what was open is settled once (K1, K4, C4)", async () => {
  const path = newStorePath();
  const store = await opened(path);
  const claimers = await Promise.all([startClaimer(path, "left"), startClaimer(path, "right")]);
  const wins = { left: 0, right: 0 };
  for (let round = 0; round < 100; round++) {
    const way = (["new", "given back", "dead"] as const)[round % 3];
    const id = way === "given back" ? "shared" : `session-${round}`;
    if (way === "dead") {
      const dead = await store.begin({ id, agent: "the dead", workspace: "/w", owner: deadOwner() });
      await (await dead.turn("go")).call({ id: "open", tool: "bash", input: "x" });
    }
    const order = round % 2 === 0 ? claimers : claimers.toReversed();
    for (const claimer of order) claimer.order({ kind: "claim", id });
    const answers = await Promise.all(claimers.map((claimer) => claimer.answer()));
    expect(answers.map(({ kind }) => kind).toSorted(), `round ${round}, ${way}`).toEqual(["held", "won"]);
    const winner = claimers[answers.findIndex(({ kind }) => kind === "won")] as Claimer;
    expect(answers.find(({ kind }) => kind === "held")).toMatchObject({ by: winner.name });
    winner.order({ kind: "done" });
    expect(await winner.answer()).toEqual({ kind: "released" });
    wins[winner.name as "left" | "right"]++;

    const records = await journalOf(store.raw, id);
    const results = records.filter(({ kind }) => kind === "call.ended");
    expect(results).toHaveLength(way === "dead" ? 1 : 0);
    const taken = records.filter(({ kind }) => kind === "claim.taken").map(({ body }) => body.attempt);
    expect(taken).toEqual(taken.map((_, i) => i + 1));
  }
  process.stdout.write(`  100 races for one session: left won ${wins.left}, right ${wins.right}\n`);
});

test("hermes 45456: while one process resumes a session, the input that comes in by another is queued for it and answered once; it neither starts a second turn nor is lost (C1, K1)", async () => {
  const path = newStorePath();
  const store = await opened(path);
  const [resumer] = [await startClaimer(path, "resumer")];
  resumer.order({ kind: "claim", id: "talk" });
  expect(await resumer.answer()).toMatchObject({ kind: "won" });
  // The gateway's process has no claim: it may only queue.
  await expect(store.begin({ id: "talk", agent: "gateway", workspace: "/w" })).rejects.toMatchObject({
    code: "E_HELD",
  });
  const body = { input: "in-1", parts: [{ type: "text", text: "are you there?" }], from: "gateway" };
  const record = { id: "input:in-1" as RecordId, kind: "input.queued", atMs: 0, body };
  await store.raw.append("talk" as SessionId, "anyone", [record]);
  resumer.order({ kind: "done" });
  await resumer.answer();

  const session = await store.begin({ id: "talk", agent: "next", workspace: "/w" });
  const [queued, ...more] = await session.queue();
  expect([queued?.id, more]).toEqual(["in-1", []]);
  await session.turn({ id: "in-1", seq: queued?.seq ?? 0 });
  expect(await session.queue()).toEqual([]);
  const said = session.view("model").items.filter((item) => JSON.stringify(item).includes("are you there?"));
  expect(said).toHaveLength(1);
});

test("hermes 86786: two processes mark their turns in one store and are killed: no mark is lost, and only its owner's next attempt clears it, never the other one (L1, K1)", async () => {
  const path = newStorePath();
  const marking = (id: string) => `
    const session = await store.begin({ id: "${id}", agent: "${id}", workspace: "/w" });
    for (let i = 0; i < 20; i++) await (await session.turn("question " + i)).end("completed");
    await session.turn("the last question");
    say("now");
    await forever();`;
  await Promise.all([killedWhenSaid(path, marking("left")), killedWhenSaid(path, marking("right"))]);

  const store = await opened(path);
  const states = (await store.sessions()).map(({ id, state }) => [id, state]);
  expect(states.toSorted()).toEqual([
    ["left", "interrupted"],
    ["right", "interrupted"],
  ]);
  const left = await store.begin({ id: "left", agent: "left", workspace: "/w" });
  const [mark] = (await store.raw.open("right" as SessionId)).filter(({ what }) => what === "turn");
  const body = { turn: mark?.id ?? "", outcome: "completed", reason: null };
  const cleared = { id: "cleared" as RecordId, kind: "turn.ended", atMs: 0, body };
  await expect(
    store.raw.append("right" as SessionId, { attempt: left.attempt }, [cleared]),
  ).rejects.toMatchObject({ code: "E_FENCED" });
  await expect(store.raw.append("right" as SessionId, "anyone", [cleared])).rejects.toMatchObject({
    code: "E_BAD_RECORD",
  });
  const right = await store.begin({ id: "right", agent: "right", workspace: "/w" });
  expect([left.recovered?.turns.length, right.recovered?.turns]).toEqual([1, [mark?.id]]);
  for (const id of ["left", "right"]) {
    const began = (await journalOf(store.raw, id)).filter(({ kind }) => kind === "turn.began");
    expect(began).toHaveLength(21);
  }
});

test("hermes 18922: killed after a finished turn, while idle, the same session goes on: nothing was reset and nobody says it was interrupted (L5)", async () => {
  const path = newStorePath();
  await killedWhenSaid(
    path,
    `const session = await store.begin({ id: "idle", agent: "hermes", workspace: "/w" });
    const turn = await session.turn("hello");
    await turn.append({ role: "assistant", parts: "hello yourself" });
    await turn.end("completed");
    say("now");
    await forever();`,
  );
  const store = await opened(path);
  expect(await store.sessions()).toMatchObject([{ id: "idle", state: "idle", dirty_ends: 0 }]);
  expect(await store.recover()).toEqual([]);
  const session = await store.begin({ id: "idle", agent: "hermes", workspace: "/w" });
  expect(session.recovered).toBeNull();
  expect(session.view("model").items).toHaveLength(2);
});
