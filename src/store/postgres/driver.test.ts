import { afterEach, describe, expect, test } from "vitest";
import {
  appendOf,
  asSession,
  ownerNamed,
  rawRecord,
  refusalOf,
  takeOf,
} from "../../../test/support/changes.ts";
import { freshSchema } from "../../../test/support/postgres.ts";
import type { SessionId } from "../../model/ids.ts";
import { systemClock } from "../../platform/clock.ts";
import type { ChangeOutcome, Driver, StoreChange } from "../contract/driver.ts";
import { rowChecksum } from "../contract/row-checksum.ts";
import { openPostgresDriver } from "./driver.ts";

const opened: Driver[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((driver) => driver.close()));
});

type Place = ReturnType<typeof freshSchema>;

async function open(place: Place = freshSchema()): Promise<Driver> {
  const driver = await openPostgresDriver({ ...place, clock: systemClock });
  opened.push(driver);
  return driver;
}

const s1 = asSession("s1");
const s2 = asSession("s2");
const one = { attempt: 1 };

async function commit(driver: Driver, change: StoreChange): Promise<ChangeOutcome> {
  const [outcome] = await driver.commit([change]);
  if (!outcome) throw new Error("no outcome");
  return outcome;
}

/** A driver with the sessions taken by "me" as attempt 1. */
async function withSessions(...ids: SessionId[]): Promise<Driver> {
  const driver = await open();
  await driver.commit(ids.map((id) => takeOf(id, "me")));
  return driver;
}

async function journal(driver: Driver, session = s1): Promise<string[]> {
  const rows = await driver.readRecords({ session });
  for (const row of rows) expect(rowChecksum(row), `checksum of ${row.id}`).toBe(row.checksum);
  return rows.map((row) => `${row.seq} ${row.id}`);
}

