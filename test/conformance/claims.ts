/** One writer (K1), told alive from dead by what can be proved (K2, K3), every change of hands written down (K4). */
import { expect, test } from "vitest";
import { selfOwner } from "../../dist/platform/identity.js";
import { breakClaim, takeClaim } from "../../dist/session/claims.js";
import {
  begun,
  child,
  codeOf,
  decided,
  inputQueued,
  journal,
  type MakePlace,
  newRecord,
  type Owner,
  open,
  type Store,
  sessionId,
  settableClock,
  take,
  valuesOf,
} from "./harness.ts";

const THRESHOLD_MS = 60_000;
const abroad = (): Owner => ({ ...selfOwner("abroad"), host: "another-host" });

/** Takes the claim as a session's beginning does, with no records of its own. */
const claim = (store: Store, session: ReturnType<typeof sessionId>, owner = selfOwner("test")) =>
  takeClaim(store, { session, owner, thresholdMs: THRESHOLD_MS, records: () => [] });

async function lastTaken(store: Store, session: ReturnType<typeof sessionId>) {
  const [record] = await store.records({ session, kinds: ["claim.taken"], order: "backward", limit: 1 });
  return record?.body as { attempt: number; why: string; from: Owner | null; reason: string | null };
}

export function claimLaws(make: MakePlace): void {
  test("K1: the first claim makes the session and is attempt 1; its row and its record say who has it", async () => {
    const store = await open(make());
    const [session, owner] = [sessionId(), selfOwner("me")];
    expect(await store.session(session)).toBeNull();
    const taken = await claim(store, session, owner);
    expect([taken.attempt, taken.head]).toEqual([1, 1]);
    expect((await store.session(session))?.claim).toMatchObject({
      attempt: 1,
      owner,
      thresholdMs: THRESHOLD_MS,
    });
    expect(await lastTaken(store, session)).toEqual({
      attempt: 1,
      owner,
      why: "new",
      from: null,
      reason: null,
    });
  });

  test("K1: of twenty who see the same claim exactly one takes it, in every round, and attempts only grow", async () => {
    const place = make();
    const stores = [await open(place), await open(place)];
    const session = sessionId();
    let seen: { attempt: number; holder: string | null } | null = null;
    for (let round = 1; round <= 5; round++) {
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          take(stores[i % 2] as Store, session, seen, selfOwner(), [decided(`${round}.${i}`)]),
        ),
      );
      const won = outcomes.filter((outcome) => outcome.kind === "done");
      expect(won.map((outcome) => outcome.attempt)).toEqual([round]);
      const row = await (stores[0] as Store).session(session);
      seen = { attempt: round, holder: row?.claim.owner?.instance ?? null };
    }
    expect(await valuesOf(stores[0] as Store, session)).toHaveLength(5);
  });

  test("K2: a claim held by a live process is not taken over: the other gets E_HELD and learns by whom and since when", async () => {
    const store = await open(make(), { clock: settableClock(1_700_000_000_000) });
    const [session, owner] = [sessionId(), selfOwner("holder")];
    await claim(store, session, owner);
    const thrown = await claim(store, session).catch((error: unknown) => error);
    expect(thrown).toMatchObject({ code: "E_HELD", by: owner, since: new Date(1_700_000_000_000) });
    expect((await store.session(session))?.head).toBe(1);
  });

  test("K1: a released claim is free at once, goes on as the next attempt, and its old writer is fenced even before that", async () => {
    const store = await open(make());
    const { session, attempt } = { session: sessionId(), ...(await claim(store, sessionId("s"))) };
    expect(attempt).toBe(1);
    await claim(store, session);
    await store.release(session, 1, [newRecord("claim.released", { attempt: 1 })]);
    expect((await store.session(session))?.claim).toMatchObject({
      attempt: 1,
      owner: null,
      heartbeatAtMs: null,
    });
    expect(await codeOf(store.append(session, { attempt: 1 }, [decided("late")]))).toBe("E_FENCED");
    expect(await codeOf(store.release(session, 1, [newRecord("claim.released", { attempt: 1 })]))).toBe(
      "E_FENCED",
    );
    expect((await claim(store, session)).attempt).toBe(2);
    expect(await lastTaken(store, session)).toMatchObject({ why: "released", from: null });
    expect(await valuesOf(store, session)).toEqual([]);
  });

  test("K2, K4: the claim of a process killed with SIGKILL is taken over at once, and the record says from whom and why", async () => {
    const place = make();
    const store = await open(place);
    const session = sessionId("killed");
    const holder = child(
      place,
      `const owner = selfOwner("victim");
       await takeClaim(store, { session: "killed", owner, records: () => [] });
       say(owner); setInterval(() => {}, 1000);`,
    );
    const victim = await holder.said();
    expect(await codeOf(claim(store, session))).toBe("E_HELD");
    await holder.kill();
    expect((await claim(store, session)).attempt).toBe(2);
    expect(await lastTaken(store, session)).toMatchObject({ attempt: 2, why: "dead", from: victim });
  });

  test("K1: a writer that lost its claim while it slept is refused in its very next write, and nothing of it is saved", async () => {
    const place = make();
    const store = await open(place);
    const session = sessionId("slept");
    const sleeper = child(
      place,
      `const { attempt } = await takeClaim(store, { session: "slept", owner: selfOwner(), thresholdMs: 1, records: () => [] });
       const write = (value) => store.append("slept", { attempt }, [record("decided", { key: "k", value, reason: null, step: null })]);
       await write("early"); say("asleep");
       process.stdin.once("data", async () => {
         say(await write("late").then(() => "saved", (error) => [error.code, error.data.current]));
         say(await store.renew("slept", attempt).then(() => "renewed", (error) => error.code));
       });`,
      { REFLOAT_HOST_ID: "another-host" },
    );
    expect(await sleeper.said()).toBe("asleep");
    await claim(store, session);
    expect(await lastTaken(store, session)).toMatchObject({ attempt: 2, why: "lost" });
    sleeper.write("wake");
    expect(await sleeper.said()).toEqual(["E_FENCED", 2]);
    expect(await sleeper.said()).toBe("E_FENCED");
    expect(await valuesOf(store, session)).toEqual(["early"]);
  });

  test("K1: while one writes without pause another takes over: no record of the old attempt comes after the new claim", async () => {
    const place = make();
    const [old, next] = [await open(place), await open(place)];
    const session = sessionId();
    await claim(old, session, abroad());
    let refusals = 0;
    const writing = Array.from({ length: 200 }, async (_, i) => {
      if (i % 10 === 0) await new Promise((resolve) => setTimeout(resolve, i / 10));
      const code = await codeOf(old.append(session, { attempt: 1 }, [decided(i)]));
      if (code === "E_FENCED") refusals++;
      else expect(code).toMatch(/^no error/);
    });
    await breakClaim(next, session, selfOwner(), "test");
    await claim(next, session);
    await Promise.all(writing);
    const records = await journal(next, session);
    const taken = records.findIndex(({ kind, attempt }) => kind === "claim.taken" && attempt === 2);
    expect(records.slice(taken).filter(({ attempt }) => attempt === 1)).toEqual([]);
    expect(records.filter(({ kind }) => kind === "decided")).toHaveLength(200 - refusals);
  });

  test("K2, K3: between hosts a claim is held until its heartbeat is as old as the threshold, and each renewal starts it again", async () => {
    const clock = settableClock(1_000_000);
    const store = await open(make(), { clock });
    const session = sessionId();
    await claim(store, session, abroad());
    clock.nowIs(1_000_000 + THRESHOLD_MS - 1);
    expect(await codeOf(claim(store, session))).toBe("E_HELD");
    await store.renew(session, 1);
    clock.nowIs(1_000_000 + 2 * THRESHOLD_MS - 2);
    expect(await codeOf(claim(store, session))).toBe("E_HELD");
    clock.nowIs(1_000_000 + 2 * THRESHOLD_MS - 1);
    expect((await claim(store, session)).attempt).toBe(2);
    expect(await lastTaken(store, session)).toMatchObject({ why: "lost", from: { host: "another-host" } });
    expect(await codeOf(store.renew(session, 1))).toBe("E_FENCED");
    expect((await store.session(session))?.head).toBe(2);
  });

  test("K4: claim break is refused on an owner that is alive here, and changes nothing", async () => {
    const store = await open(make());
    const { session } = await begun(store);
    expect(await codeOf(breakClaim(store, session, selfOwner(), "because"))).toBe("E_STILL_ALIVE");
    expect(await store.session(session)).toMatchObject({ head: 1, claim: { attempt: 1 } });
    expect(await codeOf(breakClaim(store, sessionId(), selfOwner(), "because"))).toBe("E_NO_SESSION");
  });

  test("K4: claim break takes a claim from an owner on another host, writes down from whom and why, and leaves it free", async () => {
    const store = await open(make());
    const [session, owner] = [sessionId(), abroad()];
    await claim(store, session, owner);
    expect(await breakClaim(store, session, selfOwner(), "it hangs")).toEqual({ attempt: 2, from: owner });
    expect(await lastTaken(store, session)).toMatchObject({
      attempt: 2,
      why: "broken",
      from: owner,
      reason: "it hangs",
    });
    expect(await codeOf(store.append(session, { attempt: 1 }, [decided("late")]))).toBe("E_FENCED");
    expect((await claim(store, session)).attempt).toBe(3);
  });

  test("K1: a take whose records are refused leaves claim, journal and attempt as they were", async () => {
    const store = await open(make());
    const { session, owner } = await begun(store);
    const seen = { attempt: 1, holder: owner.instance };
    const ended = newRecord("turn.ended", { turn: "never", outcome: "completed", reason: null });
    const outcome = await take(store, session, seen, selfOwner(), [decided("left"), ended]);
    expect(outcome).toMatchObject({
      kind: "refused",
      refusal: { kind: "not-open", what: "turn", id: "never" },
    });
    expect(await store.session(session)).toMatchObject({ head: 1, claim: { attempt: 1, owner } });
  });

  test("K1: a take on a claim that has moved, on a missing session or over an existing one is refused and says so", async () => {
    const store = await open(make());
    const { session, owner } = await begun(store);
    const refusal = async (...args: Parameters<typeof take>): Promise<unknown> => {
      const outcome = await take(...args);
      return outcome.kind === "refused" ? outcome.refusal : outcome;
    };
    const seen = { attempt: 1, holder: owner.instance };
    expect(await refusal(store, session, null)).toEqual({ kind: "session-exists" });
    expect(await refusal(store, sessionId(), seen)).toEqual({ kind: "no-session" });
    for (const stale of [
      { ...seen, attempt: 2 },
      { ...seen, holder: null },
      { ...seen, holder: "other" },
    ])
      expect(await refusal(store, session, stale)).toMatchObject({
        kind: "claim-moved",
        claim: { attempt: 1, owner },
      });
  });

  test("D4, K1: a dead writer's repeat of what it once wrote is harmless and hands out nobody else's attempt", async () => {
    const store = await open(make());
    const [session, first] = [sessionId(), selfOwner("first")];
    const record = decided("said once", "once");
    await take(store, session, null, first, [record]);
    const old = await store.append(session, { attempt: 1 }, [decided("more", "more")]);
    const second = await take(store, session, { attempt: 1, holder: first.instance }, selfOwner(), [
      decided("next"),
    ]);
    expect(second).toMatchObject({ kind: "done", attempt: 2 });
    const again = await store.append(session, { attempt: 1 }, [decided("more", "more")]);
    expect([again.isRepeat, again.seqs]).toEqual([true, old.seqs]);
    expect(await take(store, session, null, first, [record])).toMatchObject({
      kind: "done",
      isRepeat: true,
      attempt: 1,
      seqs: [1],
    });
    expect(await codeOf(store.append(session, { attempt: 1 }, [decided("new")]))).toBe("E_FENCED");
    expect((await store.session(session))?.claim.attempt).toBe(2);
    expect(await valuesOf(store, session)).toEqual(["said once", "more", "next"]);
  });

  test("K1: anyone may queue an input, suspend and drop, whoever holds the claim; their records carry no attempt", async () => {
    const place = make();
    const [holder, outsider] = [await open(place), await open(place)];
    const { session } = await begun(holder);
    await outsider.append(session, "anyone", [inputQueued("i1"), inputQueued("i2")]);
    await outsider.append(session, "anyone", [newRecord("input.dropped", { input: "i1", reason: "no" })]);
    await outsider.append(session, "anyone", [newRecord("session.suspended", { reason: "asked" })]);
    const records = await journal(holder, session);
    expect(records.map(({ attempt }) => attempt)).toEqual([1, null, null, null, null]);
    expect((await holder.open(session)).map(({ what, id }) => `${what} ${id}`)).toEqual(["input i2"]);
    expect((await holder.session(session))?.facts).toMatchObject({ suspended: "asked" });
  });

  test("K1: an outsider is refused every kind of the owner's and every kind unknown here, and a session that is not there", async () => {
    const store = await open(make());
    const { session } = await begun(store);
    const write = (record: ReturnType<typeof newRecord>, to = session) =>
      codeOf(store.append(to, "anyone", [record]));
    for (const record of [
      decided("mine"),
      newRecord("turn.began", { turn: "t", parts: null, input: null }),
      newRecord("claim.released", { attempt: 1 }),
      newRecord("session.finished", { cause: "clean" }),
      newRecord("x.from-the-future", {}),
    ])
      expect(await write(record)).toBe("E_BAD_RECORD");
    expect(await write(inputQueued("i"), sessionId())).toBe("E_NO_SESSION");
    expect((await journal(store, session)).map(({ kind }) => kind)).toEqual(["session.began"]);
  });

  test("K1: to a session that was sent away nobody writes and nobody takes its claim, also not among others of one change, until it is taken back", async () => {
    const place = make();
    const [holder, outsider] = [await open(place), await open(place)];
    const { session, by } = await begun(holder);
    await outsider.append(session, "anyone", [inputQueued("i1")]);
    const sent = { transfer: "t", fence: "sent", to: "ssh://there", from: "s", offered: 2, suspended: null };
    await holder.release(session, by.attempt, [
      newRecord("claim.released", by),
      newRecord("session.sent", sent),
    ]);
    const head = (await holder.session(session))?.head;
    expect(await codeOf(holder.append(session, by, [decided("late")]))).toBe("E_FENCED");
    for (const records of [
      [inputQueued("i2")],
      [newRecord("input.dropped", { input: "i1", reason: "no" })],
      [inputQueued("i3"), inputQueued("i4")],
    ])
      expect(await codeOf(outsider.append(session, "anyone", records))).toBe("E_SENT");
    expect(await codeOf(claim(outsider, session))).toBe("E_SENT");
    expect(await codeOf(breakClaim(outsider, session, selfOwner("breaker"), "mine"))).toBe("E_SENT");
    expect(await holder.session(session)).toMatchObject({
      head,
      claim: { owner: null, attempt: by.attempt },
    });
    const back = { transfer: "t", fence: "sent", suspended: null, reason: "it never arrived" };
    await outsider.append(session, "anyone", [newRecord("session.taken-back", back)]);
    expect(await codeOf(outsider.append(session, "anyone", [newRecord("session.taken-back", back)]))).toBe(
      "E_NOT_OPEN",
    );
    await outsider.append(session, "anyone", [inputQueued("i5")]);
    expect((await claim(outsider, session)).attempt).toBe(by.attempt + 1);
  });
}
