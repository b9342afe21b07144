/** A claim as people and JSON see it: who holds it, since when, and what can be proved about them (K2). */
import type { Liveness, Owner } from "../../../model/owner.ts";
import type { SessionRow } from "../../../store/contract/driver.ts";
import type { Store } from "../../../store/store.ts";
import { isByWord, isOfFile, standingOfClaim } from "../../../workflow/claim-owner.ts";
import type { StepClaimNow } from "../../../workflow/claims-now.ts";
import { agoText, oneLine } from "../../screen/words.ts";

export interface ClaimView {
  readonly session: string;
  readonly name: string | null;
  readonly attempt: number;
  /** False: the next one may take it at once. */
  readonly held: boolean;
  readonly owner: Owner | null;
  readonly liveness: Liveness | null;
  readonly since: string | null;
  readonly heartbeat_at: string | null;
}

export async function claimFacts(store: Store, row: SessionRow): Promise<ClaimView> {
  const { claim } = row;
  const { liveness, isHeld } = await standingOfClaim(store, row);
  return {
    session: row.id,
    name: typeof row.facts.name === "string" ? row.facts.name : null,
    attempt: claim.attempt,
    held: isHeld,
    owner: claim.owner,
    liveness,
    since: claim.owner ? isoOrNull(claim.acquiredAtMs) : null,
    heartbeat_at: isoOrNull(claim.heartbeatAtMs),
  };
}

/** Of a step, or of a state file's lock: by the store, or by the file where only that knows of it. */
export function stepClaimFacts(now: StepClaimNow): ClaimView {
  const { session, name, row, owner, liveness, isHeld, sinceMs, heartbeatMs } = now;
  return {
    session,
    name,
    attempt: row?.claim.attempt ?? 0,
    held: isHeld,
    owner,
    liveness,
    since: isoOrNull(sinceMs),
    heartbeat_at: isoOrNull(heartbeatMs),
  };
}

/** `claude, pid 4123`: the label is the owner's own word and escaped. */
export function ownerText(owner: Owner): string {
  const label = oneLine(owner.label ?? "a process");
  // Behind a name or a session stands no process of its own (K5).
  return isByWord(owner) ? label : `${label}, pid ${owner.pid}`;
}

/** Whether the owner lives, in a few words. */
export function livenessText(facts: ClaimView, nowMs: number): string {
  const { liveness } = facts;
  if (!liveness) return "nobody holds it";
  switch (liveness.kind) {
    case "alive":
      return "alive";
    case "dead":
      return DEATHS[liveness.because];
    case "unreachable":
      return liveness.because === "other-namespace" ? "unreachable: in another container" : "unreachable";
    case "elsewhere": {
      const beat = facts.heartbeat_at;
      const heard = beat === null ? "never heard of" : `heard of ${agoText(Date.parse(beat), nowMs)}`;
      return `${facts.held ? whereOf(facts.owner) : "lost"}, ${heard}`;
    }
    default:
      return liveness satisfies never;
  }
}

function whereOf(owner: Owner | null): string {
  if (owner && isOfFile(owner)) return "in the file";
  return owner && isByWord(owner) ? "by its heartbeat" : "on another machine";
}

const DEATHS = {
  reboot: "dead: the machine was restarted",
  "no-such-process": "dead",
  "pid-reused": "dead: its pid is another's now",
} as const satisfies Record<Extract<Liveness, { kind: "dead" }>["because"], string>;

const isoOrNull = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());
