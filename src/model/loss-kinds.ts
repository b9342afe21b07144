/**
 * What came into a journal by an import, and what is gone from one: by order of the user, or damaged; and that
 * somebody knows (D2, D5).
 */
import { z } from "zod";

export const LOSS_KINDS = {
  forgotten: {
    by: "anyone",
    body: z.looseObject({
      records: z.number().int(),
      contents: z.number().int(),
      selector: z.string(),
      reason: z.string(),
      /** More of the same order follows: this record speaks of a part of it. */
      under_way: z.boolean().optional(),
    }),
    shape: ["records", "contents", "selector", "reason", "under_way"],
  },
  /** In a journal of the store's own, where that was wanted: this session was removed whole by order, and why. */
  "session.deleted": {
    by: "anyone",
    body: z.looseObject({ session: z.string(), records: z.number().int(), reason: z.string() }),
    shape: ["session", "records", "reason"],
  },
  /** Written by salvage: these records of this session were damaged and could not be read any more. */
  "rows.lost": {
    by: "anyone",
    body: z.looseObject({ ranges: z.array(z.tuple([z.number().int(), z.number().int()])) }),
    shape: ["ranges"],
  },
  /** The user knows that these records of that session are gone, and goes on: it is history from then on, not news. */
  "loss.accepted": {
    by: "anyone",
    body: z.looseObject({ session: z.string(), from: z.number().int(), to: z.number().int() }),
    shape: ["session", "from", "to"],
  },
} as const;

/** The kinds of record that an import adds. */
export const BUNDLE_KINDS = {
  /**
   * In a journal of the store's own, before the records are there: these came by an import. What they say was said
   * elsewhere, by whom nobody here knows (T2).
   */
  "session.imported": {
    by: "anyone",
    body: z.looseObject({
      session: z.string(),
      from_seq: z.number().int(),
      to_seq: z.number().int(),
      /** The records' own, in order: what came after an import that was refused at last has other ones. Left out: by an older refloat. */
      ids: z.array(z.string()).optional(),
    }),
    shape: ["session", "from_seq", "to_seq"],
  },
  /** The session's work goes on in another folder: it came in a bundle, from a machine or a clone that may be gone; or its folder was moved. */
  "session.moved": {
    by: "anyone",
    body: z.looseObject({
      from: z.string(),
      to: z.string(),
      reason: z.string(),
      /** The machine it goes on on, where it may be another: what an earlier one still says is late (K1). */
      host: z.string().optional(),
      /** Contents its records name that did not come along: secrets, and what had been collected. */
      left_out: z.array(z.string()).optional(),
    }),
    shape: ["from", "to", "reason"],
  },
} as const;
