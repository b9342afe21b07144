/**
 * The checkers against what providers were seen to say. Each file of test/corpus/providers quotes its
 * source; `{"$repeat": [text, times]}` stands for a text too long to write down. No provider is asked
 * here: the corpus is quoted evidence, see docs/providers.md.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { ANTHROPIC_RULES, checkAnthropic } from "../src/conversation/export/check-anthropic.ts";
import { checkOpenAiChat, OPENAI_CHAT_RULES } from "./support/providers/check-openai-chat.ts";
import { checkOpenAiResponses, OPENAI_RESPONSES_RULES } from "./support/providers/check-openai-responses.ts";

const CORPUS = join(import.meta.dirname, "corpus", "providers");

const DOCUMENT = readFileSync(join(import.meta.dirname, "..", "docs", "providers.md"), "utf8");

const entry = z.strictObject({
  source: z.url({ protocol: /^https$/ }),
  says: z.string().min(10),
  rule: z.string().optional(),
  /** False: it is refused or taken as history, whether or not it is sent to be answered. */
  forRequest: z.literal(false).optional(),
  conversation: z.looseObject({}),
});

const APIS = [
  { api: "anthropic", check: checkAnthropic, rules: ANTHROPIC_RULES, rejected: 15, accepted: 10 },
  { api: "openai-chat", check: checkOpenAiChat, rules: OPENAI_CHAT_RULES, rejected: 12, accepted: 8 },
  {
    api: "openai-responses",
    check: checkOpenAiResponses,
    rules: OPENAI_RESPONSES_RULES,
    rejected: 10,
    accepted: 8,
  },
] as const;

function entriesOf(api: string, verdict: "accepted" | "rejected") {
  const folder = join(CORPUS, api, verdict);
  return readdirSync(folder).map((name) => {
    const parsed = entry.parse(JSON.parse(readFileSync(join(folder, name), "utf8")));
    return {
      ...parsed,
      name,
      forRequest: parsed.forRequest ?? true,
      conversation: expand(parsed.conversation),
    };
  });
}

function expand(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(expand);
  if (typeof value !== "object" || value === null) return value;
  if ("$repeat" in value) {
    const [text, times] = z.tuple([z.string(), z.number()]).parse(value.$repeat);
    return text.repeat(times);
  }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, expand(item)]));
}

describe.each(APIS)("what $api takes and refuses (C6)", ({ api, check, rules, ...least }) => {
  const rejected = entriesOf(api, "rejected");
  const accepted = entriesOf(api, "accepted");

  test.each(rejected)("refuses $name for its rule: $says", ({ conversation, rule, forRequest }) => {
    expect(check(conversation, { forRequest }).map((rejection) => rejection.rule)).toContain(rule);
  });

  test.each(accepted)("takes $name without any rejection: $says", ({ conversation, forRequest }) => {
    expect(check(conversation, { forRequest })).toEqual([]);
  });

  test("every rule is backed by a quoted refusal, and no refusal names a rule that does not exist", () => {
    const backed = new Set(rejected.map(({ rule }) => rule));
    expect([...backed].sort()).toEqual(Object.keys(rules).sort());
    expect(rejected.length).toBeGreaterThanOrEqual(least.rejected);
    expect(accepted.length).toBeGreaterThanOrEqual(least.accepted);
  });

  test("docs/providers.md has a row for every rule, with each of its sources", () => {
    for (const { rule, source } of rejected) {
      const row = DOCUMENT.split("\n").find(
        (line) => line.startsWith(`| ${rule} |`) && line.includes(`(${source})`),
      );
      expect(row, `${api}: ${rule} with ${source}`).toBeDefined();
    }
  });
});
