import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { naming } from "./rule.ts";
import { BESIDE, NOTE_RULES, RISKY_RULES, ruleOf, SAFE_RULES } from "./table.ts";

const SRC = resolve(import.meta.dirname, "../..");
const SLUGS = [...RISKY_RULES, ...NOTE_RULES, ...SAFE_RULES, ...Object.values(BESIDE)].map(
  ({ slug }) => slug as string,
);

/** Rooms below the rules: what they know under the same words are kinds of references, of gaps, of owners. */
const BELOW =
  /^(?:model|platform|text|store|session|conversation|workspace|acts|workflow|triage\/(?:facts|links))\//;
/** A word, and no slug: how many secrets were taken out; a kind of a transcript's damage; why no diff is shown. */
const WORDS = new Set([
  "cli/context/without-secrets.ts: secret",
  "app/agents/rebuild.ts: gap",
  "app/salvage/group-changes.ts: binary",
  "server/http/openapi.ts: binary",
  "server/http/openapi.ts: binary",
]);

describe("rules are rows (S3)", () => {
  it("and no file outside of rules/ names one by its slug: what is asked of a rule its row declares", () => {
    const files = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter(
      (path) =>
        /(?<!\.test)\.ts$/.test(path) &&
        !path.startsWith("triage/rules/") &&
        !path.startsWith("agents/") &&
        !BELOW.test(path),
    );
    const named = files.flatMap((path) => {
      const text = readFileSync(join(SRC, path), "utf8").replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, "");
      // What agents call their tools, and the kinds of a transcript's damage (DESIGN 10), are other words.
      // `kind: "gap"` and `Facts["moving"]` are of other unions.
      const words = [...text.matchAll(/(?<!\bkind(?:: | [!=]== )|\[)"([a-z-]+)"/g)].map(
        ([, word]) => word ?? "",
      );
      return words.filter((word) => SLUGS.includes(word)).map((word) => `${path}: ${word}`);
    });
    expect(files.length).toBeGreaterThan(100);
    expect(named.filter((one) => !WORDS.has(one))).toEqual([]);
  });

  it("has every slug once, and its row is found by it; a reason from beside the table has none", () => {
    expect(new Set(SLUGS).size).toBe(SLUGS.length);
    for (const rule of [...RISKY_RULES, ...NOTE_RULES, ...SAFE_RULES])
      expect(ruleOf({ rule: rule.slug })).toBe(rule);
    for (const { slug } of Object.values(BESIDE)) expect(ruleOf({ rule: slug })).toEqual({});
  });
});

it("one path and several are spoken of as what they are: never '3 more is'", () => {
  expect(naming(1, "a.js")).toBe("a.js");
  expect(naming(4, "a.js")).toBe("a.js and 3 more");
  expect(naming(1, "a.js", "does not", "do not")).toBe("a.js does not");
  expect(naming(2, "a.js", "does not", "do not")).toBe("a.js and 1 more do not");
});
