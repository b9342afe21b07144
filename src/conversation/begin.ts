/**
 * Beginning a session: take its claim, close what a dead owner left open, load what the views need. Claim
 * and closing are one transaction, so a second kill in the middle leaves either the old state or the new.
 */

import { throwIfAborted, unlessAborted } from "../model/aborted.ts";
import { RefloatError } from "../model/errors.ts";
import { parseId, type SessionId } from "../model/ids.ts";
import { DEFAULT_WINDOW_MESSAGES } from "../model/limits.ts";
import type { Liveness, Owner } from "../model/owner.ts";
import type { NewRecord } from "../model/record.ts";
import { selfOwner } from "../platform/identity.ts";
import { tellBegun } from "../platform/observed.ts";
import { randomId } from "../platform/random.ts";
import {
  giveBack,
  type Heartbeat,
  Held,
  keepAlive,
  type SeenSession,
  type TakenClaim,
  takeClaim,
} from "../session/claims.ts";
import { type BeginDecision, decideBegin, Suspended } from "../session/escalation.ts";
import { newRecord } from "../session/new-record.ts";
import { type StateFacts, stateOf } from "../session/state.ts";
import type { SessionRow } from "../store/contract/driver.ts";
import { suspendedFor } from "../store/contract/session-facts.ts";
import type { Store } from "../store/store.ts";
import { type AttemptEnd, closeLeftOpen, type Recovered } from "./close-left-open.ts";
import {
  type DirtyEnd,
  findDirtyEnd,
  type KnownEnd,
  lastRecovered,
  suspension,
  watchForStops,
} from "./dirty-end.ts";
import { openThings } from "./open-things.ts";
import { type FoundSession, Session, type TakeCapture } from "./session.ts";
import type { OpenCaptures } from "./session-captures.ts";
import { SessionJournal } from "./session-journal.ts";
import { loadWindow } from "./view.ts";

export interface BeginOptions {
  /** Goes on with this session if it exists, else begins one with this id. Left out: a new one. */
  readonly id?: string;
  readonly agent: string;
  readonly workspace: string;
  readonly goal?: string;
  readonly name?: string;
  /** Why a suspended session may go on: ends its suspension, on record. Without effect where it is not suspended. */
  readonly lift?: string;
  /** While somebody else holds it: `true` waits until it is free, a number so many milliseconds; then, and when left out, Held is thrown. */
  readonly wait?: boolean | number;
  /** Calls the waiting off: `begin` rejects with code E_ABORTED, and the session is not claimed. */
  readonly signal?: AbortSignal;
  /** How many of the last messages the views hold; the default is ten thousand. */
  readonly window?: number;
  /** Between hosts: how old a heartbeat may be before the claim is presumed lost. */
  readonly thresholdMs?: number;
  /** Called when another process took the session over; every write is refused from then on. */
  readonly onLost?: (error: Error) => void;
  /** Called when somebody asks this session to stop (`refloat stop`, `store.stop`), with the reason: end what runs, then `session.stop`. */
  readonly onStop?: (reason: string) => void;
  readonly owner?: Owner;
  readonly liveness?: (owner: Owner) => Liveness;
  /** What is known of how a dead owner ended; null: nothing. Asked before the store's own guess. */
  readonly endOf?: (owner: Owner) => Promise<EndWithEvidence | null>;
  /** How `session.capture` takes one; `openStore` gives it. */
  readonly takeCapture?: TakeCapture;
  /** `auto` (default): the session captures its workspace by itself, if that is a git work tree on this machine. */
  readonly captures?: "auto" | "off";
  /** Told of every capture that could not be taken by itself; the journal says so, too. */
  readonly onCaptureFailed?: (error: Error) => void;
  /** Who takes the session's own captures; `openStore` gives it. */
  readonly openCaptures?: OpenCaptures;
  /** Escalation (L2); `openStore` gives it. Left out: whoever begins judges dirty ends by rules of his own, as a gateway does. */
  readonly recovery?: BeginRecovery;
}

