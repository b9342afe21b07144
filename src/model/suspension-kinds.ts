/**
 * Nothing runs in a session by itself, and the end of that (L2, L4); and that a notice of an interruption was
 * shown. Anyone may write them.
 */
import { z } from "zod";

/** The kind of record that says that a notice was shown: it comes once for an interruption (DESIGN 9). */
export const NOTICE_KINDS = {
  /** In the workspace's own journal: a session that is over is not written to for being talked about. */
  "notice.shown": {
    by: "anyone",
    body: z.looseObject({
      /** Whose work it told of, and which of its tries. */
      session: z.string(),
      attempt: z.number().int(),
      /** The session at whose start it was shown. */
      to: z.string(),
    }),
    shape: ["session", "attempt", "to"],
  },
} as const;

export const SUSPENSION_KINDS = {
  "session.suspended": {
    by: "anyone",
    body: z.looseObject({
      reason: z.string(),
      /** `escalation`: for its dirty ends (L2). Left out: by order. */
      by: z.string().optional(),
    }),
    shape: ["reason", "by"],
  },
  "session.lifted": {
    by: "anyone",
    body: z.looseObject({
      reason: z.string(),
      /** The new input that lifted it: it is to be answered, and orders nothing about a turn that was left. */
      input: z.string().optional(),
    }),
    shape: ["reason", "input"],
  },
} as const;
