/** What is gone from a journal: by order of the user, or damaged; and that somebody knows (D2, D5). */
import { z } from "zod";
import { spec } from "./kind-spec.ts";

export const LOSS_KINDS = {
  forgotten: spec({
    by: "anyone",
    body: z.looseObject({
      records: z.number().int(),
      contents: z.number().int(),
      selector: z.string(),
      reason: z.string(),
    }),
    shape: ["records", "contents", "selector", "reason"],
  }),
  /** Written by salvage: these records of this session were damaged and could not be read any more. */
  "rows.lost": spec({
    by: "anyone",
    body: z.looseObject({ ranges: z.array(z.tuple([z.number().int(), z.number().int()])) }),
    shape: ["ranges"],
  }),
  /** The user knows that these records of that session are gone, and goes on: it is history from then on, not news. */
  "loss.accepted": spec({
    by: "anyone",
    body: z.looseObject({ session: z.string(), from: z.number().int(), to: z.number().int() }),
    shape: ["session", "from", "to"],
  }),
} as const;