/** What a room above knows of ends: this one tells only that an owner is gone. */
export interface BeginRecovery {
  /** How the attempt before ended, with evidence; null: nothing of it was cut off. */
  nameEnd(row: SessionRow): Promise<EndWithEvidence | null>;
  /** Recovers it whole, its end captured, and suspends it if it comes to that. */
  recover(row: SessionRow): Promise<Recovered | null>;
}

/** What is known of an end, and what that rests on, in words. */
export type EndWithEvidence = KnownEnd &
  Pick<AttemptEnd, "outcome"> & { readonly cause: string; readonly evidence: readonly string[] };

/** Of two that begin a session at its brink one recovers it; more rounds than this mean something other than a race. */
const MAX_ROUNDS = 20;

/**
 * Claims the session: attempt n. Throws Held { by, since } while somebody else has it, and Suspended where it is suspended, or
 * would be by the end that is found now, unless `lift` says why it may go on (L2).
 */
export async function beginSession(store: Store, options: BeginOptions): Promise<Session> {
  const session = parseId<SessionId>("session", options.id ?? randomId());
  const owner = options.owner ?? selfOwner(options.agent);
  const { taken, found } = await takeUpWhenFree(store, session, owner, options);
  const { fold, earlier } = await loadWindow(
    store,
    session,
    taken.head,
    options.window ?? DEFAULT_WINDOW_MESSAGES,
  ).catch(async (thrown: unknown) => {
    // Nobody has the handle of a beginning that failed; why it could not begin is the news.
    await giveBack(store, { session, attempt: taken.attempt, owner });
    throw thrown;
  });
  const heartbeat = together(
    keepAlive(store, session, taken.attempt, options.onLost ?? (() => undefined)),
    options.onStop ? watchForStops(store, session, taken.head + 1, options.onStop) : null,
  );
  const openCaptures = options.captures === "off" ? null : (options.openCaptures ?? null);
  const journal = new SessionJournal(store, session, taken.attempt, fold, openCaptures);
  await journal.captures.begun();
  const { recovered } = found;
  const left = recovered ? recovered.turns.length + recovered.calls.length + recovered.messages.length : 0;
  const begun = { session, attempt: taken.attempt, atMs: store.clock.nowMs(), agent: options.agent };
  tellBegun({ ...begun, state: found.state, recovered: left });
  return new Session(journal, {
    found,
    earlier,
    heartbeat,
    takeCapture: options.takeCapture ?? null,
  });
}

/** A dead owner commits nothing: whether it still lives is looked at this often. */
const LOOK_AGAIN_MS = 500;

/** Who waits is woken by the holder's last record, and looks now and then whether the holder lives (K2). */
async function takeUpWhenFree(
  store: Store,
  session: SessionId,
  owner: Owner,
  options: BeginOptions,
): Promise<Awaited<ReturnType<typeof takeUp>>> {
  const { wait = false, signal } = options;
  const what = `The wait for session ${session}`;
  const waitMs = wait === true ? Number.POSITIVE_INFINITY : Number(wait);
  const untilMs = store.clock.monotonicMs() + waitMs;
  for (;;) {
    throwIfAborted(signal, what);
    const version = waitMs > 0 ? await store.version(session) : 0;
    try {
      const begun = await takeUp(store, session, owner, options);
      if (!signal?.aborted) return begun;
      await giveBack(store, { session, attempt: begun.taken.attempt, owner });
    } catch (thrown) {
      const leftMs = untilMs - store.clock.monotonicMs();
      if (!(thrown instanceof Held) || leftMs <= 0) throw thrown;
      await unlessAborted(store.changed(session, version, Math.min(leftMs, LOOK_AGAIN_MS)), signal, what);
    }
  }
}

