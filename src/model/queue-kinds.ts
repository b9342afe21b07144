/**
 * Work that waits for a worker (docs/fleet.md): a journal for each repository and priority, whose order is the order of the work (D3). An
 * item has the id of the session that will do it, so whoever takes it takes that session's claim, and nobody else can (K1).
 */
import { z } from "zod";

const item = z.string();

const added = {
  item,
  /** As the agent gets it. */
  prompt: z.string(),
  /** The item it was added again for. */
  retries: z.string().nullable(),
};

/** The number of the record that has its prompt. */
const seq = z.number().int();

/** Of a session that does an item: the queue it was taken from, and its record there. */
export const FROM_QUEUE = { queue: z.string().optional(), item_seq: seq.optional() };

export const itemOutcome = z.enum(["done", "failed", "cancelled"]);
export type ItemOutcome = z.infer<typeof itemOutcome>;

export const QUEUE_KINDS = {
  "item.queued": {
    by: "anyone",
    body: z.looseObject(added),
    opens: ["item", "item"],
    shape: ["item", "retries"],
  },
  /** Not before that time, or the end of another item: until then it is nobody's to take. */
  "item.deferred": {
    by: "anyone",
    body: z.looseObject({
      ...added,
      not_before_ms: z.number().nullable(),
      /** An item, and the queue it is in. */
      after: z.string().nullable(),
      after_queue: z.string().nullable(),
    }),
    opens: ["deferred", "item"],
    shape: ["item", "retries", "not_before_ms", "after", "after_queue"],
  },
  /** What it waited for is there: it takes its place behind those that wait. */
  "item.due": {
    by: "anyone",
    body: z.looseObject({ item, seq }),
    closes: ["deferred", "item"],
    opens: ["item", "item"],
    shape: ["item", "seq"],
  },
  "item.cancelled": {
    by: "anyone",
    body: z.looseObject({ item, seq, reason: z.string() }),
    closes: ["item", "item"],
    shape: ["item", "seq"],
  },
  /** In one step with the first claim on its session. */
  "item.taken": {
    by: "anyone",
    body: z.looseObject({
      item,
      seq,
      /** The process that took it: two that take the same one never write the same record (D4). */
      by: z.string(),
      host: z.string(),
    }),
    closes: ["item", "item"],
    opens: ["taken", "item"],
    shape: ["item", "seq", "by", "host"],
  },
  /** In the journal of the fleet: whoever works on this account pauses until then, on every machine. */
  "account.limited": {
    by: "anyone",
    body: z.looseObject({ account: z.string(), session: z.string(), until_ms: z.number() }),
    shape: ["account", "session", "until_ms"],
  },
  "item.ended": {
    by: "anyone",
    body: z.looseObject({ item, seq, outcome: itemOutcome, why: z.string().nullable() }),
    closes: ["taken", "item"],
    shape: ["item", "seq", "outcome"],
  },
} as const;
