/** Where a secret was found: UTF-16 offsets, `end` not included. */
import type { SecretRule } from "./redaction-marker.ts";

export interface SecretFinding {
  readonly rule: SecretRule;
  readonly start: number;
  readonly end: number;
}
