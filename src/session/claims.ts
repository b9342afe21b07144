/**
 * Taking, keeping and giving back the right to write to a session. The decision is pure (decide-claim.ts);
 * the store makes it true by compare-and-swap in one transaction with the records that say so (K1, K4).
 */
import { ensureError, RefloatError } from "../model/errors.ts";
import type { SessionId } from "../model/ids.ts";
import { BEATS_PER_THRESHOLD, HEARTBEAT_INTERVAL_MS } from "../model/limits.ts";
import type { Liveness, Owner } from "../model/owner.ts";
import type { NewRecord } from "../model/record.ts";
import { every } from "../platform/clock.ts";
import { livenessOf } from "../platform/liveness.ts";
import type { OpenRow, SessionRow } from "../store/contract/driver.ts";
import { type AskLiveness, livenessOfHolder } from "../store/holder.ts";
import { describeOwner, refusalError } from "../store/refusal-error.ts";
import type { Store } from "../store/store.ts";
import { type ClaimDecision, decideClaim } from "./decide-claim.ts";
import { newRecord } from "./new-record.ts";

/** Races for one claim are settled by the store; more rounds than this mean something other than a race. */
const MAX_ROUNDS = 20;

/**
 * Owners this process made and has given up because it could not write their release: nobody has their handle,
 * so nobody writes in their name any more. Taken as dead by this process, which else would wait for itself;
 * every other process goes on seeing a live owner (K2).
 */
const givenUp = new Set<string>();

/** Thrown by `begin` when somebody else holds the session. */
export class Held extends RefloatError {
  override readonly name = "Held";
  readonly by: Owner;
  readonly since: Date | null;

  constructor(session: SessionId, decision: Extract<ClaimDecision, { kind: "held" }>) {
    const since = decision.sinceMs === null ? null : new Date(decision.sinceMs);
    super("E_HELD", {
      session,
      by: describeOwner(decision.by),
      since: since?.toISOString() ?? "an unknown time",
    });
    this.by = decision.by;
    this.since = since;
  }
}

export interface TakeOptions {
  readonly session: SessionId;
  readonly owner: Owner;
  readonly thresholdMs?: number;
  readonly liveness?: (owner: Owner) => Liveness;
  /** What a file shows of the claim, recorded with it; made anew for every round of a race. */
  readonly token?: (attempt: number) => string;
  /** When what it is claimed for began, for people; left out: now. Nothing is decided by it (K2). */
  readonly beganMs?: number | null;
  /** True: those records say what holds only where nobody wrote between the look and the claim: then it is looked again. */
  readonly isWhole?: boolean;
  /** Records to append with the claim, decided on what was seen: the beginning, or the settling of what was left open. */
  readonly records: (seen: SeenSession) => readonly NewRecord[] | Promise<readonly NewRecord[]>;
}

export interface SeenSession {
  /** Null: the session does not exist yet. */
  readonly row: SessionRow | null;
  readonly open: readonly OpenRow[];
  readonly decision: Extract<ClaimDecision, { kind: "take" }>;
  readonly attempt: number;
}

export interface TakenClaim {
  readonly attempt: number;
  readonly head: number;
  readonly seen: SeenSession;
  readonly token: string | null;
}

/** Takes the claim or throws Held. Losing a race means looking again: the winner may be gone by then. */
export async function takeClaim(store: Store, options: TakeOptions): Promise<TakenClaim> {
  const { session, owner } = options;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const seen = await look(store, options);
    const token = options.token?.(seen.attempt) ?? null;
    const claimed = newRecord(store.clock, "claim.taken", {
      attempt: seen.attempt,
      owner,
      why: seen.decision.why,
      from: seen.decision.from,
      reason: null,
      ...(token === null ? {} : { token }),
    });
    const claimRecord = { ...claimed, atMs: Math.min(options.beganMs ?? claimed.atMs, claimed.atMs) };
    const extra = await options.records(seen);
    const isFirst = seen.row === null;
    const outcome = await store.take({
      session,
      seen: seen.row
        ? { attempt: seen.row.claim.attempt, holder: seen.row.claim.owner?.instance ?? null }
        : null,
      owner,
      nowMs: store.clock.nowMs(),
      thresholdMs: options.thresholdMs ?? store.lostAfterMs,
      ...(options.isWhole && seen.row ? { expectHead: seen.row.head } : {}),
      records: isFirst ? [...extra, claimRecord] : [claimRecord, ...extra],
    });
    if (outcome.kind === "done") {
      if (seen.decision.from) givenUp.delete(seen.decision.from.instance);
      return { attempt: outcome.attempt, head: outcome.head, seen, token };
    }
    switch (outcome.refusal.kind) {
      case "claim-moved":
      case "session-exists":
      case "head-moved":
      case "not-open": // what was open when we looked was closed since
        continue;
      default:
        throw refusalError({ session }, outcome.refusal);
    }
  }
  throw new RefloatError("E_STORE_BUSY", { ms: 0 });
}

