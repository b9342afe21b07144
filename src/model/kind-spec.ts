/** What is said of a kind of record: its body's schema, who may write it, what it opens, closes or needs open. */
import type { z } from "zod";

/** The kinds of things that are open until another record closes them (the `open` projection). */
export const OPEN_WHATS = [
  "input",
  "turn",
  "message",
  "call",
  "operation",
  "delivery",
  "confirmation",
  "instance",
  "drain",
  "plan",
  "item",
  "deferred",
  "taken",
  "transfer",
] as const;
export type OpenWhat = (typeof OPEN_WHATS)[number];

export interface OpenRef {
  readonly what: OpenWhat;
  readonly id: string;
}

export interface KindSpec {
  readonly body: z.ZodObject;
  /** `owner`: only under the session's current attempt (K1). `anyone`: observations, inputs and orders. */
  readonly by: "owner" | "anyone";
  readonly opens?: readonly [OpenWhat, field: string];
  readonly closes?: readonly [OpenWhat, field: string];
  readonly needs?: readonly [OpenWhat, field: string];
  /** What it is part of: that must be open, too. A body without the field (an older refloat's, a recovery's) is not held to it. */
  readonly within?: readonly [OpenWhat, field: string];
  /** Body fields that give the journal its shape; `forget` keeps these and erases the rest. */
  readonly shape: readonly string[];
}
