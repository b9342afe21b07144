/** The kinds of record that an import adds. */
import { z } from "zod";
import { spec } from "./kind-spec.ts";

export const BUNDLE_KINDS = {
  /**
   * In a journal of the store's own, before the records are there: these came by an import. What they say was said
   * elsewhere, by whom nobody here knows (T2).
   */
  "session.imported": spec({
    by: "anyone",
    body: z.looseObject({
      session: z.string(),
      from_seq: z.number().int(),
      to_seq: z.number().int(),
      /** The records' own, in order: what came after an import that was refused at last has other ones. Left out: by an older refloat. */
      ids: z.array(z.string()).optional(),
    }),
    shape: ["session", "from_seq", "to_seq"],
  }),
  /** The session's work goes on in another folder: it came in a bundle, from a machine or a clone that may be gone. */
  "session.moved": spec({
    by: "anyone",
    body: z.looseObject({
      from: z.string(),
      to: z.string(),
      reason: z.string(),
      /** Contents its records name that did not come along: secrets, and what had been collected. */
      left_out: z.array(z.string()).optional(),
    }),
    shape: ["from", "to", "reason"],
  }),
} as const;