describe("commit groups", () => {
  test("driver 1, driver 2, driver 3: a group is answered in the caller's order, numbers are gapless, and a refused change leaves no trace", async () => {
    const driver = await withSessions(s1, s2);
    const outcomes = await driver.commit([
      appendOf(s2, one, rawRecord("b1")),
      appendOf(s1, { attempt: 7 }, rawRecord("x1")),
      appendOf(s1, one, rawRecord("a1"), rawRecord("a2")),
      takeOf(asSession("s3"), "me", { records: [rawRecord("r", {}, { needs: { what: "turn", id: "t" } })] }),
      appendOf(s1, "anyone", rawRecord("a3")),
    ]);
    const done = { kind: "done", attempt: 1, isRepeat: false };
    expect(outcomes).toEqual([
      { ...done, seqs: [1], head: 1 },
      { kind: "refused", refusal: { kind: "fenced", current: 1, holder: ownerNamed("me") } },
      { ...done, seqs: [1, 2], head: 2 },
      { kind: "refused", refusal: { kind: "not-open", what: "turn", id: "t" } },
      { ...done, seqs: [3], head: 3 },
    ]);
    expect(await journal(driver)).toEqual(["1 a1", "2 a2", "3 a3"]);
    expect(await driver.readSession(asSession("s3"))).toBeNull();
  });

  test("D5: what was written comes back exactly, with a checksum over its server-given number, whatever is in it", async () => {
    const driver = await withSessions(s1);
    const bodies = ["\u0000", "\ud800", "\u2028", "ünï 😀 \\u0000", "x".repeat(200_000), ""].map((text) => ({
      text,
    }));
    const facts = {
      "a\u0000": "v\u0000",
      workspace: "/w\u0000",
      name: "n".repeat(5000),
      lone: "\udfff",
      big: 1e300,
    };
    const odd = "id \u0000 \ud800 ".repeat(1000);
    for (const [i, body] of bodies.entries()) {
      await driver.commit([appendOf(s1, one, rawRecord(`r${i}`, body, { atMs: 1.5 + i, facts }))]);
    }
    await driver.commit([appendOf(s1, one, rawRecord("opens", {}, { opens: { what: "call", id: odd } }))]);
    const rows = await driver.readRecords({ session: s1 });
    expect(rows.slice(0, -1).map((row) => JSON.parse(row.body))).toEqual(bodies);
    expect(rows.map((row) => rowChecksum(row))).toEqual(rows.map((row) => row.checksum));
    expect((await driver.readSession(s1))?.facts).toEqual(facts);
    expect(await driver.readOpen(s1)).toEqual([{ what: "call", id: odd, seq: bodies.length + 1 }]);
    expect(await driver.listSessions({ workspace: facts.workspace, name: facts.name })).toHaveLength(1);
    expect(await driver.listSessions({ workspace: "/other" })).toEqual([]);
  });

  test("D5: the checksum is right at every length of the number, from one digit to ten", async () => {
    const place = freshSchema();
    const driver = await open(place);
    const { default: postgres } = await import("postgres");
    const sql = postgres(place.url, { max: 1 });
    for (const head of [0, 9, 99, 12_344, 999_999, 4_294_967_295]) {
      const session = asSession(`s${head}`);
      await driver.commit([takeOf(session, "me")]);
      await sql`update ${sql(`${place.schema}.sessions`)} set head = ${head} where id = ${session}`;
      await driver.commit([
        appendOf(session, one, rawRecord("a", { é: 1 }), rawRecord("b", {}, { kind: "" })),
      ]);
      const rows = await driver.readRecords({ session });
      expect(rows.map((row) => row.seq)).toEqual([head + 1, head + 2]);
      expect(rows.map((row) => rowChecksum(row))).toEqual(rows.map((row) => row.checksum));
    }
    await sql.end();
  });

  test("driver 5: facts merge shallowly, null sets null, and they change with the records or not at all", async () => {
    const driver = await withSessions(s1);
    await driver.commit([appendOf(s1, one, rawRecord("a", {}, { facts: { a: 1, b: { c: 2 } } }))]);
    await driver.commit([
      appendOf(
        s1,
        one,
        rawRecord("b", {}, { facts: { b: null } }),
        rawRecord("c", {}, { facts: { d: "x" } }),
      ),
      appendOf(s1, { attempt: 2 }, rawRecord("d", {}, { facts: { a: "refused" } })),
    ]);
    expect((await driver.readSession(s1))?.facts).toEqual({ a: 1, b: null, d: "x" });
  });

  test("C1: what is open is checked record by record within a change, and the first contradiction refuses all of it", async () => {
    const driver = await withSessions(s1);
    const turn = { what: "turn", id: "t" } as const;
    const input = { what: "input", id: "i" } as const;
    await driver.commit([appendOf(s1, "anyone", rawRecord("q", {}, { opens: input }))]);
    const refuse = async (...records: Parameters<typeof rawRecord>[2][]) =>
      refusalOf(
        await commit(driver, appendOf(s1, one, ...records.map((more, i) => rawRecord(`n${i}`, {}, more)))),
      );
    expect(await refuse({ opens: input })).toEqual({ kind: "already-open", ...input });
    expect(await refuse({ needs: turn })).toEqual({ kind: "not-open", ...turn });
    expect(await refuse({ opens: turn }, { opens: turn })).toEqual({ kind: "already-open", ...turn });
    expect(await refuse({ closes: input }, { closes: input })).toEqual({ kind: "not-open", ...input });
    expect(await driver.readOpen(s1)).toEqual([{ ...input, seq: 1 }]);

    const began = rawRecord("began", {}, { opens: turn, closes: input });
    await driver.commit([appendOf(s1, one, began, rawRecord("said", {}, { needs: turn }))]);
    expect(await driver.readOpen(s1)).toEqual([{ ...turn, seq: 2 }]);
    expect(await driver.checkEngine()).toEqual([]);
  });
});

describe("repeats (D4)", () => {
  test("the same ids and bodies again are answered with the old numbers, even by a fenced writer, and nothing is added", async () => {
    const driver = await withSessions(s1);
    const change = appendOf(s1, one, rawRecord("a", { x: 1 }), rawRecord("b"));
    await driver.commit([change]);
    await driver.commit([takeOf(s1, "you", { seen: { attempt: 1, holder: "me" } })]);
    const again = { kind: "done", seqs: [1, 2], head: 2, attempt: 1, isRepeat: true };
    expect(await driver.commit([change, change])).toEqual([again, again]);
    expect(await journal(driver)).toEqual(["1 a", "2 b"]);
  });

  test("another body or kind, or one id with two bodies in a change, is id-reused; the same again among others is not", async () => {
    const driver = await withSessions(s1);
    await driver.commit([appendOf(s1, one, rawRecord("a", { x: 1 }))]);
    const refuse = async (...records: ReturnType<typeof rawRecord>[]) =>
      refusalOf(await commit(driver, appendOf(s1, one, ...records)));
    expect(await refuse(rawRecord("a", { x: 2 }))).toEqual({ kind: "id-reused", id: "a" });
    expect(await refuse(rawRecord("a", { x: 1 }, { kind: "other" }))).toEqual({ kind: "id-reused", id: "a" });
    expect(await refuse(rawRecord("n"), rawRecord("a", { x: 2 }))).toEqual({ kind: "id-reused", id: "a" });
    expect(await refuse(rawRecord("m"), rawRecord("m", { x: 2 }))).toEqual({ kind: "id-reused", id: "m" });
    expect(await journal(driver)).toEqual(["1 a"]);
    expect(
      await commit(driver, appendOf(s1, one, rawRecord("n"), rawRecord("a", { x: 1 }), rawRecord("n"))),
    ).toEqual({
      kind: "done",
      seqs: [2, 1, 2],
      head: 2,
      attempt: 1,
      isRepeat: false,
    });
    expect(await journal(driver)).toEqual(["1 a", "2 n"]);
  });

  test("K1: the repeat of a take answers its own attempt, never the one somebody else has begun since", async () => {
    const driver = await open();
    const take = takeOf(s1, "me", { records: [rawRecord("taken")] });
    await driver.commit([take]);
    await driver.commit([takeOf(s1, "you", { seen: { attempt: 1, holder: "me" } })]);
    expect(await commit(driver, take)).toEqual({
      kind: "done",
      seqs: [1],
      head: 1,
      attempt: 1,
      isRepeat: true,
    });
  });

  test("a take, release or renew without records can be sent twice, as after a lost answer", async () => {
    const driver = await open();
    const changes: StoreChange[] = [
      takeOf(s1, "me"),
      { kind: "renew", session: s1, attempt: 1, nowMs: 2000 },
      { kind: "release", session: s1, attempt: 1, records: [] },
    ];
    for (const change of changes) {
      expect(await commit(driver, change)).toMatchObject({ kind: "done", attempt: 1 });
      expect(await commit(driver, change)).toMatchObject({ kind: "done", attempt: 1 });
    }
  });
});

