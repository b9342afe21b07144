/**
 * Warnings somebody has accepted: a decision `accept.RULE.PATH` in the file, made by `refloat decide` with its reason.
 * Errors cannot be accepted: with them a command would go wrong.
 */
import type { JsonObject } from "../model/json.ts";
import type { Finding } from "./finding.ts";
import { own } from "./state-doc.ts";

export const acceptKey = (rule: string, path: string): string =>
  `accept.${rule}${path === "" ? "" : `.${path}`}`;

export function withoutAccepted(findings: readonly Finding[], doc: JsonObject): readonly Finding[] {
  if (findings.length === 0) return findings;
  const decisions = own(doc, "decisions");
  return findings.filter(
    ({ severity, rule, path }) => severity === "error" || own(decisions, acceptKey(rule, path)) === undefined,
  );
}
