/**
 * Warnings somebody has accepted: a decision `accept.RULE.PATH` in the file, made by `refloat decide` with its reason.
 * Errors cannot be accepted: with them a command would go wrong. Nor can a log that was taken apart: who did it could
 * write that, too, so what is against the store's word is accepted only by a decision that the store knows (T2).
 */
import type { JsonObject } from "../model/json.ts";
import { readDecision } from "./decision-log.ts";
import type { StateFinding } from "./finding.ts";
import type { KnownLog } from "./kept-log.ts";
import { own } from "./state-doc.ts";

export const acceptKey = (rule: string, path: string): string =>
  `accept.${rule}${path === "" ? "" : `.${path}`}`;

const NEVER: ReadonlySet<string> = new Set(["log-missing"]);
const BY_STORE: ReadonlySet<string> = new Set(["log-strange", "decision-differs"]);

export function withoutAccepted(
  findings: readonly StateFinding[],
  doc: JsonObject,
  log: KnownLog | null,
): readonly StateFinding[] {
  if (findings.length === 0) return findings;
  const decisions = own(doc, "decisions");
  return findings.filter(({ severity, rule, path }) => {
    const key = acceptKey(rule, path);
    if (severity === "error" || NEVER.has(rule) || own(decisions, key) === undefined) return true;
    return BY_STORE.has(rule) && log !== null && !log.written.some((one) => readDecision(one)?.key === key);
  });
}
