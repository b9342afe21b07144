/** Thrown by `begin` where a session is suspended and nobody said why it may go on (L2, L4). Its history is intact. */
import { RefloatError } from "../model/errors.ts";
import type { SessionId } from "../model/ids.ts";

export class Suspended extends RefloatError {
  override readonly name = "Suspended";
  /** Why, as its record says it. */
  readonly reason: string;
  /** Without progress, in a row. */
  readonly dirtyEnds: number;

  constructor(session: SessionId, reason: string, dirtyEnds: number) {
    super("E_SUSPENDED", { session, why: reason.replace(/\.$/, "") });
    this.reason = reason;
    this.dirtyEnds = dirtyEnds;
  }
}
