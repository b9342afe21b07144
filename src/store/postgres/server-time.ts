/**
 * Heartbeats between machines are compared by one clock, the server's (K3): what a machine writes is turned into it, what it reads into its own, so that a clock
 * that is minutes off makes nobody look dead. How far apart they are is looked at when the store is opened, in the statement that looks at the server.
 */
import { type Clock, systemClock } from "../../platform/clock.ts";
import type { ChangeOutcome, ClaimRow, SessionChange, SessionRow, StoreChange } from "../contract/driver.ts";

export class ServerTime {
  readonly #aheadMs: number;

  /** `aheadMs`: by how much the server's clock is ahead. Whoever hands in a clock of his own says what time it is. */
  constructor(clock: Clock, aheadMs: number) {
    this.#aheadMs = clock === systemClock && Number.isFinite(aheadMs) ? Math.round(aheadMs) : 0;
  }

  written<Change extends StoreChange | SessionChange>(change: Change): Change {
    const hasHeartbeat = change.kind === "take" || change.kind === "renew";
    return hasHeartbeat && this.#aheadMs !== 0 ? { ...change, nowMs: change.nowMs + this.#aheadMs } : change;
  }

  read<Row extends SessionRow>(row: Row): Row {
    return this.#aheadMs === 0 ? row : { ...row, claim: this.#claim(row.claim) };
  }

  /** A refusal that shows somebody else's claim. */
  told(outcome: ChangeOutcome): ChangeOutcome {
    if (this.#aheadMs === 0 || outcome.kind === "done" || outcome.refusal.kind !== "claim-moved")
      return outcome;
    return { ...outcome, refusal: { ...outcome.refusal, claim: this.#claim(outcome.refusal.claim) } };
  }

  #claim(claim: ClaimRow): ClaimRow {
    const own = (ms: number | null): number | null => (ms === null ? null : ms - this.#aheadMs);
    return { ...claim, acquiredAtMs: own(claim.acquiredAtMs), heartbeatAtMs: own(claim.heartbeatAtMs) };
  }
}
