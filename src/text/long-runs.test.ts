/** Tokens are searched for in the long words of a text: what is found is what is found everywhere (T4). */

import { describe, expect, it } from "vitest";
import fc from "../../test/support/fast-check.ts";
import { longRuns } from "./long-runs.ts";
import { findPrivateKeys } from "./private-keys.ts";
import { findNamedWords } from "./secret-assignments.ts";
import { isPlaceholder, looksOpaque } from "./secret-literal.ts";
import { MAX_NAME_CHARS, secretClassOf } from "./secret-names.ts";
import { findPatterns } from "./secret-patterns.ts";

const A = (length: number): string => "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0".repeat(4).slice(0, length);
const HEX = (length: number): string => "0a1b2c3d4e5f60718293a4b5c6d7e8f9".repeat(4).slice(0, length);
const UPPER = (length: number): string => A(length).toUpperCase();

/** One of each shape, as short as it is still known by. */
const TOKENS: readonly string[] = [
  `AKIA${UPPER(16)}`,
  `ASIA${UPPER(16)}" , "${A(40)}`,
  `sk-ant-${A(16)}`,
  `sk-proj-${A(16)}`,
  `sk-${A(20)}`,
  `ghp_${A(20)}`,
  `github_pat_${A(20)}`,
  `glpat-${A(16)}`,
  `xoxb-${A(10)}`,
  `xapp-1-${A(10)}`,
  `hooks.slack.com/services/${A(10)}`,
  `sk_live_${A(10)}`,
  `whsec_${A(20)}`,
  `AIza${A(30)}`,
  `GOCSPX-${A(20)}`,
  `ya29.${A(20)}`,
  `1//0${A(20)}`,
  `npm_${A(30)}`,
  `pypi-AgE${A(30)}`,
  `hf_${A(30)}`,
  `hvs.${A(20)}`,
  `dop_v1_${HEX(40)}`,
  `SG.${A(16)}.${A(16)}`,
  `12345678:AA${A(30)}`,
  `M${A(22)}.${A(6)}.${A(27)}`,
  `discord.com/api/webhooks/123456789012345/${A(20)}`,
  `SK${HEX(32)}`,
  `AGE-SECRET-KEY-1${UPPER(20)}`,
  `xai-${A(40)}`,
  `r8_${A(30)}`,
  `ATATT3${A(30)}`,
  `nfp_${A(30)}`,
  `vcp_${A(24)}`,
  `${HEX(32)}-us1`,
  `key-${HEX(32)}`,
  `eyJ${A(8)}.${A(8)}`,
];
const NAMED: readonly string[] = [
  `vercel_token ${A(16)}`,
  `api_key | ${A(24)}`,
  `"password" 	"${A(16)}"`,
  `_auth ${A(16)}`,
  "db_password",
  "my.api-key",
  `x${"y".repeat(78)}_token`,
];
const PLAIN: readonly string[] = [
  "src/server/http/reading-routes.ts",
  "a sentence of words",
  "key",
  "const x = y",
  HEX(40),
];

const glue = fc.constantFrom(
  "",
  " ",
  "\n",
  "\t",
  '"',
  "'",
  ",",
  "(",
  "│",
  "=",
  ": ",
  "-",
  "_",
  ".",
  "ꀕ",
  "\0",
);
const piece = fc.constantFrom(...TOKENS, ...NAMED, ...PLAIN);
const text = fc
  .array(fc.tuple(piece, glue), { minLength: 1, maxLength: 12 })
  .map((parts) => parts.flat().join(""));

/** The same by one pattern that goes through all of the text. */
function namedEverywhere(one: string): unknown[] {
  const named = new RegExp(
    [
      `(?<![A-Za-z0-9_.-])([A-Za-z_][A-Za-z0-9_.-]{2,${MAX_NAME_CHARS - 1}})`,
      "[\"'`]?(?:[ \\t]{1,20}|[ \\t]{0,20}[|│][ \\t]{0,20})[\"'`]?",
      "(?=([A-Za-z0-9+/_=.~-]{16,512})(?![A-Za-z0-9+/_=.~-]))",
    ].join(""),
    "dg",
  );
  return [...one.matchAll(named)].flatMap((match) => {
    const [, name = "", value = ""] = match;
    const [start, end] = match.indices?.[2] ?? [0, 0];
    const rule = secretClassOf(name);
    return rule === null || isPlaceholder(value) || !looksOpaque(value) ? [] : [{ rule, start, end }];
  });
}

describe("the long runs of a text", () => {
  it("T4: every token known by its shape is found in them, however short it is and whatever stands around it", () => {
    for (const token of TOKENS)
      for (const around of ["", " ", '"', "\n", "(", "│"]) {
        const found = findPatterns(`${around}${token}${around}`);
        expect({ token, isFound: found.length > 0 }).toEqual({ token, isFound: true });
      }
  });

  it("T4: what is found by them is exactly what is found by going through all of the text", () => {
    fc.assert(
      fc.property(text, (one) => {
        expect(findPatterns(one)).toEqual(findPatterns(one, one));
        expect(findPrivateKeys(one)).toEqual(findPrivateKeys(one, one));
        expect(findNamedWords(one)).toEqual(namedEverywhere(one));
      }),
      { numRuns: 2000 },
    );
  });

  it("T4: a line out of the middle of a key is found in them, as in a diff", () => {
    const line = "Zm9vYmFyQmF6MTIzNDU2Nzg5MFF3ZXJ0eVVpb3BBc2RmZ2hqa0xaeGN2Qm5tMDE3";
    for (const before of ["", "+", "  -", "> "])
      expect(findPrivateKeys(`${before}${line.slice(0, 64)}\n`)).toHaveLength(1);
  });

  it("hold nothing that is short, and know where each of them stood", () => {
    const runs = longRuns(`short ${A(15)}, ${A(14)} ${A(20)}`);
    expect(runs).toEqual({ text: `${A(15)}\n${A(20)}`, starts: [6, 38] });
  });
});
