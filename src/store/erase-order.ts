/**
 * An erasing that takes several transactions, written down before the first and dropped after the last: it names what is erased, and up to
 * where, so that whoever finds it after a kill erases the rest and nothing that came later. It lies in the store, not in a journal:
 * of a removed session, or of a path, nothing must stay that names it.
 */
import { z } from "zod";
import { parseId, type SessionId } from "../model/ids.ts";
import { isSameProcess, owner as ownerShape } from "../model/owner.ts";
import { crashPoint } from "../platform/crash-point.ts";
import { selfOwner } from "../platform/identity.ts";
import { livenessOf } from "../platform/liveness.ts";
import { randomId } from "../platform/random.ts";
import type { OrderRow } from "./contract/driver.ts";
import { type ForgetSelector, theOneGiven } from "./forget-selection.ts";
import type { Store } from "./store.ts";

const sessionId = z.string().transform((text) => parseId<SessionId>("session", text));
const reason = z.string().optional();
const selector = z
  .union([
    z.strictObject({ session: z.string(), reason }),
    z.strictObject({ heldBy: z.string(), reason }),
    z.strictObject({ beforeMs: z.number(), reason }),
    z.strictObject({ path: z.string(), reason }),
  ])
  .transform((found) => theOneGiven(found as ForgetSelector));

const forgetOrder = z.object({
  what: z.literal("forget"),
  selector,
  sessions: z.array(z.object({ session: sessionId, upTo: z.number(), withStory: z.boolean() })),
});

const deleteOrder = z.object({
  what: z.literal("delete"),
  session: sessionId,
  /** The claim it was decided on: somebody who took it since goes on with it. */
  seen: z.object({ attempt: z.number(), holder: z.string().nullable() }),
  upTo: z.number(),
  factFor: z.string().nullable(),
});

const eraseOrder = z.discriminatedUnion("what", [forgetOrder, deleteOrder]);
const written = z.object({ by: ownerShape, order: eraseOrder });

export type ForgetOrdered = Readonly<z.infer<typeof forgetOrder>>;
export type DeleteOrdered = Readonly<z.infer<typeof deleteOrder>>;
export type EraseOrder = ForgetOrdered | DeleteOrdered;

/** Those this process is just carrying out. */
const underWay = new Set<string>();

export interface BegunOrder {
  /** Carries it out and drops it, unless sessions of it are held by somebody by now: then it waits for them. */
  readonly end: <T extends { readonly held?: readonly string[] }>(work: () => Promise<T>) => Promise<T>;
}

export async function beginOrder(store: Store, order: EraseOrder): Promise<BegunOrder> {
  const row = { id: randomId(), text: textOf(order) };
  await store.driver.putOrder(row, null);
  crashPoint("forget.after-order");
  return carriedOut(store, row.id);
}

const textOf = (order: EraseOrder): string => JSON.stringify({ by: selfOwner("erasing"), order });

function carriedOut(store: Store, id: string): BegunOrder {
  return {
    end: async (work) => {
      underWay.add(id);
      try {
        const done = await work();
        if ((done.held ?? []).length === 0) await store.driver.dropOrder(id);
        return done;
      } finally {
        underWay.delete(id);
      }
    },
  };
}

/** One that was broken off, now ours: its owner is dead, or it is this process and does nothing about it. */
export interface LeftOrder extends BegunOrder {
  readonly order: EraseOrder;
}

export async function takeLeftOrder(store: Store, row: OrderRow): Promise<LeftOrder | null> {
  const found = written.safeParse(parsed(row.text));
  // Of a newer refloat, or damaged: not ours to judge.
  if (!found.success || underWay.has(row.id)) return null;
  const { by, order } = found.data;
  const isOurs = isSameProcess(by, selfOwner());
  if (!isOurs && livenessOf(by).kind !== "dead") return null;
  const isTaken = await store.driver.putOrder({ id: row.id, text: textOf(order) }, row.text);
  return isTaken ? { order, ...carriedOut(store, row.id) } : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return null;
    throw thrown;
  }
}