/** Takes the claim and closes what was left open; what that would suspend is recovered first, and looked at again. */
async function takeUp(
  store: Store,
  session: SessionId,
  owner: Owner,
  options: BeginOptions,
): Promise<{ taken: TakenClaim; found: FoundSession }> {
  const { thresholdMs, liveness, recovery } = options;
  let before: Recovered | null = null;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    let found = NEW_SESSION;
    try {
      const taken = await takeClaim(store, {
        session,
        owner,
        ...(thresholdMs === undefined ? {} : { thresholdMs }),
        ...(liveness ? { liveness } : {}),
        records: async (seen) => {
          if (!seen.row) return [beganRecord(store, options)];
          const settled = await settlement(store, seen.row, seen, options);
          found = settled.found;
          return settled.records;
        },
      });
      return { taken, found: { ...found, recovered: found.recovered ?? before } };
    } catch (thrown) {
      if (!(thrown instanceof AtTheBrink) || !recovery) throw thrown;
      before = (await recovery.recover(thrown.row)) ?? before;
    }
  }
  throw new RefloatError("E_STORE_BUSY", { ms: 0 });
}

/** The end that was found would suspend the session. Nothing was written. */
class AtTheBrink extends Error {
  override readonly name = "AtTheBrink";
  readonly row: SessionRow;

  constructor(row: SessionRow) {
    super("recovered first");
    this.row = row;
  }
}

const NEW_SESSION: FoundSession = { state: "live", dirtyEnds: 0, recovered: null, wasOpen: null };

async function settlement(
  store: Store,
  row: SessionRow,
  seen: SeenSession,
  { lift, recovery, endOf }: BeginOptions,
): Promise<{ records: NewRecord[]; found: FoundSession }> {
  const things = await openThings(store, row.id, seen);
  const { from } = seen.decision;
  const named =
    things.length > 0 && recovery ? await recovery.nameEnd(row) : from && endOf ? await endOf(from) : null;
  const end = await findDirtyEnd(store, row, things, named?.cause ?? seen.decision.cause, named ?? {});
  const suspended = suspendedFor(row);
  const facts = { suspended, ends: end, isCutOff: things.length > 0, lift: lift ?? null };
  const decision: BeginDecision = recovery ? decideBegin(facts) : { kind: "go" };
  const isSeenToEnd = named?.outcome !== undefined && named.outcome !== "interrupted";
  const outcome = isSeenToEnd ? { outcome: named.outcome } : {};
  const evidence = named ? { evidence: [...named.evidence] } : {};
  const asked = named?.isAsked ? { asked: true } : {};
  const { records, recovered } = closeLeftOpen(
    store.clock,
    things,
    { ...end, ...outcome },
    { ...evidence, ...asked },
  );
  const settledAs = isSeenToEnd ? named.outcome : end.outcome;
  const isOver = settledAs !== undefined && (recovered?.turns.length ?? 0) > 0;
  const left = isOver ? endedOtherwise(row) : { row, open: seen.open };
  const state = stateOf({ ...left, liveness: null, nowMs: store.clock.nowMs() });
  const wasOpen = isOver ? null : (recovered ?? (await lastRecovered(store, row)));
  return {
    records: [...records, ...decided(store, row, end, decision)],
    found: { state, dirtyEnds: end.count, recovered, wasOpen },
  };
}

/** L4: a turn that is closed as cancelled, or was seen to end, was not cut off: whoever begins must not go on with it. */
const endedOtherwise = (row: SessionRow): Pick<StateFacts, "row" | "open"> => ({
  row: { ...row, facts: { ...row.facts, interrupted: null } },
  open: [],
});

/** What is written of the decision; throws where it is not to begin. */
function decided(store: Store, row: SessionRow, end: DirtyEnd, decision: BeginDecision): NewRecord[] {
  switch (decision.kind) {
    case "go":
      return [];
    case "lift":
      return [
        ...suspension(store.clock, row, end),
        newRecord(store.clock, "session.lifted", { reason: decision.reason }),
      ];
    case "refuse":
      throw new Suspended(row.id, decision.why, end.count);
    case "recover-first":
      throw new AtTheBrink(row);
    default:
      return decision satisfies never;
  }
}

const together = (heartbeat: Heartbeat, watch: Heartbeat | null): Heartbeat => ({
  stop: () => {
    heartbeat.stop();
    watch?.stop();
  },
});

function beganRecord(store: Store, options: BeginOptions): NewRecord {
  const { agent, workspace, goal, name } = options;
  return newRecord(store.clock, "session.began", {
    agent,
    workspace,
    goal: goal ?? null,
    name: name ?? null,
  });
}
