/**
 * The second origin (dirty shutdown) in the plain library: a program that begins its session anew after each death is told what
 * was, escalates as under `run` or a gateway, and every face says the same number. Real processes, real SIGKILL.
 */
import { describe, expect, test } from "vitest";
import type { RefloatStore } from "../../src/app/store/open-store.ts";
import { readInterruption } from "../../src/gateway/interruption.ts";
import type { SessionId } from "../../src/model/ids.ts";
import { breakClaim } from "../../src/session/claims.ts";
import { Suspended } from "../../src/session/escalation.ts";
import { newRecord } from "../../src/session/new-record.ts";
import { type FreshStore, openedHere, STORES } from "../support/both-stores.ts";
import { startChild } from "../support/child.ts";
import { deadOwner } from "../support/cli.ts";
import { testRepository } from "../support/git-repository.ts";

const S = "loops" as SessionId;
const WHO = { id: S, agent: "mine", workspace: "/w" };

/** One life of a program as anybody writes it: begin, go on, call the same thing; killed in that call. */
const LIFE = `
  import { openStore } from "./index.js";
  const { url, open, begin, call } = JSON.parse(process.env.LIFE);
  const say = (told) => process.stdout.write(JSON.stringify(told) + "\\n");
  const store = await openStore(url, { ...open, thread: false });
  try {
    const session = await store.begin(begin);
    const { attempt, state, dirtyEnds, recovered, wasOpen } = session;
    const turn = await (attempt === 1 ? session.turn("Deploy it") : session.continueTurn());
    await turn.call(call);
    say({ attempt, state, dirtyEnds, recovered, wasOpen });
    setInterval(() => undefined, 1000);
  } catch (error) {
    say({ name: error.name, code: error.code, reason: error.reason, dirtyEnds: error.dirtyEnds, hint: error.hint });
    await store.close();
  }
`;