describe("claims (K1)", () => {
  test("a take needs the claim as it was seen; a release frees it, keeps the attempt and fences its own writer", async () => {
    const driver = await open();
    expect(refusalOf(await commit(driver, takeOf(s1, "me", { seen: { attempt: 0, holder: null } })))).toEqual(
      {
        kind: "no-session",
      },
    );
    await driver.commit([takeOf(s1, "me")]);
    expect(refusalOf(await commit(driver, takeOf(s1, "you")))).toEqual({ kind: "session-exists" });
    const mine = {
      attempt: 1,
      owner: ownerNamed("me"),
      acquiredAtMs: 1000,
      heartbeatAtMs: 1000,
      thresholdMs: 500,
    };
    for (const seen of [
      { attempt: 1, holder: null },
      { attempt: 0, holder: "me" },
    ]) {
      expect(refusalOf(await commit(driver, takeOf(s1, "you", { seen })))).toEqual({
        kind: "claim-moved",
        claim: mine,
      });
    }
    await driver.commit([{ kind: "renew", session: s1, attempt: 1, nowMs: 3000 }]);
    expect((await driver.readSession(s1))?.claim).toEqual({ ...mine, heartbeatAtMs: 3000 });

    await driver.commit([{ kind: "release", session: s1, attempt: 1, records: [rawRecord("bye")] }]);
    expect((await driver.readSession(s1))?.claim).toEqual({ ...mine, owner: null, heartbeatAtMs: null });
    const late: StoreChange[] = [
      appendOf(s1, one, rawRecord("late")),
      { kind: "renew", session: s1, attempt: 1, nowMs: 1 },
    ];
    for (const change of late) {
      expect(refusalOf(await commit(driver, change))).toEqual({ kind: "fenced", current: 1, holder: null });
    }
    const next = await commit(driver, takeOf(s1, "you", { seen: { attempt: 1, holder: null } }));
    expect(next).toMatchObject({ kind: "done", attempt: 2 });
  });

  test("two processes race for one claim a hundred times: exactly one wins each time, the other is told who", async () => {
    const place = freshSchema();
    const [a, b] = await Promise.all([open(place), open(place)]);
    for (let round = 0; round < 100; round++) {
      const isNew = round % 2 === 0;
      const session = asSession(`s${round - (round % 2)}`);
      const current = (await a.readSession(session))?.claim;
      const seen = current ? { attempt: current.attempt, holder: current.owner?.instance ?? null } : null;
      const outcomes = await Promise.all(
        [a, b].map((driver, i) => commit(driver, takeOf(session, `p${i}.${round}`, { seen }))),
      );
      const winner = outcomes.findIndex((outcome) => outcome.kind === "done");
      expect(outcomes.map((outcome) => outcome.kind).sort()).toEqual(["done", "refused"]);
      expect((await a.readSession(session))?.claim.owner?.instance).toBe(`p${winner}.${round}`);
      expect(refusalOf(outcomes[1 - winner])).toMatchObject({
        kind: isNew ? "session-exists" : "claim-moved",
      });
    }
  });

  test("C5: an append that expects another head is refused with the true one", async () => {
    const driver = await withSessions(s1);
    const change = appendOf(s1, one, rawRecord("a"));
    expect(refusalOf(await commit(driver, { ...change, expectHead: 3 }))).toEqual({
      kind: "head-moved",
      head: 0,
    });
    expect(await commit(driver, { ...change, expectHead: 0 })).toMatchObject({ kind: "done", head: 1 });
    expect(refusalOf(await commit(driver, appendOf(s2, "anyone", rawRecord("a"))))).toEqual({
      kind: "no-session",
    });
  });
});

