import { performance } from "node:perf_hooks";
import { beforeAll, describe, expect, it, vi } from "vitest";
import fc from "../../test/support/fast-check.ts";
import { mayHoldSecret, OVERLAP_CHARS, redact, WINDOW_CHARS } from "./redact.ts";

const loads = vi.hoisted(() => ({ count: 0 }));
vi.mock("@secretlint/secretlint-rule-preset-recommend", async (importOriginal) => {
  loads.count++;
  return importOriginal();
});

const BODY = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";
const GITHUB = `ghp_${BODY}`;
const MARK = "[redacted: github]";
const FILLER = "The quick brown fox jumps over the lazy dog.\n";
const filler = (chars: number) => FILLER.repeat(Math.ceil(chars / FILLER.length)).slice(0, chars);

const loaded = { byImport: -1, byNothing: -1, byText: -1 };
beforeAll(async () => {
  loaded.byImport = loads.count;
  await redact("");
  loaded.byNothing = loads.count;
  await redact("text");
  await redact("text");
  loaded.byText = loads.count;
});

/** Much work on a machine that may be busy; nothing is asserted about time. */
const SLOW_MS = 120_000;

describe("redact", () => {
  it("loads no rules when it is imported or given nothing, and loads them once", () => {
    expect(loaded).toEqual({ byImport: 0, byNothing: 0, byText: 1 });
  });

  /** Pieces that touch, open, close and continue each other's secrets. */
  const pieces = fc.array(
    fc.oneof(
      {
        weight: 6,
        arbitrary: fc.constantFrom(
          GITHUB,
          "ghp_",
          BODY,
          "sk-",
          `sk-ant-${BODY}`,
          "AKIA",
          "ABCDEFGHIJ234567",
          "eyJ",
          `eyJ${BODY}.eyJ${BODY}`,
          "xoxb-1-",
          "password",
          "token",
          "api_key",
          "AUTH",
          "=",
          ": ",
          " = ",
          '"',
          "'",
          '\\"',
          "`",
          "\\n",
          "\n",
          "\r\n",
          " ",
          ",",
          ";",
          "://",
          "user:",
          "@host",
          "Authorization: Bearer ",
          "Cookie: a=",
          "machine h login u password ",
          "hunter2",
          "-----BEGIN RSA PRIVATE KEY-----",
          "-----END RSA PRIVATE KEY-----",
          `\n${BODY}${BODY}\n`,
          "[redacted: github]",
          "[redacted: password]",
          "[redacted: ",
          "]",
          "|\n  ",
          "\0",
          "\ud83d",
          "\ufeff",
          "\x1b[31m",
          "${",
          "}",
        ),
      },
      { weight: 1, arbitrary: fc.string() },
    ),
    { maxLength: 14 },
  );

  it(
    "changes nothing when it is given what it gave, and never fails, whatever the text (T4)",
    async () => {
      await fc.assert(
        fc.asyncProperty(pieces, async (parts) => {
          const { text } = await redact(parts.join(""));
          expect(await redact(text)).toEqual({ text, found: [] });
          expect(await mayHoldSecret(text)).toBe(false);
        }),
        { numRuns: 1500 },
      );
    },
    SLOW_MS,
  );

  it(
    "says where the secrets were: everything else is in the result, in order",
    async () => {
      await fc.assert(
        fc.asyncProperty(pieces, async (parts) => {
          const given = parts.join("");
          const { text, found } = await redact(given);
          let rest = given;
          for (const { rule, start, end } of [...found].reverse()) {
            rest = `${rest.slice(0, start)}[redacted: ${rule}]${rest.slice(end)}`;
          }
          expect(rest).toBe(text);
        }),
        { numRuns: 500 },
      );
    },
    SLOW_MS,
  );

  it(
    "finds a secret wherever it lies across the border of two windows, and leaves the rest (T4)",
    async () => {
      const secrets = [
        [GITHUB, MARK],
        ['password = "correct horse battery"', 'password = "[redacted: password]"'],
        [
          `-----BEGIN RSA PRIVATE KEY-----\n${`${BODY}${BODY}\n`.repeat(200)}-----END RSA PRIVATE KEY-----`,
          "[redacted: private-key]",
        ],
      ] as const;
      for (const [secret, redacted] of secrets) {
        for (const shift of [0, 1, 5, 17, 30, secret.length - 1, secret.length, secret.length + 1]) {
          const before = `${filler(WINDOW_CHARS - shift - 1)} `;
          const { text } = await redact(`${before}${secret}\n${filler(1000)}`);
          expect(text).toBe(`${before}${redacted}\n${filler(1000)}`);
        }
      }
    },
    SLOW_MS,
  );

  it("redacts a value that is longer than a window and its overlap to its end", async () => {
    const long = BODY.repeat(Math.ceil((2 * WINDOW_CHARS + OVERLAP_CHARS) / BODY.length));
    for (const [before, after] of [
      ["password=", "\nnext"],
      ['"api_key": "', '", "next": 1'],
    ]) {
      const { text } = await redact(`${before}${long}${after}`);
      expect(text).toMatch(/^\S+ ?"?\[redacted: (?:password|token)\]/);
      expect(text).not.toContain(BODY);
      expect(text.endsWith(after ?? "")).toBe(true);
    }
  });

  it(
    "survives 5 MB with NUL, lone surrogates and long lines, and finds all 400 secrets in it (T5)",
    async () => {
      const parts: string[] = [];
      for (let i = 0; i < 400; i++) {
        parts.push(
          filler(6000),
          "\0\ud800\udc00\udfff",
          "x".repeat(6000),
          "\n",
          '{"a":1}'.repeat(100),
          "\n",
          GITHUB,
          "\n",
        );
      }
      const text = parts.join("");
      expect(text.length).toBeGreaterThan(5_000_000);
      const redaction = await redact(text);
      expect(redaction.found).toHaveLength(400);
      expect(redaction.text).toBe(text.replaceAll(GITHUB, MARK));
    },
    SLOW_MS,
  );

  it("lets other work of the process go on between windows", async () => {
    let turns = 0;
    let isDone = false;
    const count = () => {
      turns++;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    await redact(filler(6 * WINDOW_CHARS));
    isDone = true;
    expect(turns).toBeGreaterThanOrEqual(5);
  });

  it("withholds the whole of a text that goes on to show new secrets while it is redacted (redact 1)", async () => {
    // Each pass takes the last 40 characters and bares a token that ends before them.
    const hostile = "ghp_".repeat(2000);
    expect((await redact(hostile)).text).toBe("[redacted: unsettled]");
    expect((await redact("[redacted: unsettled]")).found).toEqual([]);
  });

  it.each([
    ["password='", 20_000],
    ["password=", 20_000],
    ["://a:b@", 20_000],
    ["-----BEGIN PRIVATE KEY-----", 5_000],
    ["-----END PRIVATE KEY-----", 5_000],
    ["eyJ", 50_000],
    [`password: ${" ".repeat(5000)}x`, 30],
    ["\\", 200_000],
  ])(
    "comes to an end with %j many times over (T5)",
    async (unit, times) => {
      const { text } = await redact(unit.repeat(times));
      expect((await redact(text)).text).toBe(text);
    },
    60_000,
  );

  it("cannot be switched off by a comment in the text (T3)", async () => {
    for (const comment of [
      "secretlint-disable",
      "/* secretlint-disable */",
      "# secretlint-disable-next-line",
    ]) {
      const { text } = await redact(`${comment}\nA dapi${"0a1b2c3d".repeat(4)} and ${GITHUB}\n`);
      expect(text).toContain("[redacted: databricks]");
      expect(text).toContain(MARK);
    }
  });

  it("takes out all of a secret whose place its rule reports wrongly", async () => {
    const secret = `${BODY}/+aZ`;
    expect((await redact(`aws_secret_access_key     =    "${secret}"`)).text).toMatch(
      /^aws_secret_access_key {5}= {4}"\[redacted: (?:aws|token)\]"$/,
    );
  });

  it("finds secrets behind a byte order mark, in colours and in escaped lines of a JSON string", async () => {
    expect((await redact(`\ufeff${GITHUB}`)).text).toBe(`\ufeff${MARK}`);
    expect((await redact(`\x1b[32m${GITHUB}\x1b[0m`)).text).toBe(`\x1b[32m${MARK}\x1b[0m`);
    expect((await redact(`{"out":"a\\n${GITHUB}\\nb"}`)).text).toBe(`{"out":"a\\n${MARK}\\nb"}`);
    expect((await redact('{"out":"A=1\\nDB_PASSWORD=hunter\\nB=2"}')).text).toBe(
      '{"out":"A=1\\nDB_PASSWORD=[redacted: password]\\nB=2"}',
    );
  });

  it("takes no text for a marker that only looks like one", async () => {
    expect((await redact('password="[redacted: hunter2]"')).text).toBe('password="[redacted: password]"');
  });

  it("names a secret two rules found by the more telling one, once", async () => {
    const { text, found } = await redact(`GITHUB_TOKEN=${GITHUB}`);
    expect(text).toBe(`GITHUB_TOKEN=${MARK}`);
    expect(found).toHaveLength(1);
  });

  it("prints how long 20 KiB take", async () => {
    const text = filler(20 * 1024);
    await redact(text);
    const rounds = 20;
    const before = performance.now();
    for (let i = 0; i < rounds; i++) await redact(text);
    const plainMs = (performance.now() - before) / rounds;
    const code = 'const value = compute(a.b, "text"); // "name": "value", key: 12,\n'.repeat(320);
    const again = performance.now();
    for (let i = 0; i < rounds; i++) await redact(code);
    const codeMs = (performance.now() - again) / rounds;
    console.info(`redact: ${plainMs.toFixed(2)} ms per 20 KiB of prose, ${codeMs.toFixed(2)} ms of code`);
    expect(loads.count).toBe(1);
  });
});
