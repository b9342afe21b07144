/** A session that began as a copy of another (conversation/fork.ts). */
import { z } from "zod";

export const FORK_KINDS = {
  /** After the copied records: whose they are, and up to which. */
  "session.forked": {
    by: "anyone",
    body: z.looseObject({ parent: z.string(), at_seq: z.number().int(), name: z.string().nullable() }),
    shape: ["parent", "at_seq"],
  },
  /** In the place of a record that is the parent's alone: a claim, a capture, an operation, an input that still waits. */
  "fork.left-out": { by: "anyone", body: z.looseObject({ kind: z.string() }), shape: ["kind"] },
} as const;
