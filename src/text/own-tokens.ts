/**
 * Tokens of ours that are no secrets in the file they belong to. A workflow's state file shows each step's claim with its
 * `attempt_token`: it fences an owner whose time is over (K1) and opens nothing. In the file, and in what shows the file's
 * lines, it is passed over; printed anywhere else it is redacted like any other token (T4).
 */
import { mayHoldSecret } from "./redact.ts";

const OWN_TOKEN =
  /("attempt_token"\s{0,8}:\s{0,8}")[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?=")/gi;

/** The same lines, for whoever looks for secrets in them. */
export const withoutOwnTokens = (text: string): string => text.replace(OWN_TOKEN, "$1");

/** Of a file's content, or of a patch that shows it. */
export const fileMayHoldSecret = (text: string): Promise<boolean> => mayHoldSecret(withoutOwnTokens(text));
