/** Nothing runs in a session by itself, and the end of that (L2, L4). Anyone may write both. */
import { z } from "zod";
import { spec } from "./kind-spec.ts";

export const SUSPENSION_KINDS = {
  "session.suspended": spec({
    by: "anyone",
    body: z.looseObject({
      reason: z.string(),
      /** `escalation`: for its dirty ends (L2). Left out: by order. */
      by: z.string().optional(),
    }),
    shape: ["reason", "by"],
  }),
  "session.lifted": spec({
    by: "anyone",
    body: z.looseObject({
      reason: z.string(),
      /** The new input that lifted it: it is to be answered, and orders nothing about a turn that was left. */
      input: z.string().optional(),
    }),
    shape: ["reason", "input"],
  }),
} as const;