describe("imports", () => {
  const imported = (id: string, more = {}) => ({ ...rawRecord(id), attempt: 3, isForgotten: false, ...more });

  test("an import continues exactly at the end, keeps attempts and forgotten marks, and never moves the attempt back", async () => {
    const driver = await open();
    const first: StoreChange = {
      kind: "import",
      session: s1,
      afterSeq: 0,
      attempt: 4,
      records: [imported("a"), imported("b", { attempt: null, isForgotten: true })],
    };
    expect(await commit(driver, first)).toEqual({
      kind: "done",
      seqs: [1, 2],
      head: 2,
      attempt: 4,
      isRepeat: false,
    });
    expect(await commit(driver, first)).toMatchObject({ kind: "done", isRepeat: true });
    expect(
      await commit(driver, { ...first, afterSeq: 2, attempt: 1, records: [imported("c")] }),
    ).toMatchObject({ attempt: 4 });
    const rows = await driver.readRecords({ session: s1 });
    expect(rows.map(({ id, attempt, isForgotten }) => [id, attempt, isForgotten])).toEqual([
      ["a", 3, false],
      ["b", null, true],
      ["c", 3, false],
    ]);
    expect(await journal(driver)).toHaveLength(3);
    const gap = await commit(driver, { ...first, afterSeq: 9, records: [imported("d")] });
    expect(refusalOf(gap)).toEqual({ kind: "head-moved", head: 3 });
    await driver.commit([takeOf(s1, "me", { seen: { attempt: 4, holder: null } })]);
    const held = await commit(driver, { ...first, afterSeq: 3, records: [imported("d")] });
    expect(refusalOf(held)).toMatchObject({ kind: "claim-moved", claim: { attempt: 5 } });
    expect(
      refusalOf(await commit(driver, { ...first, session: s2, afterSeq: 1, records: [imported("d")] })),
    ).toEqual({ kind: "head-moved", head: 0 });
    expect(await driver.readSession(s2)).toBeNull();
  });
});

describe("reading", () => {
  test("sessions come in the order of the bytes of their ids, page by page, whatever the database's language", async () => {
    const ids = ["a", "B", "aB", "ä", "Z", "z", "_", "0"].map(asSession);
    const driver = await withSessions(...ids);
    const inOrder = [...ids].sort((x, y) => Buffer.compare(Buffer.from(x), Buffer.from(y)));
    expect((await driver.listSessions({})).map((row) => row.id)).toEqual(inOrder);
    const found: string[] = [];
    for (let after: SessionId | undefined; ; ) {
      const page = await driver.listSessions({ limit: 3, ...(after ? { after } : {}) });
      found.push(...page.map((row) => row.id));
      after = page.at(-1)?.id;
      if (!after) break;
    }
    expect(found).toEqual(inOrder);
    expect((await driver.listSessions({ prefix: "a" })).map((row) => row.id)).toEqual(["a", "aB"]);
  });

  test("records come by range, direction, kind and id", async () => {
    const driver = await withSessions(s1);
    const records = Array.from({ length: 9 }, (_, i) =>
      rawRecord(`r${i + 1}`, {}, { kind: i % 2 ? "even" : "odd" }),
    );
    await driver.commit([appendOf(s1, one, ...records)]);
    const seqs = async (query: object) =>
      (await driver.readRecords({ session: s1, ...query })).map((row) => row.seq);
    expect(await seqs({ fromSeq: 3, toSeq: 5 })).toEqual([3, 4, 5]);
    expect(await seqs({ order: "backward", limit: 2 })).toEqual([9, 8]);
    expect(await seqs({ kinds: ["even"], fromSeq: 4 })).toEqual([4, 6, 8]);
    expect(await seqs({ kinds: [] })).toEqual([]);
    expect((await driver.readRecordById(s1, rawRecord("r5").id))?.seq).toBe(5);
  });
});

describe("closing", () => {
  test("no sleep outlasts it: a program that wrote something would stay for as long", async () => {
    const asleep = new Set<object>();
    const driver = await openPostgresDriver({
      ...freshSchema(),
      clock: {
        ...systemClock,
        sleep: (ms, signal) => {
          const one = {};
          asleep.add(one);
          return systemClock.sleep(ms, signal).finally(() => asleep.delete(one));
        },
      },
    });
    await driver.commit([takeOf(s1, "me")]);
    await driver.close();
    await new Promise(setImmediate);
    expect(asleep.size).toBe(0);
  });
});