/** Gives a claim back that nobody keeps a handle of. When that cannot be written, its owner counts as gone here. */
export async function giveBack(store: Store, claim: GivenBack): Promise<Error | null> {
  const { session, attempt, owner } = claim;
  try {
    await store.release(session, attempt, [newRecord(store.clock, "claim.released", { attempt })]);
    return null;
  } catch (thrown) {
    givenUp.add(owner.instance);
    return ensureError(thrown);
  }
}

export interface GivenBack {
  readonly session: SessionId;
  readonly attempt: number;
  readonly owner: Owner;
}

const GIVEN_UP: Liveness = { kind: "dead", because: "no-such-process" };

async function look(store: Store, options: TakeOptions): Promise<SeenSession> {
  const [row, open] = await Promise.all([store.session(options.session), store.open(options.session)]);
  if (!row) {
    return {
      row: null,
      open: [],
      decision: { kind: "take", why: "new", from: null, cause: null },
      attempt: 1,
    };
  }
  const { owner } = row.claim;
  const isGivenUp = owner !== null && givenUp.has(owner.instance);
  const liveness = isGivenUp ? GIVEN_UP : livenessOfHolder(row, options.liveness).liveness;
  const decision = decideClaim(row.claim, liveness, store.clock.nowMs());
  if (decision.kind === "held") throw new Held(options.session, decision);
  return { row, open, decision, attempt: row.claim.attempt + 1 };
}

export interface Heartbeat {
  stop(): void;
}

interface KeptClaim {
  readonly session: SessionId;
  readonly attempt: number;
  readonly onLost: (error: Error) => void;
}

interface Beat {
  readonly kept: Set<KeptClaim>;
  readonly timer: Heartbeat;
}

/** Taken over, given back with the store, or the session was removed under it. */
const GONE: ReadonlySet<string> = new Set(["E_FENCED", "E_CLOSED", "E_NO_SESSION"]);

/** One timer for all claims that this process keeps in a store: their heartbeats are one commit, however many they are. */
const beats = new WeakMap<Store, Beat>();

/** Renews the claim by a timer, not by the work: a long call is no silence (K2). `onLost` hears that it is gone. */
export function keepAlive(
  store: Store,
  session: SessionId,
  attempt: number,
  onLost: (error: Error) => void,
): Heartbeat {
  const claim = { session, attempt, onLost };
  const beat = beats.get(store) ?? startBeat(store);
  beat.kept.add(claim);
  return { stop: () => stopKeeping(store, claim) };
}

function startBeat(store: Store): Beat {
  const kept = new Set<KeptClaim>();
  const timer = every(Math.min(HEARTBEAT_INTERVAL_MS, store.lostAfterMs / BEATS_PER_THRESHOLD), () => {
    for (const claim of kept)
      store.renew(claim.session, claim.attempt).catch((thrown: unknown) => {
        // A full disk or a lost connection may pass: the next beat tries again. A fence never passes.
        if (thrown instanceof RefloatError && GONE.has(thrown.code)) {
          if (stopKeeping(store, claim)) claim.onLost(thrown);
        }
      });
  });
  const beat = { kept, timer };
  beats.set(store, beat);
  return beat;
}

/** False: nobody kept it any more. */
function stopKeeping(store: Store, claim: KeptClaim): boolean {
  const beat = beats.get(store);
  const wasKept = beat?.kept.delete(claim) ?? false;
  if (beat && beat.kept.size === 0) {
    beat.timer.stop();
    beats.delete(store);
  }
  return wasKept;
}

/** K4: a claim of somebody who works on this machine is not broken; an agent that outlived its supervisor works, too. */
export function assertNotAlive(row: SessionRow, ask: AskLiveness): void {
  const { liveness, isAgentAlone } = livenessOfHolder(row, ask);
  if (!row.claim.owner || liveness?.kind !== "alive") return;
  throw new RefloatError("E_STILL_ALIVE", {
    session: row.id,
    by: isAgentAlone ? "of it, an agent without its supervisor," : describeOwner(row.claim.owner),
    why: "its process runs on this machine",
  });
}

/**
 * Ends somebody's claim by order (K4): recorded, with the reason. Refuses on an owner that is alive on this
 * host: it could go on changing files; stop it first. A claim of a dead or unreachable one is free afterwards.
 */
export async function breakClaim(
  store: Store,
  session: SessionId,
  owner: Owner,
  reason: string,
  liveness = livenessOf,
): Promise<{ attempt: number; from: Owner | null }> {
  const row = await store.session(session);
  if (!row) throw new RefloatError("E_NO_SESSION", { what: session });
  const from = row.claim.owner;
  assertNotAlive(row, liveness);
  const attempt = row.claim.attempt + 1;
  const outcome = await store.take({
    session,
    seen: { attempt: row.claim.attempt, holder: from?.instance ?? null },
    owner,
    nowMs: store.clock.nowMs(),
    thresholdMs: row.claim.thresholdMs,
    records: [newRecord(store.clock, "claim.taken", { attempt, owner, why: "broken", from, reason })],
  });
  if (outcome.kind === "refused") throw refusalError({ session }, outcome.refusal);
  await store.release(session, attempt, [newRecord(store.clock, "claim.released", { attempt })]);
  return { attempt, from };
}
