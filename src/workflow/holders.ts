/**
 * Who a state file says is at work: its `lock` and the `claim` of each step. Null, {} and all-null mean free.
 * Whether a holder still counts is one rule for the claim, the sweep and the validator. The store and the process
 * behind its claim are asked first (K2); the file's own heartbeat tells only where the file is all there is (K3):
 * where another store or another tool wrote it.
 */
import type { JsonObject } from "../model/json.ts";
import { BEATS_PER_THRESHOLD, HEARTBEAT_INTERVAL_MS, MAX_STEP_PAUSE_MS } from "../model/limits.ts";
import { LOCK } from "../model/workflow-ids.ts";
import { isHeartbeatStale } from "../session/decide-claim.ts";
import { numberOfToken } from "./claim-token.ts";
import { DEFAULT_STALE_THRESHOLD_MS, HEARTBEAT_EVERY } from "./definition.ts";
import { objectOf, own, stepsIn, textOf, timeOf } from "./state-doc.ts";
import type { WorkflowShape } from "./step-list.ts";

/**
 * Whose word a holder in the file is: `store`, the claim the store has now; `over`, one that the store knows and that
 * is not it any more; `file`, nobody's here: the file's alone.
 */
export type Word = "store" | "over" | "file";

export interface FileHolder {
  /** Null: the lock of the whole file. */
  readonly step: string | null;
  /** As the file spells the step. */
  readonly place: readonly string[];
  readonly owner: string;
  readonly token: string | null;
  readonly heartbeatMs: number | null;
  /** How often a timer beats for it, by the claim's word; null: none does. */
  readonly everyMs: number | null;
  readonly word: Word;
  readonly isStale: boolean;
}

/** A claim that the store gave, or took in from the file. */
export interface KnownClaim {
  readonly attempt: number;
  readonly owner: string;
  /** Null: of a refloat that did not keep them; then owner and number tell. */
  readonly token: string | null;
}

export interface StoreClaim {
  /** The store's session that stands for the step. */
  readonly session: string;
  readonly owner: string | null;
  readonly attempt: number;
  /** What the file has to show of it; null: nothing is known. */
  readonly token: string | null;
  readonly isHeld: boolean;
  /** Taken in from the file: its heartbeat there is the one that counts. */
  readonly isOfFile: boolean;
  /** A session's: its supervisor or its process beats for it by a timer. */
  readonly isSession: boolean;
  readonly heartbeatMs: number | null;
  /** Newest first. */
  readonly known: readonly KnownClaim[];
}

/** By step, and by `lock`; null: no store was asked. */
export type StoreClaims = ReadonlyMap<string, StoreClaim> | null;

export function thresholdOf(doc: unknown): number {
  const value = own(doc, "stale_threshold_ms");
  return typeof value === "number" && value > 0 ? value : DEFAULT_STALE_THRESHOLD_MS;
}

/**
 * How old the heartbeat of one claim may be: the file's threshold, but never so little that an owner who beats by a timer
 * would be gone between two beats (K2).
 */
export const thresholdOfClaim = (doc: unknown, { everyMs }: Pick<FileHolder, "everyMs">): number =>
  Math.max(thresholdOf(doc), BEATS_PER_THRESHOLD * Math.min(everyMs ?? 0, MAX_STEP_PAUSE_MS));

/** What a session's claim says of its timer: the slowest who keeps one looks this often, and beats when a part of the threshold is over. */
export const sessionPauseMs = (doc: unknown): number =>
  Math.max(HEARTBEAT_INTERVAL_MS, Math.ceil(thresholdOf(doc) / BEATS_PER_THRESHOLD));

/** What tells one claim in a file from every other; one without a token is another with each heartbeat. */
export const keyOf = ({ token, owner, heartbeatMs }: Pick<FileHolder, "token" | "owner" | "heartbeatMs">) =>
  token ?? `${owner}@${heartbeatMs}`;

type ShownHolder = Omit<FileHolder, "word" | "isStale">;

export function holdersIn(
  doc: JsonObject,
  shape: WorkflowShape,
  nowMs: number,
  claims: StoreClaims = null,
): readonly FileHolder[] {
  const judged = (shown: ShownHolder, word: Word, isHeld: boolean): FileHolder => ({
    ...shown,
    word,
    isStale:
      word === "file" ? isHeartbeatStale(nowMs, shown.heartbeatMs, thresholdOfClaim(doc, shown)) : !isHeld,
  });
  const steps = stepsIn(doc, shape).flatMap(({ spec, key, body }) =>
    shownAt(spec.id, ["steps", key, "claim"], own(body, "claim")).map((shown) => {
      const claim = claims?.get(spec.id);
      const word = wordOf(shown, claim);
      return judged(shown, word, word === "store" && claim?.isHeld === true);
    }),
  );
  const lock = shownAt(null, ["lock"], own(doc, "lock")).map((shown) => {
    const same = steps.find(({ owner, token }) => owner === shown.owner && token === shown.token);
    // The lock shows a step's claim: it is as fresh as the fresher of the two.
    if (same) return { ...judged(shown, same.word, false), isStale: same.isStale };
    const words = [...(claims?.values() ?? [])].map((claim) => ({ claim, word: wordOf(shown, claim) }));
    const known = words.find(({ word }) => word === "store") ?? words.find(({ word }) => word === "over");
    return judged(shown, known?.word ?? "file", known?.word === "store" && known.claim.isHeld);
  });
  return [...lock, ...steps];
}

function shownAt(step: string | null, place: readonly string[], value: unknown): ShownHolder[] {
  const held = objectOf(value);
  const owner = textOf(own(held, "owner_id"));
  if (owner === null || owner === "") return [];
  const token = textOf(own(held, "attempt_token"));
  const every = own(held, HEARTBEAT_EVERY);
  const everyMs = typeof every === "number" ? every : null;
  return [{ step, place, owner, token, heartbeatMs: timeOf(own(held, "heartbeat")), everyMs }];
}

export function wordOf(shown: ShownHolder, claim: StoreClaim | undefined): Word {
  if (!claim) return "file";
  const current: KnownClaim = { ...claim, owner: claim.owner ?? "" };
  if (claim.owner !== null && isClaim(shown, current)) return claim.isOfFile ? "file" : "store";
  return claim.known.some((known) => isClaim(shown, known)) ? "over" : "file";
}

function isClaim(shown: ShownHolder, known: KnownClaim): boolean {
  if (known.token !== null) return keyOf(shown) === known.token;
  return shown.owner === known.owner && numberOfToken(shown.token) === known.attempt;
}

/** Somebody this store does not answer for, at work by the file's word: honoured while the heartbeat is fresh (K3). */
export function strangerAt(holders: readonly FileHolder[], step: string): FileHolder | null {
  const mine = holders.filter((holder) => holder.word === "file" && (holder.step ?? step) === step);
  // The step's own claim says more than the lock, which may only repeat it.
  return mine.find(({ step: at }) => at !== null) ?? mine[0] ?? null;
}

/** What `claim break` is told of a holder. */
export const partOfHolder = ({ step }: FileHolder): string => step ?? LOCK;
