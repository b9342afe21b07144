/**
 * The kinds of record by which a session leaves a store and comes into another one (docs/decisions/0027). Between `session.sent` and what ends it
 * nothing is written to the session here (K1): the store refuses it, whoever asks.
 */
import { z } from "zod";
import type { OpenRef } from "./kind-spec.ts";
import { plan } from "./plan.ts";

/** What is open in a session that was sent away: one thing of one name, so that one look tells. */
export const SENT_AWAY: OpenRef = { what: "transfer", id: "sent" };

const fence = z.literal(SENT_AWAY.id);
const transfer = z.string();
/** Why it was suspended before it was sent; null: it was not. */
const suspended = z.string().nullable();

export const TRANSFER_KINDS = {
  /** What was parked of it when it was sent, each with the plan that took it out of the tree: the last of these records counts. */
  "parked.carried": {
    by: "owner",
    body: z.looseObject({
      plans: z.array(z.looseObject({ plan, back: z.array(z.string()), at_ms: z.number() })),
    }),
    shape: [],
  },
  /** It goes on in another store from here on: the last record that this one gives it. */
  "session.sent": {
    by: "owner",
    body: z.looseObject({
      transfer,
      fence,
      /** An address, or a file. */
      to: z.string(),
      /** The store that sends it. */
      from: z.string(),
      /** The last record that was there, whole and durable, before this one was written. */
      offered: z.number().int(),
      /** By ssh: the store that has it whole, by its own word. What another one says of the transfer counts for nothing. */
      store: z.string().optional(),
      /** In a file: the one store that may take it in. */
      for: z.string().optional(),
      suspended,
    }),
    opens: ["transfer", "fence"],
    shape: ["transfer", "fence", "to", "from", "offered", "store", "for"],
  },
  /** The first record of the store that it goes on in. */
  "session.received": {
    by: "anyone",
    body: z.looseObject({ transfer, fence, suspended }),
    closes: ["transfer", "fence"],
    shape: ["transfer", "fence"],
  },
  /** It never arrived, and goes on where it was. */
  "session.taken-back": {
    by: "anyone",
    body: z.looseObject({
      transfer,
      fence,
      suspended,
      /** What it rests on: the other side said so, its file was taken away, or the user's word. */
      reason: z.string(),
    }),
    closes: ["transfer", "fence"],
    shape: ["transfer", "fence"],
  },
} as const;
