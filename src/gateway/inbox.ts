/**
 * Taking an input in: on disk first, then a receipt (C1, T1). Whoever holds the conversation's claim, anybody may
 * queue; a conversation that does not exist yet comes into being together with its first input, in one change.
 */

import { giving, RefloatError } from "../model/errors.ts";
import { parseId, type RecordId, type SessionId } from "../model/ids.ts";
import type { Json } from "../model/json.ts";
import { partsOfInput, readParts } from "../model/parts.ts";
import type { NewRecord, StoredRecord } from "../model/record.ts";
import { selfOwner } from "../platform/identity.ts";
import { randomId } from "../platform/random.ts";
import { giveBack, Held, takeClaim } from "../session/claims.ts";
import { factId, newRecord } from "../session/new-record.ts";
import type { Store } from "../store/store.ts";
import type { Inbound, Outbound, TurnInput } from "./options.ts";
import type { CurrentSession } from "./renewal.ts";

/** A new conversation is made by one of those that race for it; the others find it made. */
const MAX_ROUNDS = 5;
/** A conversation begins with `session.began`, its first input, and the claim under which both were written. */
const SEQ_OF_FIRST_INPUT = 2;

export interface StoredInput {
  readonly id: string;
  readonly session: SessionId;
  readonly seq: number;
  readonly isRepeat: boolean;
}

/** Where a record of a conversation is, and whether it was there already. */
type StoredAt = Pick<StoredInput, "seq" | "isRepeat">;

export interface InboxPlace {
  readonly agent: string;
  readonly workspace: string;
  /** The gateway's name. */
  readonly gateway: string;
}

/** An input with the session it goes to. */
export interface PlacedInput extends Inbound {
  /** Where the conversation was before, should this be the first input since. */
  readonly continues?: string;
}

/** Resolves when the input is on disk; else throws, and nothing says it was saved. */
export async function storeInput(
  store: Store,
  place: InboxPlace,
  inbound: PlacedInput,
): Promise<StoredInput> {
  const session = parseId<SessionId>("session", inbound.session);
  const id = inbound.id === undefined ? randomId() : parseId<string>("input", inbound.id);
  const { continues } = inbound;
  const from = { ...place, ...(continues ? { continues } : {}) };
  return { id, session, ...(await storeIn(store, from, session, inputRecord(store, id, inbound))) };
}

/** A record that anybody may write, in a conversation that may not be there yet. */
async function storeIn(
  store: Store,
  place: InboxPlace & { readonly continues?: string },
  session: SessionId,
  record: NewRecord,
): Promise<StoredAt> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const stored =
      (await appendTo(store, session, record)) ?? (await createWith(store, place, session, record));
    if (stored) return stored;
  }
  throw new RefloatError("E_STORE_BUSY", { ms: 0 });
}

/** Something to be said unasked, where the conversation goes on now: in it and owed when this resolves (T1). */
export async function storeOutbound(
  store: Store,
  place: InboxPlace,
  { id: session, before }: CurrentSession,
  outbound: Outbound,
): Promise<StoredInput> {
  const id = outbound.id === undefined ? randomId() : parseId<string>("delivery", outbound.id);
  const body = { delivery: id, route: outbound.route ?? null, parts: partsOfInput(outbound.parts) };
  const record = newRecord(store.clock, "delivery.asked", body, factId("delivery", id));
  const continues = before.at(-1);
  const from = { ...place, ...(continues ? { continues } : {}) };
  return { id, session, ...(await storeIn(store, from, session, record)) };
}

function inputRecord(store: Store, id: string, inbound: Inbound): NewRecord {
  const body = {
    input: id,
    parts: partsOfInput(inbound.input),
    from: inbound.from ?? null,
    route: inbound.route ?? null,
    confirms: inbound.confirms ?? null,
  };
  return newRecord(store.clock, "input.queued", body, factId("input", id));
}

async function appendTo(store: Store, session: SessionId, record: NewRecord): Promise<StoredAt | null> {
  const written = await store.append(session, "anyone", [record]).catch(giving(null, "E_NO_SESSION"));
  return written && { seq: written.seqs[0] ?? 0, isRepeat: written.isRepeat };
}

/** Null: somebody else made the conversation meanwhile. */
async function createWith(
  store: Store,
  place: InboxPlace & { readonly continues?: string },
  session: SessionId,
  record: NewRecord,
): Promise<StoredAt | null> {
  const began = newRecord(store.clock, "session.began", { ...place, goal: null, name: null });
  const owner = selfOwner(place.agent);
  try {
    const { attempt, seen } = await takeClaim(store, {
      session,
      owner,
      records: ({ row }) => (row ? [] : [began, record]),
    });
    // The input is on disk whether or not the claim can be given back: the receipt says so either way (T1).
    await giveBack(store, { session, attempt, owner });
    return seen.row ? null : { seq: SEQ_OF_FIRST_INPUT, isRepeat: false };
  } catch (thrown) {
    if (thrown instanceof Held) return null;
    throw thrown;
  }
}

export async function readInput(store: Store, session: SessionId, id: string): Promise<TurnInput | null> {
  const record = await store.recordById(session, factId("input", id) as RecordId);
  return record ? turnInputOf(id, record) : null;
}

function turnInputOf(id: string, { body }: StoredRecord): TurnInput {
  return {
    id,
    parts: readParts(body.parts),
    from: typeof body.from === "string" ? body.from : null,
    route: (body.route ?? null) as Json,
    confirms: typeof body.confirms === "string" ? body.confirms : null,
  };
}
