/** What can be stored: every JSON value exactly, everything else refused with a code before anything is written. */

import { expect, test } from "vitest";
import type { JsonObject } from "../../dist/model/json.js";
import fc from "../support/fast-check.ts";
import {
  begun,
  codeOf,
  decided,
  journal,
  type MakePlace,
  newRecord,
  open,
  sessionId,
  take,
  valuesOf,
} from "./harness.ts";

class Point {
  readonly x = 1;
}
const cyclic: Record<string, unknown> = {};
cyclic.self = { again: [cyclic] };
const nested = (arrays: number): unknown => {
  let value: unknown[] = [];
  for (let i = 1; i < arrays; i++) value = [value];
  return value;
};
const withHole: unknown[] = [1, 2, 3];
delete withHole[1];

/** Any JSON value, its strings made of any UTF-16 units, -0 among its numbers. */
const anyJson = fc.letrec((tie) => ({
  text: fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)) }),
  value: fc.oneof(
    { maxDepth: 4, depthSize: "medium" },
    fc.constant(null),
    fc.boolean(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer(),
    tie("text"),
    fc.array(tie("value")),
    tie("object"),
  ),
  object: fc.dictionary(tie("text") as fc.Arbitrary<string>, tie("value")).map((entries) => ({ ...entries })),
}));

