/**
 * What stands where a secret was: `[redacted: RULE]`. Only markers of rules known here count as markers, so
 * that a text cannot keep a secret by dressing it up as one.
 */

/** Where a secret was found: UTF-16 offsets, `end` not included. */
export interface SecretFinding {
  readonly rule: SecretRule;
  readonly start: number;
  readonly end: number;
}

/** Every rule, the more telling first: where two find the same text, the first one names it. */
export const RULES = [
  "private-key",
  "1password",
  "anthropic",
  "aws",
  "databricks",
  "digitalocean",
  "discord",
  "docker",
  "figma",
  "github",
  "gitlab",
  "google",
  "grafana",
  "groq",
  "hashicorp-vault",
  "huggingface",
  "linear",
  "notion",
  "npm",
  "openai",
  "pypi",
  "sendgrid",
  "shopify",
  "slack",
  "stripe",
  "telegram",
  "twilio",
  "vercel",
  "jwt",
  "url-password",
  "url-token",
  "authorization",
  "cookie",
  "netrc",
  "password",
  "token",
  "entropy",
  "secret",
  "unsettled",
] as const;

export type SecretRule = (typeof RULES)[number];

const MARKER = new RegExp(`\\[redacted: (?:${RULES.join("|")})\\]`, "g");

/**
 * Stands for a marker while text is searched: a letter, so that a token does not seem to begin right after
 * one; no ASCII letter, so that it is no part of a token either.
 */
export const MASK = "\ua015";
const ONLY_MASK = new RegExp(`^${MASK}*$`);

export function markerOf(rule: SecretRule): string {
  return `[redacted: ${rule}]`;
}

export function moreTelling(a: SecretRule, b: SecretRule): SecretRule {
  return RULES.indexOf(a) <= RULES.indexOf(b) ? a : b;
}

/** The text with every marker masked, of the same length. */
export function maskMarkers(text: string): string {
  return text.replace(MARKER, (marker) => MASK.repeat(marker.length));
}

/** Nothing is left to redact here: the text is empty or was redacted before. */
export function isMasked(text: string): boolean {
  return ONLY_MASK.test(text);
}
