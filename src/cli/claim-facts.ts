/** A claim as people and JSON see it: who holds it, since when, and what can be proved about them (K2). */
import type { Liveness, Owner } from "../model/owner.ts";
import { livenessOf } from "../platform/liveness.ts";
import { decideClaim } from "../session/decide-claim.ts";
import type { SessionRow } from "../store/driver.ts";
import { livenessOfHolder } from "../store/holder.ts";
import { isByWord } from "../workflow/claim-owner.ts";
import { agoText, oneLine } from "./words.ts";

export interface ClaimFacts {
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

export function claimFacts(
  row: SessionRow,
  nowMs: number,
  liveness: (owner: Owner) => Liveness = livenessOf,
): ClaimFacts {
  const { claim } = row;
  const { liveness: proved } = livenessOfHolder(row, liveness);
  return {
    session: row.id,
    name: typeof row.facts.name === "string" ? row.facts.name : null,
    attempt: claim.attempt,
    held: claim.owner !== null && decideClaim(claim, proved, nowMs).kind === "held",
    owner: claim.owner,
    liveness: proved,
    since: claim.owner ? isoOrNull(claim.acquiredAtMs) : null,
    heartbeat_at: isoOrNull(claim.heartbeatAtMs),
  };
}

/** `claude, pid 4123`: the label is the owner's own word and escaped. */
export function ownerText(owner: Owner): string {
  const label = oneLine(owner.label ?? "a process");
  // Behind a name or a session stands no process of its own (K5).
  return isByWord(owner) ? label : `${label}, pid ${owner.pid}`;
}

/** Whether the owner lives, in a few words. */
export function livenessText(facts: ClaimFacts, nowMs: number): string {
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
      const where = facts.owner && isByWord(facts.owner) ? "by its heartbeat" : "on another machine";
      return `${facts.held ? where : "lost"}, ${heard}`;
    }
    default:
      return liveness satisfies never;
  }
}

const DEATHS = {
  reboot: "dead: the machine was restarted",
  "no-such-process": "dead",
  "pid-reused": "dead: its pid is another's now",
} as const satisfies Record<Extract<Liveness, { kind: "dead" }>["because"], string>;

const isoOrNull = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());
