/**
 * secretlint's recommended rules, called directly. Its core is left out on purpose: it marks every rule of
 * every call in the process's performance timeline and keeps all marks for ever, which costs memory and
 * ever more time with each call (T5). A rule is a function of a text; no core is needed to call it.
 *
 * What secretlint knows about must not be switched off by the text itself, so the rule that honours
 * `secretlint-disable` comments is left out (T3, T4).
 */

import type { SecretFinding } from "./redaction-marker.ts";
import { RULES, type SecretRule } from "./redaction-marker.ts";

interface Report {
  readonly message: { readonly data?: Readonly<Record<string, unknown>> | undefined };
  readonly range: readonly [number, number];
}

interface RuleContext {
  readonly sharedOptions: object;
  createTranslator(): (messageId: string, data?: Readonly<Record<string, unknown>>) => object;
  report(report: Report): void;
  ignore(): void;
}

interface ScannerRule {
  readonly meta: { readonly id: string };
  create(context: RuleContext, options: object): { file?(source: object): unknown };
}

const ID_PREFIX = "@secretlint/secretlint-rule-";

/** Left out, each with its reason. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  // The text could switch redaction off.
  "filter-comments",
  // These two take the whole address; ours takes the password alone, also where they see a placeholder.
  "basicauth",
  "database-connection-string",
  // Takes long identifiers that begin with npm_ for tokens; ours does not.
  "npm",
]);

let loading: Promise<readonly ScannerRule[]> | null = null;

/** Loads the rules on first use: a command that redacts nothing does not pay for them. */
async function loadRules(): Promise<readonly ScannerRule[]> {
  loading ??= import("@secretlint/secretlint-rule-preset-recommend").then((preset) =>
    (preset.rules as unknown as readonly ScannerRule[]).filter((rule) => !LEFT_OUT.has(nameOf(rule))),
  );
  return loading;
}

export async function findWithSecretlint(text: string): Promise<SecretFinding[]> {
  const found: SecretFinding[] = [];
  for (const rule of await loadRules()) {
    const context: RuleContext = {
      sharedOptions: {},
      createTranslator: () => (messageId, data) => ({ message: messageId, messageId, data }),
      report: (report) => found.push({ rule: ruleOf(rule), ...placeOf(text, report) }),
      ignore: () => undefined,
    };
    // `.txt`: for `.p12` a rule would read a file from disk.
    await rule.create(context, {}).file?.({ content: text, filePath: "", ext: ".txt", contentType: "text" });
  }
  return found;
}

/**
 * Where the secret is. Some rules report the place of the whole assignment with the length of the secret
 * alone; the secret itself is in the report's data, so it is looked up from the reported place on.
 */
function placeOf(text: string, { message, range }: Report): { start: number; end: number } {
  const [start, end] = range;
  const reported = text.slice(start, end);
  const values = Object.values(message.data ?? {}).filter(
    (value) => typeof value === "string" && value !== "",
  );
  if (values.includes(reported)) return { start, end };
  for (const value of values as string[]) {
    const at = text.indexOf(value, start);
    if (at !== -1) return { start: at, end: at + value.length };
  }
  return { start, end };
}

function nameOf(rule: ScannerRule): string {
  return rule.meta.id.replace(ID_PREFIX, "");
}

function ruleOf(rule: ScannerRule): SecretRule {
  const name = nameOf(rule);
  if (name === "privatekey") return "private-key";
  if (name === "gcp") return "google";
  // A rule that a later version brings still redacts, under the general name.
  return RULES.find((known) => known === name) ?? "secret";
}
