/** The kinds of record that go with a session's own captures: one that could not be taken, and what was left at the end. */
import { z } from "zod";
import { captureReason } from "./capture.ts";
import { spec } from "./kind-spec.ts";

export const CAPTURE_KINDS = {
  /** A capture the session would have taken by itself and could not: nothing is held of that moment, and this is why. */
  "capture.failed": spec({
    by: "anyone",
    body: z.looseObject({ reason: captureReason, code: z.string(), message: z.string() }),
    shape: ["reason", "code"],
  }),
  /** The uncommitted changes that were the session's own at the end of an attempt (L6): none, or they are unsettled. */
  "session.left": spec({
    by: "anyone",
    body: z.looseObject({
      attempt: z.number().int(),
      /** The end capture they were found in. */
      capture: z.string(),
      changes: z.array(
        z.looseObject({
          path: z.string(),
          path_b64: z.string().optional(),
          /** The state when the session began, and when it ended: as `stateKey` writes them, or `clean`. */
          from: z.string(),
          to: z.string(),
        }),
      ),
    }),
    shape: ["attempt", "capture"],
  }),
} as const;
