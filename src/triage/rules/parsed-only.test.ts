/** A language that is only parsed, or not even that, says so in its reason, and is never safe on a word alone (S3, T1). */
import { describe, expect, it } from "vitest";
import { DONE, judge } from "../../../test/support/triage-facts.ts";
import { CHECKED_LANGUAGES, LANGUAGES, languageOf, natureOf } from "../facts/paths/languages.ts";

const lines = (mark: string): string =>
  Array.from({ length: 8 }, (_, at) => `${mark} about it, line ${at}\n`).join("");
/** By file: what it is called, and the same text with one number or another. */
const PARSED: Readonly<Record<string, readonly [title: string, text: (number: number) => string]>> = {
  "a.c": ["C", (n) => `int f(void) {\n  return ${n};\n}\n${lines("//")}int last(void) {\n  return 0;\n}\n`],
  "a.cpp": ["C++", (n) => `int f() {\n  return ${n};\n}\n${lines("//")}int last() {\n  return 0;\n}\n`],
  "A.cs": [
    "C#",
    (n) =>
      `class A {\n  int F() {\n    return ${n};\n  }\n}\n${lines("//")}class Last {\n  int G() {\n    return 0;\n  }\n}\n`,
  ],
  "a.rb": ["Ruby", (n) => `def f\n  ${n}\nend\n${lines("#")}def last\n  0\nend\n`],
  "a.php": [
    "PHP",
    (n) => `<?php\nfunction f() {\n  return ${n};\n}\n${lines("//")}function last() {\n  return 0;\n}\n`,
  ],
  "a.sh": ["Shell", (n) => `f() {\n  return ${n}\n}\n${lines("#")}last() {\n  f\n}\nlast\n`],
  "a.css": ["CSS", (n) => `.a {\n  margin: ${n}px;\n}\n/* about it */\n.last {\n  margin: 0;\n}\n`],
};
const UNPARSED: Readonly<Record<string, string>> = {
  "a.sql": "SQL",
  "index.html": "HTML",
  Dockerfile: "Dockerfile",
  "a.kt": "Kotlin",
};
const reasonsOf = async (path: string, was: string, is: string) => {
  const [group] = await judge({ head: { [path]: was }, now: { [path]: is }, facts: DONE });
  return { verdict: group?.verdict, said: group?.reasons.map(({ message }) => message).join("\n") };
};

describe("a language that is parsed and not followed", () => {
  it("has a case here, each of them", () => {
    const only = LANGUAGES.filter(
      (one) => natureOf(one) === "source" && one !== "source" && !CHECKED_LANGUAGES.has(one),
    );
    expect([...new Set(Object.keys(PARSED).map(languageOf))].sort()).toEqual([...only].sort());
  });

  it.each(Object.entries(PARSED))("says so, and what would tell: %s", async (path, [title, text]) => {
    const { verdict, said } = await reasonsOf(path, text(1), text(2));
    expect(verdict).toBe("unknown");
    expect(said).toContain(`${title} is parsed here, its references are not followed`);
    expect(said).toMatch(/--verify|check/);
  });

  it.each(Object.entries(PARSED))("is risky where it does not parse: %s", async (path, [, text]) => {
    const cut = text(1)
      .slice(0, -3)
      .replace(/[;}]?\s*(?:end|f|\})?\s*$/, " (");
    expect((await reasonsOf(path, text(1), cut)).verdict).toBe("risky");
  });
});

it.each(Object.entries(UNPARSED))("%s is not parsed, and says that", async (path, title) => {
  const { verdict, said } = await reasonsOf(path, `${lines("#")}one\n`, `${lines("#")}two\n`);
  expect(verdict).not.toBe("safe");
  if (path !== "Dockerfile") expect(said).toContain(`${title} is not parsed here: nothing shows that`);
});
