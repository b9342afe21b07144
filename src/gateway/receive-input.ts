/** Taking an input in where its conversation goes on now, with what its turn will wait for. */
import { parseId, type RecordId, type SessionId } from "../model/ids.ts";
import { isSameProcess } from "../model/owner.ts";
import { selfOwner } from "../platform/identity.ts";
import { decideClaim } from "../session/decide-claim.ts";
import { factId } from "../session/new-record.ts";
import type { SessionRow } from "../store/contract/driver.ts";
import { suspendedFor } from "../store/contract/session-facts.ts";
import { livenessOfHolder } from "../store/holder.ts";
import { describeOwner } from "../store/refusal-error.ts";
import type { Host } from "./host.ts";
import { type StoredInput, storeInput } from "./inbox.ts";
import type { Inbound, WaitsFor } from "./options.ts";
import { type CurrentSession, currentSession } from "./renewal.ts";

export interface ReceivedInput {
  readonly stored: StoredInput;
  /** Asked when the receipt is written: a drain may have begun meanwhile. */
  readonly wait: (phase: WaitFacts["phase"]) => ReturnType<typeof waitOf>;
}

/** All that can fail comes before the storing: after it there is a receipt, and nothing else (T1). */
export async function receiveInput(host: Host, inbound: Inbound): Promise<ReceivedInput> {
  const { store, place, options } = host;
  const current = await currentSession(store, parseId<SessionId>("session", inbound.session));
  const session = (await whereItIs(host, current, inbound)) ?? current.id;
  const { row } = current;
  const { route = null } = inbound;
  const facts = {
    suspended: suspendedFor(row),
    isAttended: options.isAttended?.({ session, route }) ?? true,
    heldBy: row && heldBy(host, row),
  };
  const continues = current.before.at(-1);
  const stored = await storeInput(store, place, { ...inbound, session, ...(continues ? { continues } : {}) });
  return { stored, wait: (phase) => waitOf({ ...facts, phase }) };
}

/** The same message again, sent once more after a fresh start, is where it was stored the first time (D4). */
async function whereItIs(
  { store }: Host,
  { before }: CurrentSession,
  { id }: Inbound,
): Promise<SessionId | null> {
  if (id === undefined) return null;
  const record = factId("input", parseId<string>("input", id)) as RecordId;
  for (const session of before) if (await store.recordById(session, record)) return session;
  return null;
}

function heldBy({ store }: Host, row: SessionRow): string | null {
  const { owner } = row.claim;
  if (!owner || isSameProcess(owner, selfOwner())) return null;
  const { liveness } = livenessOfHolder(row);
  const isHeld = decideClaim(row.claim, liveness, store.clock.nowMs()).kind === "held";
  return isHeld ? describeOwner(owner) : null;
}

/** What the turn of an input waits for, as its receipt says (T1): pure, first row that fits. */
export interface WaitFacts {
  readonly phase: "starting" | "failed" | "open" | "draining" | "closed";
  /** The conversation is suspended, with this reason; null: it is not. */
  readonly suspended: string | null;
  readonly isAttended: boolean;
  /** Another process that may be alive has the conversation, in words; null: nobody, or this one. */
  readonly heldBy: string | null;
}

export function waitOf(facts: WaitFacts): { readonly waitsFor: WaitsFor; readonly because: string | null } {
  switch (facts.phase) {
    case "draining":
    case "closed":
      return { waitsFor: "restart", because: "this process is ending; the next start answers it" };
    case "failed":
      return { waitsFor: "restart", because: "recovery failed here; the next start answers it" };
    case "starting":
    case "open":
      break;
    default:
      return facts.phase satisfies never;
  }
  if (facts.suspended !== null && !facts.isAttended)
    return {
      waitsFor: "lift",
      because: `the conversation is suspended (${facts.suspended}) until it is lifted`,
    };
  if (facts.phase === "starting") return { waitsFor: "start", because: "recovery is not done yet" };
  if (facts.heldBy !== null)
    return { waitsFor: "holder", because: `the conversation is held by ${facts.heldBy}, which answers it` };
  return { waitsFor: "nothing", because: null };
}