interface Life {
  readonly lift?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** What it said before it was killed, or ended by itself because it was refused. */
async function live({ url, open }: FreshStore, { lift, env = {} }: Life = {}) {
  const begin = { ...WHO, ...(lift === undefined ? {} : { lift }) };
  const call = { tool: "deploy", input: { to: "staging" } };
  const child = startChild(LIFE, { ...env, LIFE: JSON.stringify({ url, open, begin, call }) });
  const said = await child.said();
  await child.kill();
  return said;
}

const journalKinds = async ({ raw }: RefloatStore, kinds: string[]) =>
  (await raw.records({ session: S, kinds })).map(({ kind }) => kind);

/** Dies in a call, in this process: its owner is nobody who lives. */
async function diesIn(store: RefloatStore, input: unknown): Promise<void> {
  const session = await store.begin({ ...WHO, owner: deadOwner() });
  const turn = await session.continueTurn();
  await turn.call({ tool: "deploy", input: input as never });
}

describe.each(STORES)("on %s", (_name, fresh) => {
  test("origin 002.42: begun anew after each kill in the same call, the third dirty end suspends it; it is not begun a fourth time (L2)", async () => {
    const place = fresh();
    const open = { cause: "unknown", turns: [expect.any(String)], calls: [expect.any(String)], messages: [] };
    expect(await live(place)).toEqual({
      attempt: 1,
      state: "live",
      dirtyEnds: 0,
      recovered: null,
      wasOpen: null,
    });
    for (const dirtyEnds of [1, 2]) {
      const told = { attempt: dirtyEnds + 1, state: "interrupted", dirtyEnds };
      expect(await live(place)).toEqual({ ...told, recovered: open, wasOpen: open });
    }
    const store = await openedHere(place);
    expect(await store.sessions()).toMatchObject([{ id: S, state: "interrupted", dirty_ends: 3 }]);
    for (const _again of [1, 2]) {
      expect(await live(place)).toMatchObject({
        name: "Suspended",
        code: "E_SUSPENDED",
        dirtyEnds: 3,
        reason: expect.stringContaining("3 times without saying so"),
        hint: expect.stringContaining(`refloat lift ${S}`),
      });
    }
    // Nothing is written for those who are refused: one suspension, one recovery each, history intact.
    expect(await store.sessions()).toMatchObject([{ state: "suspended", dirty_ends: 3, last_attempt: 3 }]);
    expect(await journalKinds(store, ["session.suspended", "recovered"])).toEqual([
      ...["recovered", "recovered", "recovered"],
      "session.suspended",
    ]);
    expect(await journalKinds(store, ["turn.began", "call.started"])).toHaveLength(6);
  });

  test("origin 002.42: what suspends it in one's hands is lifted by a reason, on record, and the count begins anew", async () => {
    const place = fresh();
    for (let life = 1; life <= 3; life++) await live(place);
    // At the brink already: lifted before anybody was refused, it is suspended and lifted in one step.
    expect(await live(place, { lift: "the server was down" })).toMatchObject({
      attempt: 4,
      state: "interrupted",
      dirtyEnds: 3,
    });
    const store = await openedHere(place);
    expect(await journalKinds(store, ["session.suspended", "session.lifted"])).toEqual([
      "session.suspended",
      "session.lifted",
    ]);
    const [lifted] = await store.raw.records({ session: S, kinds: ["session.lifted"] });
    expect(lifted?.body.reason).toBe("the server was down");
    expect(await store.sessions()).toMatchObject([{ state: "interrupted", dirty_ends: 1 }]);
    expect(await live(place)).toMatchObject({ state: "interrupted", dirtyEnds: 1 });
  });

  test("origin 002.42: suspended by `recover`, or by order, it is not begun in silence; a blank reason is none; with one it goes on (L4)", async () => {
    const place = fresh();
    const store = await openedHere(place);
    for (let life = 1; life <= 2; life++) await diesIn(store, 1);
    await diesIn(store, 1);
    expect(await store.recover()).toMatchObject([{ session: S }]);
    const head = (await store.raw.session(S))?.head;
    for (const lift of [undefined, "", " "]) {
      const refused = await store
        .begin({ ...WHO, ...(lift === undefined ? {} : { lift }) })
        .catch((thrown) => thrown);
      expect(refused).toBeInstanceOf(Suspended);
      expect(refused).toMatchObject({ code: "E_SUSPENDED", dirtyEnds: 3 });
    }
    expect((await store.raw.session(S))?.head).toBe(head);
    const session = await store.begin({ ...WHO, lift: "looked at it" });
    expect(session).toMatchObject({ state: "suspended", dirtyEnds: 3, recovered: null });
    expect(session.wasOpen).toMatchObject({ calls: [expect.any(String)] });
    const turn = await session.continueTurn();
    await turn.end("completed");
    await session.release();
    await store.raw.append(S, "anyone", [
      newRecord(store.raw.clock, "session.suspended", { reason: "by order" }),
    ]);
    await expect(store.begin(WHO)).rejects.toMatchObject({
      code: "E_SUSPENDED",
      reason: "by order",
      dirtyEnds: 0,
    });
    // Where nothing is suspended the word has no effect and leaves no record.
    const other = await store.begin({ ...WHO, id: "other", lift: "just in case" });
    expect(other.state).toBe("live");
    expect(await store.raw.records({ session: "other" as SessionId, kinds: ["session.lifted"] })).toEqual([]);
  });

  test("origin 002.42: the session's own process may not lift its suspension, by the library as by the command (T2)", async () => {
    const place = fresh();
    const store = await openedHere(place);
    await diesIn(store, 1);
    await store.raw.append(S, "anyone", [
      newRecord(store.raw.clock, "session.suspended", { reason: "by order" }),
    ]);
    const env = { REFLOAT_SESSION: `${S}.1.0123456789abcdef` };
    expect(await live(place, { lift: "I am fine", env })).toMatchObject({ code: "E_UNDER_MARK" });
    expect(await store.sessions()).toMatchObject([{ state: "suspended", suspended_for: "by order" }]);
  });

  test("origin 002.38: recovering passes over what is suspended; origin 002.39: what is found already is not counted again", async () => {
    const store = await openedHere(fresh());
    await diesIn(store, 1);
    expect(await store.recover()).toHaveLength(1);
    expect(await store.recover()).toEqual([]);
    expect(await store.sessions()).toMatchObject([{ state: "interrupted", dirty_ends: 1 }]);
    await store.raw.append(S, "anyone", [
      newRecord(store.raw.clock, "session.suspended", { reason: "by order" }),
    ]);
    const head = (await store.raw.session(S))?.head;
    expect(await store.recover()).toEqual([]);
    expect(await store.raw.session(S)).toMatchObject({
      head,
      facts: { dirty_ends: 1, suspended: "by order" },
    });
  });

  test("origin 002.41: an interrupted session that is not suspended is the same one again, whoever recovered it, and says what was open", async () => {
    const store = await openedHere(fresh());
    await diesIn(store, 1);
    await store.recover();
    const again = await store.begin(WHO);
    expect(again).toMatchObject({ id: S, state: "interrupted", dirtyEnds: 1, recovered: null });
    expect(again.wasOpen).toMatchObject({ turns: [expect.any(String)], calls: [expect.any(String)] });
    expect(again.view("people").items.map((item) => item.kind)).toEqual(["call"]);
    // Given back before another turn, it is as cut off as it was; a turn that ends otherwise ends that.
    await again.release();
    const third = await store.begin(WHO);
    expect(third.wasOpen).toEqual(again.wasOpen);
    const turn = await third.continueTurn();
    await turn.end("completed");
    await third.release();
    expect(await store.begin(WHO)).toMatchObject({ state: "idle", dirtyEnds: 0, wasOpen: null });
  });

  test.each([
    ["the same call", [1, 1, 1], [1, 2, 3]],
    ["another call each time", [1, 2, 3], [1, 1, 1]],
    ["two of one call and one of another", [1, 1, 2], [1, 2, 1]],
  ])(
    "origin 002.42: %s: a gateway, a list, recovery and `begin` count the same dirty ends (L2)",
    async (_what, inputs, counts) => {
      const store = await openedHere(fresh());
      for (const [at, input] of inputs.entries()) {
        await diesIn(store, input);
        const row = await store.raw.session(S);
        const ofGateway = row && (await readInterruption(store.raw, row))?.dirtyEnds;
        const [listed] = await store.sessions();
        expect([ofGateway, listed?.dirty_ends]).toEqual([counts[at], counts[at]]);
      }
      await store.recover();
      const settled = await store.raw.session(S);
      expect(settled && (await readInterruption(store.raw, settled))?.dirtyEnds).toBe(counts.at(-1));
      expect((await store.begin({ ...WHO, lift: "to look" })).dirtyEnds).toBe(counts.at(-1));
    },
  );

  test("origin 002.42: given back with its turn open, four times, by its owner's own word: interrupted, and no dirty end (L2)", async () => {
    const store = await openedHere(fresh());
    for (let life = 1; life <= 4; life++) {
      const session = await store.begin(WHO);
      if (life > 1)
        expect(session).toMatchObject({ state: "interrupted", dirtyEnds: 0, recovered: { cause: "clean" } });
      const turn = await session.continueTurn();
      await turn.call({ tool: "deploy", input: {} });
      await session.release();
      expect(await store.sessions()).toMatchObject([{ state: "interrupted", cause: "clean", dirty_ends: 0 }]);
    }
    // A claim that somebody else gave back says nothing of its owner's end.
    await diesIn(store, 1);
    await breakClaim(store.raw, S, deadOwner("breaker"), "to look");
    expect(await store.begin(WHO)).toMatchObject({ dirtyEnds: 1, recovered: { cause: "unknown" } });
  });

  test("origin 002.42: a session that gets something done each time is never suspended, however often it dies (L2)", async () => {
    const store = await openedHere(fresh());
    for (let life = 1; life <= 6; life++) {
      const session = await store.begin({ ...WHO, owner: deadOwner() });
      expect(session.dirtyEnds).toBe(life === 1 ? 0 : 1);
      const turn = await session.continueTurn();
      await (await turn.call({ tool: "write_part", input: { part: life } })).result("written");
      await turn.call({ tool: "deploy", input: {} });
    }
  });
});

test("origin 002.42: at the brink the tree is looked at first: a file the third attempt wrote is progress, the same bytes again are none (L2)", async () => {
  const [, fresh] = STORES[0] ?? [];
  if (!fresh) throw new Error("no store");
  const store = await openedHere(fresh());
  const repo = testRepository();
  repo.write("a.txt", "one\n");
  repo.commit("base");
  const who = { ...WHO, workspace: repo.root };
  const dies = async (text: string): Promise<number> => {
    const session = await store.begin({ ...who, owner: deadOwner() });
    const turn = await session.continueTurn();
    await turn.call({ tool: "build", input: {} });
    repo.write("a.txt", text);
    return session.dirtyEnds;
  };
  // What the first wrote was seen by the second's look at the tree: the second is counted from there.
  expect([await dies("two\n"), await dies("two\n"), await dies("two\n")]).toEqual([0, 1, 1]);
  expect(await dies("three\n")).toBe(2);
  expect([await dies("three\n"), await dies("three\n")]).toEqual([1, 2]);
  await expect(store.begin(who)).rejects.toMatchObject({ code: "E_SUSPENDED", dirtyEnds: 3 });
});
