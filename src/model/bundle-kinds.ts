/** The kind of record that a bundle's import adds. */
import { z } from "zod";
import { spec } from "./kind-spec.ts";

export const BUNDLE_KINDS = {
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
