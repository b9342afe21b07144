/** The kind of record that says that a notice was shown: it comes once for an interruption (DESIGN 9). */
import { z } from "zod";
import { spec } from "./kind-spec.ts";

export const NOTICE_KINDS = {
  /** In the workspace's own journal: a session that is over is not written to for being talked about. */
  "notice.shown": spec({
    by: "anyone",
    body: z.looseObject({
      /** Whose work it told of, and which of its tries. */
      session: z.string(),
      attempt: z.number().int(),
      /** The session at whose start it was shown. */
      to: z.string(),
    }),
    shape: ["session", "attempt", "to"],
  }),
} as const;
