/**
 * The kinds of record a gateway adds. Those about one conversation (deliveries, confirmations, being asked to
 * stop, what was decided about an interrupted turn) lie in that conversation's journal; those about the gateway
 * itself (its instances, drains, plans) lie in a session of its own, `gateway:<name>`.
 */
import { z } from "zod";
import { owner } from "./owner.ts";
import { part } from "./parts.ts";

const id = z.string();
const count = z.number().int();

export const GATEWAY_KINDS = {
  /** One life of a gateway's process. Open until it says that it ended, or until a later one proves its death (L1). */
  "instance.started": {
    by: "anyone",
    body: z.looseObject({ instance: id, owner }),
    opens: ["instance", "instance"],
    shape: ["instance", "owner"],
  },
  "instance.ended": {
    by: "anyone",
    body: z.looseObject({
      instance: id,
      /** `clean`: it said so itself. `dirty`: somebody found it dead. `lost`: presumed, on another host. */
      how: z.enum(["clean", "dirty", "lost"]),
      found_by: id.nullable(),
      cause: z.string(),
      /** What the cause rests on, in words. */
      evidence: z.array(z.string()).optional(),
    }),
    closes: ["instance", "instance"],
    shape: ["instance", "how", "found_by", "cause"],
  },
  /** Written before a drain begins (L3): which turns were running. */
  "drain.began": {
    by: "anyone",
    body: z.looseObject({
      instance: id,
      turns: z.array(z.looseObject({ session: id, turn: id })),
      timeout_ms: z.number(),
      reason: z.string(),
    }),
    needs: ["instance", "instance"],
    opens: ["drain", "instance"],
    shape: ["instance", "turns", "timeout_ms"],
  },
  "drain.ended": {
    by: "anyone",
    body: z.looseObject({
      instance: id,
      /** The conversations whose turn the drain cut off. Null: nobody saw the drain end. */
      interrupted: z.array(id).nullable(),
    }),
    closes: ["drain", "instance"],
    shape: ["instance", "interrupted"],
  },
  /** What a start found interrupted and not yet decided, the longest chain of resumes lost again among it, and whether the guard held any (L2). */
  "resume.planned": {
    by: "anyone",
    body: z.looseObject({ instance: id, interrupted: count, chain: count, tripped: z.boolean() }),
    shape: ["instance", "interrupted", "chain", "tripped"],
  },
  /** The conversation goes on in another session, which names this one (`continues`); nothing of this one is lost. */
  "session.renewed": {
    by: "anyone",
    body: z.looseObject({ session: id, reason: z.string() }),
    shape: ["session", "reason"],
  },
  /**
   * What was decided about an interrupted turn, and what the model was told: never stored as user text. `judged_at`: the last
   * record that was looked at; an order to go on that came after it was not seen, and stands (L2).
   */
  "resume.decided": {
    by: "owner",
    body: z.looseObject({
      turn: id,
      decision: z.enum(["resume", "leave"]),
      why: z.string(),
      note: z.string().nullable(),
      judged_at: count.optional(),
    }),
    shape: ["turn", "decision", "why", "judged_at"],
  },
  /** `owner_gone`: nobody was there to hear it, so it is not how the attempt before came to its end. */
  "stop.asked": {
    by: "anyone",
    body: z.looseObject({ reason: z.string(), owner_gone: z.literal(true).optional() }),
    shape: ["reason", "owner_gone"],
  },
  /** An answer that somebody is waiting for: written with the turn's end, open until it was delivered or given up. */
  "delivery.owed": {
    by: "owner",
    body: z.looseObject({
      delivery: id,
      turn: id.nullable(),
      input: id.nullable(),
      route: z.unknown(),
      parts: z.array(part),
    }),
    opens: ["delivery", "delivery"],
    shape: ["delivery", "turn", "input"],
  },
  /** Something to be said that answers nobody: in the conversation from here on, as the assistant's, and owed to that route, in one step. */
  "delivery.asked": {
    by: "anyone",
    body: z.looseObject({ delivery: id, route: z.unknown(), parts: z.array(part) }),
    opens: ["delivery", "delivery"],
    shape: ["delivery"],
  },
  /** Written before the send begins: without an end after it, nobody knows whether it arrived. */
  "delivery.attempted": {
    by: "owner",
    body: z.looseObject({ delivery: id, number: count, may_be_duplicate: z.boolean() }),
    needs: ["delivery", "delivery"],
    shape: ["delivery", "number", "may_be_duplicate"],
  },
  "delivery.failed": {
    by: "owner",
    body: z.looseObject({
      delivery: id,
      number: count,
      /** `no`: the other side certainly has nothing of it. */
      arrived: z.enum(["no", "unknown"]),
      error: z.string(),
    }),
    needs: ["delivery", "delivery"],
    shape: ["delivery", "number", "arrived"],
  },
  "delivery.ended": {
    by: "owner",
    body: z.looseObject({
      delivery: id,
      outcome: z.enum(["delivered", "abandoned"]),
      reason: z.string().nullable(),
    }),
    closes: ["delivery", "delivery"],
    shape: ["delivery", "outcome"],
  },
  "confirmation.asked": {
    by: "owner",
    body: z.looseObject({ confirmation: id, key: z.string(), question: z.string(), instance: id }),
    opens: ["confirmation", "confirmation"],
    shape: ["confirmation", "key", "instance"],
  },
  "confirmation.ended": {
    by: "owner",
    body: z.looseObject({ confirmation: id, outcome: z.enum(["used", "expired"]), input: id.nullable() }),
    closes: ["confirmation", "confirmation"],
    shape: ["confirmation", "outcome", "input"],
  },
} as const;
