/**
 * A telling name and its value as two words, without a sign between them: `vercel_token VALUE`, `Authorization VALUE`, a row
 * of a table. Prose talks of tokens in the same way, so the value must look like nothing else: long, of letters and digits
 * in no order a name would have.
 */
import type { SecretFinding } from "./secret-finding.ts";
import { isPlaceholder, looksOpaque } from "./secret-literal.ts";
import { MAX_NAME_CHARS, secretClassOf } from "./secret-names.ts";

/** The value is only looked at: it may be the name of the next one. */
const NAMED = new RegExp(
  [
    `(?<![A-Za-z0-9_.-])([A-Za-z_][A-Za-z0-9_.-]{2,${MAX_NAME_CHARS - 1}})`,
    "[\"'`]?(?:[ \\t]{1,20}|[ \\t]{0,20}[|│][ \\t]{0,20})[\"'`]?",
    "(?=([A-Za-z0-9+/_=.~-]{16,512})(?![A-Za-z0-9+/_=.~-]))",
  ].join(""),
  "dg",
);

export function findNamedWords(view: string): SecretFinding[] {
  const found: SecretFinding[] = [];
  for (const match of view.matchAll(NAMED)) {
    const [, name = "", value = ""] = match;
    const secretClass = secretClassOf(name);
    const [start, end] = match.indices?.[2] ?? [0, 0];
    if (secretClass === null || isPlaceholder(value) || !looksOpaque(value)) continue;
    found.push({ rule: secretClass, start, end });
  }
  return found;
}
