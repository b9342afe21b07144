/** Where a secret was found: UTF-16 offsets, `end` not included. */
import type { Rule } from "./redaction-marker.ts";

export interface Finding {
  readonly rule: Rule;
  readonly start: number;
  readonly end: number;
}