export function valueLaws(make: MakePlace): void {
  test.each([
    ["NUL", "a\u0000b"],
    ["lone surrogates", "\ud800 \udfff \udc00\ud800"],
    ["line separators", "\u2028\u2029\r\n"],
    ["emoji and combining marks", "👩‍👩‍👧 e\u0301 ﷽"],
    ["a byte order mark and non-characters", "\ufeff\uffff\ufffe"],
    ["escapes of SQL and JSON", `'";--\\u0000\\\\ $1 ? :x @y`],
    ["the extremes of numbers", [-0, Number.MAX_VALUE, 5e-324, -1.5, 2 ** 53, Number.MIN_SAFE_INTEGER, 0.1]],
    ["empty things", [null, "", [], {}, { "": "" }, false]],
    [
      "names that mean something to JavaScript",
      JSON.parse('{"__proto__":{"a":1},"constructor":2,"toString":3}'),
    ],
  ])("D5: %s come back exactly", async (_what, value) => {
    const store = await open(make());
    const { session, by } = await begun(store);
    const key = typeof value === "string" ? value : "key";
    await store.append(session, by, [newRecord("x.any", { [key]: value } as JsonObject)]);
    const [, record] = await journal(store, session);
    expect(record?.isDamaged).toBe(false);
    expect(JSON.stringify(record?.body)).toBe(JSON.stringify({ [key]: value }));
    expect(record?.body).toEqual({ [key]: value });
  });

  test("D5: any JSON body comes back exactly, and unknown kinds and unknown fields of known kinds are kept", async () => {
    const store = await open(make());
    const { session, by } = await begun(store);
    await fc.assert(
      fc.asyncProperty(anyJson.object as fc.Arbitrary<JsonObject>, fc.boolean(), async (object, isKnown) => {
        const known = { key: "k", value: object, reason: null, step: null };
        const body = isKnown ? { ...object, ...known } : object;
        const { seqs } = await store.append(session, by, [newRecord(isKnown ? "decided" : "x.new", body)]);
        const [record] = await store.records({ session, fromSeq: seqs[0] ?? 0, limit: 1 });
        expect([record?.isDamaged, record?.kind]).toEqual([false, isKnown ? "decided" : "x.new"]);
        expect(record?.body).toEqual(body);
      }),
      { numRuns: 60 },
    );
  });

  test.each([
    ["NaN", Number.NaN],
    ["infinity", Number.POSITIVE_INFINITY],
    ["undefined in a list", [undefined]],
    ["a hole in a list", withHole],
    ["a date", new Date(0)],
    ["a big integer", 1n],
    ["a function", () => 1],
    ["a symbol", Symbol("s")],
    ["an object of a class", new Point()],
    ["a map", new Map()],
    ["bytes", Buffer.from("x")],
    ["an object that would speak for itself", { toJSON: () => "something else" }],
    ["a value that contains itself", cyclic],
  ])("%s is refused with E_NOT_JSON, and nothing is written in its place", async (_what, value) => {
    const store = await open(make());
    const { session, by } = await begun(store);
    expect(await codeOf(store.append(session, by, [decided("before"), decided(value)]))).toBe("E_NOT_JSON");
    expect(await codeOf(store.append(session, by, [decided({ deep: [value] })]))).toBe("E_NOT_JSON");
    expect(await valuesOf(store, session)).toEqual([]);
  });

  test("T5: a value 199 levels deep is stored, one of 201 is E_TOO_DEEP", async () => {
    const store = await open(make());
    const { session, by } = await begun(store);
    await store.append(session, by, [decided(nested(199))]);
    expect(await valuesOf(store, session)).toEqual([nested(199)]);
    expect(await codeOf(store.append(session, by, [decided(nested(201))]))).toBe("E_TOO_DEEP");
  });

  test("T5: a body of 65 MB is E_TOO_LARGE and nothing of it is stored", async () => {
    const store = await open(make());
    const { session, by } = await begun(store);
    expect(await codeOf(store.append(session, by, [decided("x".repeat(68_157_440))]))).toBe("E_TOO_LARGE");
    expect((await store.driver.info()).contentBytes).toBe(0);
  });

  test("a body that does not fit its kind is E_BAD_RECORD; a time that is none is refused without hurting its group", async () => {
    const store = await open(make());
    const { session, by } = await begun(store);
    for (const body of [
      {},
      { key: 1, value: 1, reason: null, step: null },
      { key: "k", value: 1, reason: null },
    ])
      expect(await codeOf(store.append(session, by, [newRecord("decided", body)]))).toBe("E_BAD_RECORD");
    const times = [Number.NaN, Number.POSITIVE_INFINITY, 1e300, 2 ** 53, 8.64e15 + 1, -8.64e15 - 1];
    const codes = await Promise.all([
      ...times.map((atMs) => codeOf(store.append(session, by, [decided("never", undefined, atMs)]))),
      codeOf(store.append(session, by, [decided("good", undefined, 12.9)])),
    ]);
    expect(codes.slice(0, -1)).toEqual(times.map(() => "E_BAD_RECORD"));
    expect((await journal(store, session)).slice(1).map(({ atMs, body }) => [atMs, body.value])).toEqual([
      [12, "good"],
    ]);
  });

  test.each([
    ["path characters", "/../../etc/passwd"],
    ["quotes and spaces", ` it's "one" ; -- id `],
    ["200 bytes", "é".repeat(100)],
    ["one byte", "x"],
    ["wildcards", "%_*?[a-z]"],
  ])("an id with %s is an id like any other, for a session, a record and what is open", async (_what, id) => {
    const store = await open(make());
    const { session, by } = await begun(store, sessionId(id));
    await store.append(session, by, [
      { ...newRecord("turn.began", { turn: id, parts: null, input: null }), id: id as never },
    ]);
    expect((await store.recordById(session, id as never))?.seq).toBe(2);
    expect((await store.session(sessionId(id)))?.head).toBe(2);
    expect((await store.open(session)).map((row) => row.id)).toEqual([id]);
    await store.append(session, by, [
      newRecord("turn.ended", { turn: id, outcome: "completed", reason: null }),
    ]);
    expect(await store.open(session)).toEqual([]);
  });

  test.each([
    ["no bytes", ""],
    ["201 bytes", `${"é".repeat(100)}x`],
    ["a newline", "a\nb"],
    ["NUL", "a\u0000"],
    ["an escape character", "\u001b[31m"],
    ["a line separator", "a\u2028b"],
    ["a lone surrogate", "a\ud800"],
  ])("an id with %s is E_BAD_ID, for a session, a record, a kind and what is open", async (_what, id) => {
    const store = await open(make());
    const { session, by } = await begun(store);
    expect(await codeOf(take(store, sessionId(id), null))).toBe("E_BAD_ID");
    expect(await codeOf(store.append(session, by, [{ ...decided(1), id: id as never }]))).toBe("E_BAD_ID");
    expect(await codeOf(store.append(session, by, [newRecord(id, {})]))).toBe("E_BAD_ID");
    const began = newRecord("turn.began", { turn: id, parts: null, input: null });
    expect(await codeOf(store.append(session, by, [began]))).toBe("E_BAD_ID");
    expect((await store.session(session))?.head).toBe(1);
    expect(await store.sessions()).toHaveLength(1);
  });
}
