import { describe, expect, it, vi } from "vitest";
import fc from "../../test/support/fast-check.ts";
import type { Json } from "../model/json.ts";
import { redact, redactJson } from "./redact.ts";

const searches = vi.hoisted(() => ({ count: 0, isBroken: false }));
vi.mock("@secretlint/secretlint-rule-preset-recommend", async (importOriginal) => {
  const preset = await importOriginal<{
    rules: { meta: { id: string }; create(...given: unknown[]): unknown }[];
  }>();
  const rules = preset.rules.map((rule) => ({
    ...rule,
    create(...given: unknown[]) {
      if (rule.meta.id.endsWith("-github")) searches.count++;
      if (searches.isBroken) throw new Error("a rule is broken");
      return rule.create(...given);
    },
  }));
  return { ...preset, rules };
});

const GITHUB = `ghp_${"a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"}`;
const MARK = "[redacted: github]";

const leaf = fc
  .array(
    fc.constantFrom(
      GITHUB,
      "plain",
      "password=",
      "hunter2",
      '"',
      "\n",
      "\0",
      " ",
      "-----BEGIN PRIVATE KEY-----",
      `\n${GITHUB.repeat(3)}`,
      "-----END PRIVATE KEY-----",
      "machine a login b password ",
      "token: ",
      "[redacted: github]",
      "api_key='",
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(""));

/** Much work on a machine that may be busy; nothing is asserted about time. */
const SLOW_MS = 120_000;

describe("redactJson", () => {
  it("redacts every string and keeps everything else: structure, order, numbers, nulls (T4)", async () => {
    const given = {
      b: [1, null, true, `x ${GITHUB}`, { c: [[GITHUB]] }],
      a: 1.5,
      empty: {},
      list: [],
      text: "plain",
    };
    const { value, count } = await redactJson(given);
    expect(value).toEqual({
      b: [1, null, true, `x ${MARK}`, { c: [[MARK]] }],
      a: 1.5,
      empty: {},
      list: [],
      text: "plain",
    });
    expect(Object.keys(value as object)).toEqual(Object.keys(given));
    expect(count).toBe(2);
    expect(given.b[3]).toBe(`x ${GITHUB}`);
  });

  it("redacts what a telling name holds, whatever it looks like, and nothing for want of one", async () => {
    const { value } = await redactJson({
      api_key: "abc12345",
      Password: "hunter",
      passwords: { db: "hunter", token: "short" },
      password: 12_345_678,
      clientSecret: ["one word", "another"],
      max_tokens: 4096,
      key: "hunter",
      token: "",
      secret: null,
      headers: { authorization: "Bearer abcd1234efgh", cookie: "a=b; c=d" },
    });
    expect(value).toEqual({
      api_key: "[redacted: token]",
      Password: "[redacted: password]",
      passwords: { db: "hunter", token: "short" },
      password: "[redacted: password]",
      clientSecret: ["[redacted: password]", "[redacted: password]"],
      max_tokens: 4096,
      key: "hunter",
      token: "",
      secret: null,
      headers: { authorization: "[redacted: token]", cookie: "[redacted: token]" },
    });
  });

  it("leaves a schema that speaks of a password as it is", async () => {
    const schema = {
      properties: { password: { type: "string", description: "The user's password" } },
      required: ["password"],
    };
    expect(await redactJson(schema)).toEqual({ value: schema, count: 0 });
  });

  it("redacts the value of a pair of name and value", async () => {
    const env = [
      { name: "DB_PASSWORD", value: "hunter" },
      { name: "DB_HOST", value: "db" },
      { key: "x-api-key", value: "abc12345" },
    ];
    expect((await redactJson(env)).value).toEqual([
      { name: "DB_PASSWORD", value: "[redacted: password]" },
      { name: "DB_HOST", value: "db" },
      { key: "x-api-key", value: "[redacted: token]" },
    ]);
  });

  it("redacts field names too and loses no field when two become equal", async () => {
    const { value } = await redactJson({ [GITHUB]: 1, [`${GITHUB.slice(0, -1)}9`]: 2, other: 3 });
    expect(value).toEqual({ [MARK]: 1, [`${MARK} (2)`]: 2, other: 3 });
  });

  it("keeps a field called __proto__ a field", async () => {
    const given = JSON.parse(`{"__proto__": {"a": "${GITHUB}"}, "b": 1}`) as Json;
    const { value } = await redactJson(given);
    expect(JSON.stringify(value)).toBe(`{"__proto__":{"a":"${MARK}"},"b":1}`);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  it("takes strings, numbers and null for values of their own", async () => {
    expect(await redactJson(GITHUB)).toEqual({ value: MARK, count: 1 });
    expect(await redactJson(7)).toEqual({ value: 7, count: 0 });
    expect(await redactJson(null)).toEqual({ value: null, count: 0 });
  });

  it(
    "does with many strings what it does with each: no secret is made or lost between two",
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(leaf, { maxLength: 6 }), async (texts) => {
          const each = await Promise.all(texts.map(async (text) => (await redact(text)).text));
          expect((await redactJson(texts)).value).toEqual(each);
        }),
        { numRuns: 400 },
      );
    },
    SLOW_MS,
  );

  it(
    "changes nothing when it is given what it gave (T4)",
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.dictionary(fc.constantFrom("password", "token", "a", "b", GITHUB), leaf),
          async (given) => {
            const { value } = await redactJson(given);
            expect(await redactJson(value)).toEqual({ value, count: 0 });
          },
        ),
        { numRuns: 300 },
      );
    },
    SLOW_MS,
  );

  it("searches 1,000 strings in a few searches, not in a thousand", async () => {
    const texts = Array.from({ length: 1000 }, (_, at) =>
      at % 100 === 0 ? `secret ${GITHUB}` : `line ${at} of some output`,
    );
    searches.count = 0;
    const { count } = await redactJson({ texts });
    expect(count).toBe(10);
    expect(searches.count).toBeGreaterThan(0);
    expect(searches.count).toBeLessThanOrEqual(4);
  });

  it("refuses a value nested deeper than JSON may be, with its code", async () => {
    let deep: Json = "x";
    for (let i = 0; i < 300; i++) deep = [deep];
    await expect(redactJson(deep)).rejects.toMatchObject({ code: "E_TOO_DEEP" });
  });

  it("gives the caller the error, never the text, when a rule fails (redact 2)", async () => {
    searches.isBroken = true;
    try {
      await expect(redact("text")).rejects.toThrow("a rule is broken");
      await expect(redactJson({ a: "text" })).rejects.toThrow("a rule is broken");
    } finally {
      searches.isBroken = false;
    }
  });
});
